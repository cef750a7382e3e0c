package config

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// text reads a text that is not blank. A number or a truth value is refused:
// its spelling would be lost.
func (r *reader) text(n ast.Node, name string) (string, bool) {
	var s string
	switch v := n.(type) {
	case *ast.StringNode:
		s = v.Value
	case *ast.LiteralNode:
		if v.Value != nil {
			s = v.Value.Value
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		r.fault(n, "%s must be text; put the value in quotes", name)
		return "", false
	default:
		if r.plain(n) {
			r.fault(n, "%s must be one text", name)
		}
		return "", false
	}
	if strings.TrimSpace(s) == "" {
		r.fault(n, "%s is empty; give it a value or remove the key", name)
		return "", false
	}
	return s, true
}

func (r *reader) boolean(n ast.Node, name string) bool {
	if b, ok := n.(*ast.BoolNode); ok {
		return b.Value
	}
	if r.plain(n) {
		r.fault(n, "%s must be true or false", name)
	}
	return false
}

// onlyTrue reads a key whose one sensible value is true.
func (r *reader) onlyTrue(n ast.Node, name string) bool {
	b, ok := n.(*ast.BoolNode)
	if ok && b.Value {
		return true
	}
	r.fault(n, "%s can only be true; remove the key to choose another way", name)
	return false
}

// someTexts is texts where none at all makes no sense.
func (r *reader) someTexts(n ast.Node, name string) []string {
	if seq, ok := n.(*ast.SequenceNode); ok && len(seq.Values) == 0 {
		r.fault(n, "%s is an empty list; list something or remove the key", name)
	}
	return r.texts(n, name)
}

func (r *reader) texts(n ast.Node, name string) []string {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		if r.plain(n) {
			r.fault(n, "%s must be a list, such as [one, two]", name)
		}
		return nil
	}
	var list []string
	for _, v := range seq.Values {
		if s, ok := r.text(v, "an entry of "+name); ok {
			list = append(list, s)
		}
	}
	return list
}

// span is the range a duration may have.
type span struct{ low, high time.Duration }

func (r *reader) duration(n ast.Node, name string, within span) (time.Duration, bool) {
	var s string
	switch v := n.(type) {
	case *ast.StringNode:
		s = v.Value
	case *ast.IntegerNode, *ast.FloatNode:
		s = n.GetToken().Value
	default:
		if r.plain(n) {
			r.fault(n, "%s must be a duration such as 20s", name)
		}
		return 0, false
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		r.fault(n, "%s: %s is not a duration; write a number with a unit, such as 500ms, 20s or 2m", name, show(s))
		return 0, false
	}
	if d < within.low || d > within.high {
		r.fault(n, "%s must be between %s and %s", name, within.low, within.high)
		return 0, false
	}
	return d, true
}

// place makes a path of the file absolute: relative ones count from the
// folder of the file, so that it means the same wherever frank is started.
func (r *reader) place(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(r.path), path)
}
