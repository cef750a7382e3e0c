package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/status"
)

// File is a file of cases; docs/lab.md describes it.
type File struct {
	Path  string
	Cases []Case
}

// Case is one call and what is expected of its answer.
type Case struct {
	Name      string    `yaml:"name"`
	Tool      string    `yaml:"tool"`
	Arguments arguments `yaml:"arguments"`
	Expect    Expect    `yaml:"expect"`
	// Mutates says that the case changes something; then Cleanup undoes it.
	Mutates bool     `yaml:"mutates"`
	Cleanup *Cleanup `yaml:"cleanup"`
}

// Expect says what an answer must be. What is not set may be anything; a result
// that the contract does not allow is never right.
type Expect struct {
	Status    oneOf  `yaml:"status"`
	Code      oneOf  `yaml:"code"`
	Reasons   oneOf  `yaml:"reasons"` // one of them, where there is a failure
	Retryable *bool  `yaml:"retryable"`
	MinItems  *int   `yaml:"min_items"`
	MaxItems  *int   `yaml:"max_items"`
	Contains  string `yaml:"contains"` // in data or summary
	// UncaughtServerError is whether frank itself may, and must, have failed.
	UncaughtServerError bool `yaml:"uncaught_server_error"`
}

// Cleanup is the call that undoes a case. Its arguments may refer to what the case
// answered: ${item.ref} is data.item.ref.
type Cleanup struct {
	Tool      string    `yaml:"tool"`
	Arguments arguments `yaml:"arguments"`
}

// arguments is a JSON object.
type arguments json.RawMessage

// UnmarshalYAML keeps the arguments as the tool gets them.
func (a *arguments) UnmarshalYAML(b []byte) error {
	raw, err := yaml.YAMLToJSON(b)
	if err != nil {
		return err
	}
	*a = arguments(strings.TrimSpace(string(raw)))
	return nil
}

// oneOf is a list, or its only element.
type oneOf []string

// UnmarshalYAML reads either.
func (o *oneOf) UnmarshalYAML(unmarshal func(any) error) error {
	var one string
	if unmarshal(&one) == nil {
		*o = oneOf{one}
		return nil
	}
	return unmarshal((*[]string)(o))
}

// maxFile is the largest file that is read.
const maxFile = 1 << 20

// Read reads files of cases for these tools. The error is of type [config.Faults]
// and lists what is wrong in each; nothing may be run then.
func Read(paths []string, tools []Tool) ([]File, error) {
	var files []File
	var faults config.Faults
	for _, path := range paths {
		r := reader{path: path, tools: tools}
		files = append(files, File{path, r.cases()})
		faults = append(faults, r.faults...)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return files, nil
}

type reader struct {
	path   string
	tools  []Tool
	faults config.Faults
}

func (r *reader) fault(at ast.Node, format string, args ...any) {
	f := config.Fault{Path: r.path, Text: fmt.Sprintf(format, args...)}
	if at != nil && at.GetToken() != nil && at.GetToken().Position != nil {
		f.Line, f.Column = at.GetToken().Position.Line, at.GetToken().Position.Column
	}
	r.faults = append(r.faults, f)
}

// wrong notes an error of the YAML library.
func (r *reader) wrong(at ast.Node, err error) {
	var known yaml.Error
	if !errors.As(err, &known) {
		r.fault(at, "this cannot be read as a case")
		return
	}
	f := config.Fault{Path: r.path, Text: known.GetMessage()}
	if t := known.GetToken(); t != nil && t.Position != nil {
		f.Line, f.Column = t.Position.Line, t.Position.Column
	}
	r.faults = append(r.faults, f)
}

func (r *reader) cases() []Case {
	info, err := os.Stat(r.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		r.fault(nil, "is no readable file of at most 1 MiB")
		return nil
	}
	data, err := os.ReadFile(r.path)
	if err != nil {
		r.fault(nil, "cannot be read")
		return nil
	}
	body := r.body(data)
	if body == nil {
		return nil
	}
	var file struct {
		Cases []ast.Node `yaml:"cases"`
	}
	if err := yaml.NodeToValue(body, &file, yaml.Strict()); err != nil {
		r.wrong(body, err)
		return nil
	}
	if len(file.Cases) == 0 {
		r.fault(body, "cases is empty; a file without a case proves nothing")
	}
	var out []Case
	for _, n := range file.Cases {
		var c Case
		if err := yaml.NodeToValue(n, &c, yaml.Strict()); err != nil {
			r.wrong(n, err)
			continue
		}
		r.check(n, c)
		if slices.ContainsFunc(out, func(o Case) bool { return o.Name == c.Name }) {
			r.fault(n, "the name %q is taken by a case above", c.Name)
		}
		out = append(out, c)
	}
	return out
}

// body is the one document of the file. The parser may panic on what is no YAML.
func (r *reader) body(data []byte) (body ast.Node) {
	defer func() {
		if recover() != nil {
			r.fault(nil, "this is not valid YAML")
			body = nil
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		r.wrong(nil, err)
		return nil
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentGroupType {
			continue
		}
		if body != nil {
			r.fault(doc.Body, "a second document begins here; keep one")
			return nil
		}
		body = doc.Body
	}
	if body == nil {
		r.fault(nil, "the file has no cases")
	}
	return body
}

// check says what is wrong with a case that could be read.
func (r *reader) check(n ast.Node, c Case) {
	if c.Name == "" {
		r.fault(n, "the case has no name")
	}
	r.tool(n, c.Tool, c.Arguments)
	if c.Cleanup != nil {
		r.tool(n, c.Cleanup.Tool, c.Cleanup.Arguments)
	}
	if c.Cleanup != nil && !c.Mutates {
		r.fault(n, "cleanup belongs to a case with mutates: true")
	}
	e := c.Expect
	if e.String() == "" {
		r.fault(n, "the case expects nothing; name at least a status or a code")
	}
	for _, s := range e.Status {
		if _, err := status.ParseStatus(s); err != nil {
			r.fault(n, "status %q does not exist", s)
		}
	}
	for _, s := range e.Code {
		if _, err := status.ParseCode(s); err != nil {
			r.fault(n, "code %q does not exist", s)
		}
	}
	for _, s := range e.Reasons {
		if _, known := status.ReasonNamed(s); !known {
			r.fault(n, "reason %q does not exist", s)
		}
	}
}

func (r *reader) tool(n ast.Node, name string, args arguments) {
	if !slices.ContainsFunc(r.tools, func(t Tool) bool { return t.Name == name }) {
		r.fault(n, "there is no tool %q", name)
	}
	if len(args) > 0 && args[0] != '{' {
		r.fault(n, "arguments must be keys with values")
	}
}
