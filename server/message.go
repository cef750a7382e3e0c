package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// MaxMessage is the size in bytes up to which a message is accepted: a line on
// stdio, a body over HTTP. It also bounds what one message can cost in memory.
const MaxMessage = 4 << 20

// maxBatch is how many messages of a batch are answered.
const maxBatch = 100

// message is one JSON-RPC message, or a batch of them.
type message struct {
	envelope
	raw   []byte
	batch []message
	// bad is set if the message cannot be processed; ID may still be known.
	bad *rpcError
	// blank: nothing but white space, which between messages is not an error.
	blank bool
}

// envelope is what every JSON-RPC message has in common.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// rpcError is a JSON-RPC error. Its message is always text written here.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// response is a JSON-RPC response with the id exactly as it came in.
type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// parse reads one message; raw is kept and must not change afterwards.
func parse(raw []byte) message {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return message{blank: true, bad: &rpcError{Code: mcp.PARSE_ERROR, Message: "the message is empty"}}
	}
	if !utf8.Valid(raw) {
		m := message{raw: raw, bad: &rpcError{Code: mcp.PARSE_ERROR, Message: "the message is not valid UTF-8"}}
		m.ID = salvageID(raw)
		return m
	}
	if raw[0] == '[' {
		return parseBatch(raw)
	}
	m := message{raw: raw}
	err := json.Unmarshal(raw, &m.envelope)
	var shape *json.UnmarshalTypeError
	switch {
	case errors.As(err, &shape):
		m.bad = &rpcError{Code: mcp.INVALID_REQUEST, Message: "the message is not a JSON-RPC request, notification or response"}
	case err != nil:
		m.bad = &rpcError{Code: mcp.PARSE_ERROR, Message: "the message is not valid JSON"}
		m.ID = nil
	default:
		m.bad = m.check()
	}
	if !validID(m.ID) {
		m.ID = nil
	}
	return m
}

func parseBatch(raw []byte) message {
	m := message{raw: raw}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		m.bad = &rpcError{Code: mcp.PARSE_ERROR, Message: "the message is not valid JSON"}
		return m
	}
	if len(parts) == 0 {
		m.bad = &rpcError{Code: mcp.INVALID_REQUEST, Message: "the batch is empty"}
		return m
	}
	if len(parts) > maxBatch {
		m.bad = &rpcError{Code: mcp.INVALID_REQUEST, Message: "a batch holds at most " + strconv.Itoa(maxBatch) + " messages"}
		return m
	}
	for _, part := range parts {
		if part[0] == '[' { // reading these too would cost the square of the size
			m.batch = append(m.batch, message{bad: &rpcError{Code: mcp.INVALID_REQUEST, Message: "a batch holds no batches"}})
			continue
		}
		m.batch = append(m.batch, parse(part))
	}
	return m
}

func (m *message) check() *rpcError {
	if m.JSONRPC != mcp.JSONRPC_VERSION {
		return &rpcError{Code: mcp.INVALID_REQUEST, Message: `"jsonrpc" must be "2.0"`}
	}
	if m.ID != nil && !validID(m.ID) {
		return &rpcError{Code: mcp.INVALID_REQUEST, Message: `"id" must be a string or a number`}
	}
	if m.Method == "" && (m.ID == nil || m.Result == nil && m.Error == nil) {
		return &rpcError{Code: mcp.INVALID_REQUEST, Message: "the message is not a JSON-RPC request, notification or response"}
	}
	return nil
}

func (m *message) isRequest() bool      { return m.bad == nil && m.Method != "" && m.ID != nil }
func (m *message) isNotification() bool { return m.bad == nil && m.Method != "" && m.ID == nil }
func (m *message) isResponse() bool     { return m.bad == nil && m.batch == nil && m.Method == "" }

// urgent messages are dealt with before the next one is read: a cancellation
// must find its call, and what follows initialize must find its outcome.
func (m *message) urgent() bool {
	return m.bad != nil || m.batch == nil && !m.isRequest() || m.Method == string(mcp.MethodInitialize)
}

func validID(id json.RawMessage) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// succeeded renders a result.
func succeeded(id json.RawMessage, result any) []byte {
	if r, ok := asSealed(result); ok {
		raw, err := r.answer(id)
		if err != nil {
			return failed(id, internalError())
		}
		return raw
	}
	raw, err := json.Marshal(response{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Result: result})
	if err != nil {
		return failed(id, internalError())
	}
	return raw
}

// failed renders an error; a nil id becomes null.
func failed(id json.RawMessage, e *rpcError) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	raw, err := json.Marshal(response{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: e})
	if err != nil {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return raw
}

func internalError() *rpcError {
	return &rpcError{Code: mcp.INTERNAL_ERROR, Message: "internal error"}
}

func tooLarge() *rpcError {
	return &rpcError{Code: mcp.INVALID_REQUEST, Message: "the message is larger than " + strconv.Itoa(MaxMessage) + " bytes and was not read"}
}

// salvageID finds the id of a message that cannot be parsed, so that its
// sender need not wait for an answer that would never come; nil if the id is
// neither the first keys' nor the last key's value.
func salvageID(raw []byte) json.RawMessage {
	if id := leadingID(raw); id != nil {
		return id
	}
	return trailingID(raw)
}

func leadingID(raw []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return nil
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		if name == "id" {
			return idOrNil(value)
		}
	}
}

// trailingID reads `"id": X}` at the very end. Inside a JSON string the quotes
// would be escaped, so what matches is a key of the outermost object.
func trailingID(raw []byte) json.RawMessage {
	raw = bytes.TrimRight(raw, " \t\r\n")
	at := bytes.LastIndex(raw, []byte(`"id"`))
	if at < 0 || at > 0 && raw[at-1] == '\\' || !bytes.HasSuffix(raw, []byte("}")) {
		return nil
	}
	value, found := bytes.CutPrefix(bytes.TrimSpace(raw[at+len(`"id"`):len(raw)-1]), []byte(":"))
	if !found {
		return nil
	}
	return idOrNil(bytes.TrimSpace(value))
}

func idOrNil(value []byte) json.RawMessage {
	if !validID(value) || !json.Valid(value) || !utf8.Valid(value) {
		return nil
	}
	return bytes.Clone(value)
}
