package server

import (
	"bytes"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// sealed is a result made by the seal.
type sealed struct{ *mcp.CallToolResult }

// asSealed recognises what the seal made: one text and a structure, nothing else.
func asSealed(result any) (sealed, bool) {
	r, ok := result.(*mcp.CallToolResult)
	if !ok || r == nil || len(r.RawStructuredContent) == 0 || len(r.Content) != 1 || r.NeedsInput() {
		return sealed{}, false
	}
	_, ok = r.Content[0].(mcp.TextContent)
	return sealed{r}, ok
}

// answer renders the whole response. mcp-go and encoding/json would go over
// the structure three times, which costs more than everything else in a call;
// it has been checked and goes out as it is, in its own key order.
func (r sealed) answer(id json.RawMessage) ([]byte, error) {
	structure := r.RawStructuredContent
	if bytes.ContainsAny(structure, "\r\n") { // a message is one line
		var compact bytes.Buffer
		if err := json.Compact(&compact, structure); err != nil {
			return nil, err
		}
		structure = compact.Bytes()
	}
	text, _ := r.Content[0].(mcp.TextContent)
	var buf bytes.Buffer
	buf.Grow(len(structure) + len(text.Text)*5/4 + 512)
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // six bytes for each < are no help to anybody
	buf.WriteString(`{"jsonrpc":"2.0","id":`)
	buf.Write(id)
	buf.WriteString(`,"result":{`)
	if r.Meta != nil {
		buf.WriteString(`"_meta":`)
		if err := enc.Encode(r.Meta); err != nil {
			return nil, err
		}
		buf.WriteByte(',')
	}
	if r.ResultType != "" {
		buf.WriteString(`"resultType":`)
		if err := enc.Encode(r.ResultType); err != nil {
			return nil, err
		}
		buf.WriteByte(',')
	}
	buf.WriteString(`"content":[{"type":"text","text":`)
	if err := enc.Encode(text.Text); err != nil {
		return nil, err
	}
	buf.WriteString(`}],"structuredContent":`)
	buf.Write(structure)
	if r.IsError {
		buf.WriteString(`,"isError":true`)
	}
	buf.WriteString(`}}`)
	return bytes.ReplaceAll(buf.Bytes(), []byte("\n"), nil), nil // Encode ends with one
}
