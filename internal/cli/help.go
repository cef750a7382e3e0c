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
	b.WriteString("Usage: " + strings.TrimSpace("frank "+c.name+" [FLAGS] "+c.words) + "\n\n" + wrap(c.summary, width, 0) + "\n")
	if c.words != "" {
		b.WriteString("\nArguments:\n")
		described(&b, wordRows(), width)
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

// wordRows explains the words of call.
func wordRows() [][2]string {
	return [][2]string{
		{"TOOL", "name of the tool; without one the tools are listed, and frank call TOOL --help shows its arguments"},
		{"key=value", "argument of the tool; repeat the key for a list, or give a JSON array"},
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

// described writes terms with their text beside them.
func described(b *strings.Builder, rows [][2]string, width int) {
	column := 0
	for _, r := range rows {
		column = max(column, len([]rune(r[0]))+4)
	}
	for _, r := range rows {
		b.WriteString("  " + r[0] + strings.Repeat(" ", column-2-len([]rune(r[0]))) + wrap(r[1], width, column) + "\n")
	}
}
