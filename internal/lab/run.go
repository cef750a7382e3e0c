package lab

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/status"
)

// cleanupWithin bounds a clean-up, which also runs when the run was interrupted.
const cleanupWithin = time.Minute

// Run runs the cases one after another and tells each result when it is known.
func Run(ctx context.Context, t Target, files []File, tell func(Result)) []Result {
	var out []Result
	for _, f := range files {
		for _, c := range f.Cases {
			r := one(ctx, t, c)
			r.Suite, r.Name, r.Tool, r.Want = f.Path, c.Name, c.Tool, c.Expect.String()
			tell(r)
			out = append(out, r)
		}
	}
	return out
}

// one runs a case and always cleans up after it.
func one(ctx context.Context, t Target, c Case) Result {
	if problem := c.refusal(t.Tools()); problem != "" {
		return Result{State: Refused, Problems: []string{problem}}
	}
	if ctx.Err() != nil {
		return Result{State: Skipped, Problems: []string{"the run was interrupted before"}}
	}
	began := time.Now()
	reply := t.Call(ctx, c.Tool, c.Arguments.json())
	a, wrong := read(reply)
	r := Result{State: Passed, Got: a.verdict(), Summary: a.Summary, Problems: append(wrong, c.Expect.check(a)...)}
	if c.Mutates {
		if problem := c.Cleanup.run(ctx, t, a); problem != "" {
			r.Problems = append(r.Problems, problem)
		}
	}
	if r.Took = time.Since(began); len(r.Problems) > 0 {
		r.State = Failed
	}
	return r
}

// refusal is why the case is not run, or empty.
func (c Case) refusal(tools []Tool) string {
	writes := slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == c.Tool && t.Writes })
	switch {
	case writes && !c.Mutates:
		return status.CleanupNotConfigured.Name() + ": " + c.Tool + " changes something; say mutates: true and name a cleanup"
	case c.Mutates && c.Cleanup == nil:
		return status.CleanupNotConfigured.Name() + ": mutates is true and there is no cleanup"
	}
	return ""
}

// run undoes what the case did and says what is left, or nothing. The context of
// the run does not end it. Where nothing was changed there is nothing to undo.
func (c *Cleanup) run(ctx context.Context, t Target, a answer) string {
	failed := status.CleanupFailed.Name() + ": "
	args, missing := fill(c.Arguments.json(), a)
	if missing != "" {
		if a.untouched() {
			return ""
		}
		return failed + "the answer has no " + missing + "; what the case changed, if it did, is still there"
	}
	if a.untouched() {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupWithin)
	defer cancel()
	done, wrong := read(t.Call(ctx, c.Tool, args))
	if len(wrong) > 0 || done.Status != status.Success.String() {
		left := first(a.told("ref"), a.told("url"), "what the case changed")
		return failed + c.Tool + " answered " + done.verdict() + "; still there: " + left
	}
	return ""
}

func first(texts ...string) string {
	return texts[slices.IndexFunc(texts, func(t string) bool { return t != "" })]
}

// told is a text of the item, or empty.
func (a answer) told(key string) string {
	v, _ := a.lookUp("item." + key)
	return strings.Trim(string(v), `"`)
}

func (a arguments) json() json.RawMessage {
	if len(a) == 0 {
		return json.RawMessage("{}")
	}
	return json.RawMessage(a)
}

// fill puts what the case answered in the place of ${path} in every text of the
// arguments. Missing names a path that the answer does not have.
func fill(args json.RawMessage, a answer) (filled json.RawMessage, missing string) {
	var b strings.Builder
	rest := string(args)
	for {
		before, after, found := strings.Cut(rest, "${")
		b.WriteString(before)
		if !found {
			return json.RawMessage(b.String()), ""
		}
		path, next, closed := strings.Cut(after, "}")
		v, ok := a.lookUp(path)
		if !closed || !ok {
			return nil, "${" + status.Line(path, 60) + "}"
		}
		b.WriteString(strings.TrimSuffix(strings.TrimPrefix(string(v), `"`), `"`)) // inside the quotes of the text
		rest = next
	}
}

// lookUp finds a text or number in the data by keys and indices with dots between.
func (a answer) lookUp(path string) (json.RawMessage, bool) {
	data, err := json.Marshal(a.Data)
	if err != nil {
		return nil, false
	}
	at := json.RawMessage(data)
	for key := range strings.SplitSeq(path, ".") {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		switch i, err := strconv.Atoi(key); {
		case json.Unmarshal(at, &object) == nil && object != nil:
			at = object[key]
		case err == nil && json.Unmarshal(at, &list) == nil && i >= 0 && i < len(list):
			at = list[i]
		default:
			return nil, false
		}
	}
	ok := len(at) > 0 && strings.IndexByte(`"-0123456789`, at[0]) >= 0 && string(at) != `""`
	return at, ok
}
