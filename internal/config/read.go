package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/frank-mcp/frank/internal/pattern"
)

// reader walks the syntax tree itself, since a decoder stops at the first
// fault, quotes the file in its errors and converts types silently.
type reader struct {
	path      string
	connected []string // providers, see Parse
	faults    Faults
}

// key is one valid key of a mapping and what to do with its value.
type key struct {
	name string
	read func(ast.Node)
}

func (r *reader) fault(n ast.Node, format string, args ...any) {
	f := Fault{Path: r.path, Text: fmt.Sprintf(format, args...)}
	f.Line, f.Column = position(n)
	r.faults = append(r.faults, f)
}

func position(n ast.Node) (line, column int) {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 1, 1
	}
	p := n.GetToken().Position
	return max(p.Line, 1), max(p.Column, 1)
}

// document returns the one value of the file, nil if it has none.
func (r *reader) document(data []byte) ast.Node {
	switch {
	case len(data) > maxFile:
		r.faults = append(r.faults, Fault{Path: r.path, Text: fmt.Sprintf("the file is larger than %d KiB; this is no configuration file", maxFile>>10)})
		return nil
	case !utf8.Valid(data):
		r.faults = append(r.faults, Fault{Path: r.path, Text: "the file is not UTF-8 text; save it as UTF-8"})
		return nil
	case tooDeep(data):
		r.faults = append(r.faults, Fault{Path: r.path, Text: "brackets are nested too deeply; this is no configuration file"})
		return nil
	}
	data = []byte(strings.TrimPrefix(string(data), "\ufeff"))
	file, err := parseYAML(data)
	if err != nil {
		r.syntax(err)
		return nil
	}
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.CommentGroupType:
		case body != nil:
			r.fault(doc.Body, "a second document begins here; keep one and remove the line ---")
		default:
			body = doc.Body
		}
	}
	return body
}

// tooDeep protects the recursive parser from a file of opening brackets.
func tooDeep(data []byte) bool {
	depth := 0
	for _, b := range data {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > 100 {
			return true
		}
	}
	return false
}

var errParser = errors.New("the YAML parser gave up")

// parseYAML turns a panic of the parser into an error: a broken file must not
// take the program down.
func parseYAML(data []byte) (file *ast.File, err error) {
	defer func() {
		if recover() != nil {
			file, err = nil, errParser
		}
	}()
	return parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
}

// syntax keeps the position of a parser's error and drops its text, which
// quotes the file.
func (r *reader) syntax(err error) {
	f := Fault{Path: r.path, Text: "this is not valid YAML from here on; check indentation (spaces, no tabs), quotes, brackets and the colon after each key"}
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil && at.GetToken().Position != nil {
		f.Line, f.Column = max(at.GetToken().Position.Line, 1), max(at.GetToken().Position.Column, 1)
	}
	r.faults = append(r.faults, f)
}

// mapping reads the keys of n. What names the mapping in errors ("a source").
// It returns the node of every key that was present, and whether n was a
// mapping at all.
func (r *reader) mapping(n ast.Node, what string, keys []key) (map[string]ast.Node, bool) {
	pairs, ok := r.pairs(n, what)
	if !ok {
		return nil, false
	}
	seen := map[string]ast.Node{}
	for _, p := range pairs {
		name, ok := r.keyName(p.Key, what)
		if !ok {
			continue
		}
		if first, dup := seen[name]; dup {
			line, _ := position(first)
			r.fault(p.Key, "%s is given twice in %s, first on line %d; keep one", name, what, line)
			continue
		}
		k, known := find(keys, name)
		if !known {
			r.unknown(p.Key, name, what, keys)
			continue
		}
		seen[name] = p.Key
		if isNull(p.Value) {
			r.fault(p.Key, "%s has no value; give it one or remove the key", name)
			continue
		}
		k.read(p.Value)
	}
	return seen, true
}

func (r *reader) pairs(n ast.Node, what string) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	if !r.plain(n) {
		return nil, false
	}
	r.fault(n, "%s must be keys with values, such as key: value", what)
	return nil, false
}

// plain reports YAML features that a configuration has no use for.
func (r *reader) plain(n ast.Node) bool {
	switch n.(type) {
	case *ast.AliasNode, *ast.AnchorNode, *ast.TagNode, *ast.MergeKeyNode:
		r.fault(n, "anchors, aliases, merge keys and tags are not supported; write the value out")
		return false
	}
	return true
}

func (r *reader) keyName(n ast.MapKeyNode, what string) (string, bool) {
	switch k := n.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.MergeKeyNode:
		r.plain(n)
		return "", false
	}
	r.fault(n, "a key of %s must be a plain word", what)
	return "", false
}

var keyShape = pattern.New(`^[A-Za-z][A-Za-z0-9_.-]{0,39}$`)

func (r *reader) unknown(n ast.Node, name, what string, keys []key) {
	valid := make([]string, len(keys))
	for i, k := range keys {
		valid[i] = k.name
	}
	shown := "this key"
	if keyShape.MatchString(name) && !looksSecret(name) {
		shown = name
	}
	switch strings.ToLower(name) {
	case "token", "password", "secret", "api_key", "apikey", "api_token", "access_token", "bearer", "pat", "key":
		r.fault(n, "%s: secrets are never written in this file; put the secret into an environment variable and write auth: {token_env: NAME}, "+
			"or use token_command, token_file or keyring; if the file was shared, revoke the secret", shown)
		return
	}
	r.fault(n, "%s is not a key of %s; valid keys: %s", shown, what, strings.Join(valid, ", "))
}

func find(keys []key, name string) (key, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

func isNull(n ast.Node) bool {
	return n == nil || n.Type() == ast.NullType
}
