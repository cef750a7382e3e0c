package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/frank-mcp/frank/status"
)

// maxValue bounds what is read for one value: the largest message that the server
// takes from a client.
const maxValue = 4 << 20

// property is what the input schema says about one argument.
type property struct {
	Type  string `json:"type"`
	Items struct {
		Enum []string `json:"enum"`
	} `json:"items"`
}

// read makes the JSON arguments of a tool from the words of a command line, typed
// by the tool's input schema. What the schema does not know, or cannot be of its
// type, goes to the tool as text: it answers with all that is wrong at once.
func read(words []string, schema json.RawMessage, in io.Reader) (json.RawMessage, error) {
	var shape struct {
		Properties map[string]property `json:"properties"`
	}
	if err := json.Unmarshal(schema, &shape); err != nil {
		return nil, fmt.Errorf("read the input schema: %w", err)
	}
	given := map[string][]string{}
	var object string
	if n := slices.IndexFunc(words, fromInput); n >= 0 && slices.ContainsFunc(words[n+1:], fromInput) {
		return nil, usage("standard input can be the value of one argument only")
	}
	for _, word := range words {
		if !utf8.ValidString(word) {
			return nil, usage(fmt.Sprintf("the argument %s is not valid UTF-8; put it into a file in UTF-8 and pass key=@FILE", strconv.QuoteToASCII(status.Line(word, 40))))
		}
		if strings.HasPrefix(strings.TrimSpace(word), "{") {
			if object != "" {
				return nil, usage("only one JSON object can be given")
			}
			object = word
			continue
		}
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, usage(fmt.Sprintf("%q is neither key=value nor a JSON object; the keys are %s", status.Line(word, 60), keys(shape.Properties)))
		}
		value, err := content(name, value, in)
		if err != nil {
			return nil, err
		}
		given[name] = append(given[name], value)
	}
	if len(given) == 0 {
		return alone(object)
	}
	return together(object, given, shape.Properties)
}

func fromInput(word string) bool { return strings.HasSuffix(word, "=@-") }

func keys(properties map[string]property) string {
	return strings.Join(slices.Sorted(maps.Keys(properties)), ", ")
}

// alone passes a lone object on as it was written: the tool sees its duplicates.
func alone(object string) (json.RawMessage, error) {
	if object == "" {
		return json.RawMessage(`{}`), nil
	}
	if !json.Valid([]byte(object)) {
		return nil, usage("the JSON object is not valid JSON; put it in single quotes so that the shell leaves it alone")
	}
	return json.RawMessage(object), nil
}

func together(object string, given map[string][]string, properties map[string]property) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if object != "" && json.Unmarshal([]byte(object), &all) != nil {
		return nil, usage("the JSON object is not valid JSON; put it in single quotes so that the shell leaves it alone")
	}
	for name, values := range given {
		if _, twice := all[name]; twice {
			return nil, usage(status.Line(name, 40) + " is given twice, in the JSON object and as key=value")
		}
		p := properties[name]
		switch {
		case p.Type == "array":
			all[name] = listOf(values, p.Items.Enum != nil)
		case len(values) > 1:
			return nil, usage(status.Line(name, 40) + " is given twice and is no list")
		default:
			all[name] = valueOf(p.Type, values[0])
		}
	}
	return json.Marshal(all)
}

// valueOf is the value in the type of the schema if it can be, else as text.
func valueOf(kind, value string) json.RawMessage {
	switch kind {
	case "integer":
		if n, err := strconv.Atoi(value); err == nil {
			return json.RawMessage(strconv.Itoa(n))
		}
	case "number":
		if _, err := strconv.ParseFloat(value, 64); err == nil && json.Valid([]byte(value)) {
			return json.RawMessage(value)
		}
	case "boolean":
		if value == "true" || value == "false" {
			return json.RawMessage(value)
		}
	}
	return quote(value)
}

// listOf makes a list of repeated keys, or of one JSON array. A value of a closed list
// holds no comma, so that commas part several.
func listOf(values []string, closed bool) json.RawMessage {
	if len(values) == 1 && strings.HasPrefix(values[0], "[") && json.Valid([]byte(values[0])) {
		return json.RawMessage(values[0])
	}
	if closed {
		values = strings.Split(strings.Join(values, ","), ",")
	}
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = string(quote(v))
	}
	return json.RawMessage("[" + strings.Join(parts, ",") + "]")
}

func quote(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil { // texts always encode
		panic("cli: quote: " + err.Error())
	}
	return raw
}

// content is the value that a word stands for: itself, or what a file holds.
func content(name, value string, in io.Reader) (string, error) {
	if rest, ok := strings.CutPrefix(value, "@@"); ok {
		return "@" + rest, nil
	}
	path, ok := strings.CutPrefix(value, "@")
	if !ok {
		return value, nil
	}
	name, shown := status.Line(name, 40), status.Line(path, 80)
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", usage(fmt.Sprintf("%s=@%s: there is no file %q that can be opened; for the text itself write %s=@@%s", name, shown, shown, name, shown))
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxValue+1))
	switch {
	case err != nil:
		return "", usage(fmt.Sprintf("%s=@%s cannot be read to its end", name, shown))
	case len(data) > maxValue:
		return "", usage(fmt.Sprintf("%s=@%s is larger than %d MiB, more than a call may carry", name, shown, maxValue>>20))
	case !utf8.Valid(data):
		return "", usage(fmt.Sprintf("%s=@%s is not text in UTF-8", name, shown))
	}
	return strings.TrimSuffix(string(data), "\n"), nil
}
