package local

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/frank-mcp/frank/internal/markup"
)

// maxMatter bounds the YAML that is parsed, in bytes. A task has less than one KiB;
// for some texts of a megabyte the parser takes a minute.
const maxMatter = 32 << 10

// decodeYAML reads YAML that anybody may have written into v; false means that
// it is damaged. Anchors are refused, since a few lines of them unfold into
// gigabytes and no tracker writes them.
func decodeYAML(text string, v any) (ok bool) {
	defer func() {
		if recover() != nil { // the parser's own failure on a text that it did not expect
			ok = false
		}
	}()
	if len(text) > maxMatter {
		return false
	}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return false
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		var a anchors
		ast.Walk(&a, doc.Body)
		if a.found {
			return false
		}
	}
	return yaml.Unmarshal([]byte(text), v) == nil
}

// anchors looks for anchors and aliases.
type anchors struct{ found bool }

// Visit is called for every node.
func (a *anchors) Visit(n ast.Node) ast.Visitor {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode:
		a.found = true
	}
	return a
}

// scalar is a single value, whatever its type in YAML.
type scalar string

// UnmarshalYAML takes any single value as text.
func (s *scalar) UnmarshalYAML(unmarshal func(any) error) error {
	var v any
	if err := unmarshal(&v); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil:
	case []any, map[string]any:
		return errors.New("a list or mapping where one value belongs")
	default:
		*s = scalar(fmt.Sprint(v))
	}
	return nil
}

// texts is a list of values, or one of them.
type texts []string

// UnmarshalYAML takes a list or a single value.
func (t *texts) UnmarshalYAML(unmarshal func(any) error) error {
	var v any
	if err := unmarshal(&v); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil:
	case []any:
		for _, x := range v {
			if x != nil {
				*t = append(*t, fmt.Sprint(x))
			}
		}
	case map[string]any:
		return errors.New("a mapping where a list belongs")
	default:
		if s := fmt.Sprint(v); s != "" {
			*t = texts{s}
		}
	}
	return nil
}

// lines are the values as names in items.
func (t texts) lines() []string {
	var out []string
	for _, s := range t {
		if s = markup.Line(s, maxName); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (s scalar) line() string { return markup.Line(string(s), maxName) }
