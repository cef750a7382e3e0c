package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/status"
)

// globals are the flags that every command has.
type globals struct {
	config    string
	logFormat string
	logLevel  string
	events    bool
}

func (g *globals) register(fs *flag.FlagSet) {
	fs.StringVar(&g.config, "config", g.config, "configuration `FILE`; default: $FRANK_CONFIG, ./frank.yaml, then frank/frank.yaml in the user's configuration folder; without any, the checkout around the working directory")
	fs.StringVar(&g.logFormat, "log-format", g.logFormat, "`FORMAT` of the log on standard error: text (default) or json")
	fs.StringVar(&g.logLevel, "log-level", g.logLevel, "least `LEVEL` that is logged: debug, info, warn or error; default: info while serving, else error")
	fs.BoolVar(&g.events, "events", g.events, "write an event as one line of JSON to standard error when a call starts, is retried, fails or recovers, and when an escalation is opened or resolved")
}

func (g *globals) check() error {
	if !slices.Contains([]string{"", "text", "json"}, g.logFormat) {
		return usage("--log-format must be text or json")
	}
	if !slices.Contains([]string{"", "debug", "info", "warn", "error"}, g.logLevel) {
		return usage("--log-level must be debug, info, warn or error")
	}
	return nil
}

// action is a command with its flags as fields.
type action interface {
	// register declares the flags and their defaults.
	register(fs *flag.FlagSet)
	// run runs it with the words that are no flags.
	run(r *run, words []string) error
}

// command is one row of the help. The standard flag package reads the flags: what
// reads them through reflection makes the program half again as large, and every
// start slower by a tenth.
type command struct {
	name, words, summary string
	new                  func() action
}

// explainer is an action that has more to say about its words than its help.
type explainer interface {
	// explain prints the help for the words.
	explain(r *run, words []string) error
}

func commandTable() []command {
	return []command{
		{"stdio", "", "Serve MCP over standard input and output. This is what frank alone does.", func() action { return &stdioCommand{} }},
		{"serve", "", "Serve MCP over HTTP: Streamable HTTP at /mcp, HTTP+SSE at /sse and /message.", func() action { return &serveCommand{} }},
		{"init", "", "Ask what to connect, prove each source and write frank.yaml. Exit status: 0 written and all ready, 3 written and not all ready, 4 not proved and not written.", func() action { return &initCommand{} }},
		{"doctor", "", "Probe every source now and show what it can do. Exit status: 0 all ready, 3 some, 4 none.", func() action { return &doctorCommand{} }},
		{"call", "TOOL key=value …", "Call one tool and show the answer. Exit status: 0 success or empty, 3 partial, 4 access failure, 2 usage.", func() action { return &callCommand{} }},
		{"failures", "", "Show what earlier calls could not check and why, newest first.", func() action { return &failuresCommand{} }},
		{"escalations", "list | show ID | resolve ID | reject ID | stats", "Show what was handed to a person, and answer it.", func() action { return &escalationsCommand{} }},
		{"learn", "list|promote|reject [NAME]", "Show other spellings of names that were seen to work, and decide which of them are used.", func() action { return &learnCommand{} }},
		{"lab", "run FILE… | faults", "Check assertions against the live sources, or see what an agent sees of every fault. Exit status: 0 all hold, 1 some do not.", func() action { return &labCommand{} }},
		{"version", "", "Print the version. So does frank --version.", func() action { return &versionCommand{} }},
	}
}

// dispatch finds the command, reads its flags and runs it.
func dispatch(r *run, args []string) error {
	first := flagSet("frank")
	r.register(first)
	showVersion := first.Bool("version", false, "")
	err := first.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		say(r.Out, overviewHelp(screenOf(r.Out).width))
		return nil
	case err != nil:
		return flagError(err, "")
	case *showVersion:
		return new(versionCommand).run(r, nil)
	}
	name, rest := "stdio", first.Args()
	if len(rest) > 0 {
		name, rest = rest[0], rest[1:]
	}
	if name == "help" {
		if len(rest) == 0 || rest[0] == "help" || strings.HasPrefix(rest[0], "-") {
			say(r.Out, overviewHelp(screenOf(r.Out).width))
			return nil
		}
		name, rest = rest[0], append([]string{"--help"}, rest[1:]...)
	}
	table := commandTable()
	i := slices.IndexFunc(table, func(c command) bool { return c.name == name })
	if i < 0 {
		names := commandNames(table)
		return usage(noSuch("command", name, append(names, "help")) + " " + strings.Join(names, ", ") + "\nRun frank --help to see what they do.")
	}
	return table[i].start(r, rest)
}

func (c command) start(r *run, args []string) error {
	fs := flagSet(c.name)
	what := c.new()
	what.register(fs)
	r.register(fs)
	words, err := parse(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		if x, ok := what.(explainer); ok && len(words) > 0 {
			return x.explain(r, words)
		}
		say(r.Out, c.help(screenOf(r.Out).width))
		return nil
	case err != nil:
		return flagError(err, c.name)
	case len(words) > 0 && c.words == "":
		return usage(fmt.Sprintf("%s takes no argument %q\nRun frank %s --help to see its flags.", c.name, status.Line(words[0], 40), c.name))
	}
	if err := r.check(); err != nil {
		return err
	}
	return what.run(r, words)
}

func flagSet(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// flagError is a mistake in the flags. The flag package has no types for them and
// writes every flag with one dash, where all else here writes two.
func flagError(err error, command string) error {
	return usage(fmt.Sprintf("%s\nRun frank %s to see the flags.", twoDashes().Replace(err.Error()), strings.TrimSpace(command+" --help")))
}

func twoDashes() *strings.Replacer {
	var pairs []string
	for _, before := range []string{"not defined: -", "needs an argument: -", `" for flag -`, `" for -`} {
		pairs = append(pairs, before, before+"-")
	}
	return strings.NewReplacer(pairs...)
}

// parse reads flags wherever they stand; after -- all are words. What is asked for
// help about comes back with the error.
func parse(fs *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return append(words, slices.DeleteFunc(fs.Args(), func(arg string) bool { return strings.HasPrefix(arg, "-") })...), err
		}
		read := len(args) - fs.NArg()
		if fs.NArg() == 0 || read > 0 && args[read-1] == "--" {
			return append(words, fs.Args()...), nil
		}
		words, args = append(words, fs.Arg(0)), fs.Args()[1:]
	}
}

func commandNames(table []command) []string {
	names := make([]string, 0, len(table))
	for _, c := range table {
		names = append(names, c.name)
	}
	return names
}

// repeated is a flag that may be given several times.
type repeated []string

// String implements flag.Value.
func (r *repeated) String() string { return strings.Join(*r, " ") }

// Set implements flag.Value.
func (r *repeated) Set(v string) error {
	*r = append(*r, v)
	return nil
}
