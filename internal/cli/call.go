package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"log/slog"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/status"
)

type callCommand struct{ json, text, raw bool }

func (c *callCommand) register(fs *flag.FlagSet) {
	fs.BoolVar(&c.json, "json", false, "print the structured result and nothing else")
	fs.BoolVar(&c.json, "structured", false, "the same as --json")
	fs.BoolVar(&c.text, "text", false, "print the text channel as it is sent")
	fs.BoolVar(&c.raw, "raw", false, "print the whole MCP result: both channels, isError and _meta")
}

// run answers one call and returns what the exit status says about it.
func (c *callCommand) run(r *run, words []string) error {
	if c.json && c.text || c.json && c.raw || c.text && c.raw {
		return usage("--json, --text and --raw exclude each other")
	}
	name := ""
	if len(words) > 0 {
		name, words = words[0], words[1:]
	}
	a, err := r.start(r.logger(slog.LevelError))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(a.Tools(), func(t app.Tool) bool { return t.Name == name })
	if i < 0 {
		return usage(noTool(name, a.Tools()))
	}
	arguments, err := read(words, a.Tools()[i].InputSchema, r.In)
	if err != nil {
		return err
	}
	reply := a.Call(r.ctx, name, arguments)
	if err := c.show(r, reply); err != nil {
		return err
	}
	return verdict(reply)
}

func noTool(name string, tools []app.Tool) string {
	rows := make([][]string, 0, len(tools))
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		rows, names = append(rows, []string{"  " + t.Name, t.Title}), append(names, t.Name)
	}
	list := "\n" + strings.Join(table(rows), "\n")
	if name == "" {
		return "call needs a tool; there are" + list + "\nRun frank call TOOL --help to see the arguments of one."
	}
	return noSuch("tool", name, names) + list
}

// explain prints what the tool is for and what it takes. The tools are the same
// under every configuration, so that one with faults does not keep them from being
// looked up.
func (c *callCommand) explain(r *run, words []string) error {
	a, err := app.Later(func() *config.Config { return &config.Config{} }, app.Options{Version: version()})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(a.Tools(), func(t app.Tool) bool { return t.Name == words[0] })
	if i < 0 {
		return usage(noTool(words[0], a.Tools()))
	}
	say(r.Out, toolHelp(a.Tools()[i], screenOf(r.Out).width))
	return nil
}

// verdict is nil for success and empty. All has been said by then. A call whose
// arguments cannot be used was called wrongly: to a script that is no failure of
// access, though the answer has the same status.
func verdict(reply app.Reply) error {
	var v struct {
		Status  string `json:"status"`
		Code    string `json:"code"`
		Failure struct {
			Stage  string `json:"stage"`
			Called string `json:"api_called"`
		} `json:"failure"`
	}
	if json.Unmarshal(reply.Structured, &v) != nil {
		return exit{code: exitNone}
	}
	switch v.Status {
	case status.Success.String(), status.Empty.String():
		return nil
	case status.Partial.String():
		return exit{code: exitPartial}
	}
	// What the source itself refused is no slip of the command line.
	if v.Code == status.InputMissing.String() && v.Failure.Stage == status.BindRequest.String() && v.Failure.Called == status.NotCalled.String() {
		return exit{code: exitUsage}
	}
	return exit{code: exitNone}
}

func (c *callCommand) show(r *run, reply app.Reply) error {
	switch {
	case c.json:
		return r.print(reply.Structured)
	case c.text:
		say(r.Out, reply.Text)
		return nil
	case c.raw:
		raw, err := rawResult(reply)
		if err != nil {
			return err
		}
		return r.print(raw)
	}
	_, err := r.Out.WriteString(readable(screenOf(r.Out), reply))
	return err
}

// print writes JSON, indented where a person looks at it.
func (r *run) print(raw json.RawMessage) error {
	var b bytes.Buffer
	if screenOf(r.Out).terminal {
		if err := json.Indent(&b, raw, "", "  "); err != nil {
			return err
		}
	} else {
		b.Write(raw)
	}
	b.WriteByte('\n')
	_, err := r.Out.Write(b.Bytes())
	return err
}

// rawResult is the reply in the shape that MCP gives it.
func rawResult(reply app.Reply) (json.RawMessage, error) {
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	return json.Marshal(struct {
		Meta       map[string]json.RawMessage `json:"_meta,omitempty"`
		Content    []content                  `json:"content"`
		Structured json.RawMessage            `json:"structuredContent"`
		IsError    bool                       `json:"isError"`
	}{reply.Meta, []content{{"text", reply.Text}}, reply.Structured, reply.IsError})
}
