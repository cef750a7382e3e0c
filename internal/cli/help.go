package cli

import (
	"flag"
	"strings"
)

// overviewHelp is the help of frank as a whole.
func overviewHelp(width int) string {
	var b strings.Builder
	b.WriteString("frank answers about trackers, repositories and documents, and says with every\nanswer what may be concluded from it.\n\n")
	b.WriteString("Usage: frank [COMMAND] [FLAGS]\n\nCommands:\n")
	var rows [][2]string
	for _, c := range commandTable() {
		rows = append(rows, [2]string{strings.TrimSpace(c.name + " " + c.words), c.summary})
	}
	described(&b, rows, width)
	b.WriteString("\nFlags of every command:\n")
	fs := flagSet("")
	new(globals).register(fs)
	described(&b, flagRows(fs), width)
	b.WriteString("\nfrank help COMMAND shows the flags of a command, frank help call TOOL the\narguments of a tool.")
	return b.String()
}

func (c command) help(width int) string {
	var b strings.Builder
	b.WriteString(wrap("Usage: "+strings.TrimSpace("frank "+c.name+" [FLAGS] "+c.words), width, 2) + "\n\n" + wrap(c.summary, width, 0) + "\n")
	if c.words != "" {
		b.WriteString("\nArguments:\n")
		described(&b, c.explained(), width)
	}
	own, all := flagSet(""), flagSet("")
	c.new().register(own)
	new(globals).register(all)
	if rows := flagRows(own); rows != nil {
		b.WriteString("\nFlags:\n")
		described(&b, rows, width)
	}
	b.WriteString("\nFlags of every command:\n")
	described(&b, flagRows(all), width)
	return b.String()
}

// explained are the words of the command, each with what it is.
func (c command) explained() [][2]string {
	switch c.name {
	case "escalations":
		return [][2]string{
			{"list", "those that are open; the same as no word at all"},
			{"show ID", "one of them with all that was kept of it"},
			{"resolve ID", "answer it: the agent goes on from --note"},
			{"reject ID", "decide against it; --note says why"},
			{"stats", "how many there were, how long they took and how they ended"},
		}
	case "learn":
		return [][2]string{
			{"list", "all spellings with their ids; the same as no word at all"},
			{"promote NAME", "use one from now on, by its id or by the name that was said"},
			{"reject NAME", "use it no more, and do not suggest it again"},
		}
	case "lab":
		return [][2]string{
			{"run FILE…", "compare the answers of the live sources with the cases in these files"},
			{"faults", "show what an agent would see of each fault; asks no source"},
		}
	case "call":
		return callWords()
	default:
		return nil
	}
}

func callWords() [][2]string {
	return [][2]string{
		{"TOOL", "name of the tool; without one the tools are listed, and frank call TOOL --help shows its arguments"},
		{"key=value", "argument of the tool; repeat the key for a list, or give a JSON array; values of a closed list may be joined by commas"},
		{"key=@FILE", "the value is what the file holds; @- is standard input, @@TEXT is the text @TEXT"},
		{"'{…}'", "all arguments as one JSON object"},
	}
}

func flagRows(fs *flag.FlagSet) (rows [][2]string) {
	fs.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		rows = append(rows, [2]string{strings.TrimSpace("--" + f.Name + " " + value), text})
	})
	return rows
}

// maxTerm is how long a term may be that has its text beside it; the text of a longer
// one begins on the next line.
const maxTerm = 24

// described writes terms with their text beside them.
func described(b *strings.Builder, rows [][2]string, width int) {
	column := 0
	for _, r := range rows {
		if n := len([]rune(r[0])); n <= maxTerm {
			column = max(column, n+4)
		}
	}
	column = max(column, 8)
	for _, r := range rows {
		gap := "\n" + strings.Repeat(" ", column)
		if n := len([]rune(r[0])); n <= maxTerm {
			gap = strings.Repeat(" ", column-2-n)
		}
		b.WriteString("  " + r[0] + gap + wrap(r[1], width, column) + "\n")
	}
}
