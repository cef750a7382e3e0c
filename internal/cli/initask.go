package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxAnswer bounds one answer of a person.
const maxAnswer = 4 << 10

// dialogue asks a person line by line, on standard error: standard output is for what
// was asked for. It needs no more of a terminal than that it shows lines, and reads
// answers from a pipe as well.
type dialogue struct {
	*run
	s screen
}

// say says lines; an empty one at the end stays.
func (d dialogue) say(text string) {
	say(d.Err, text)
	if strings.HasSuffix(text, "\n\n") || text == "\n" {
		say(d.Err, "")
	}
}

// prose says a text of several words, as wide as the screen.
func (d dialogue) prose(text string) { d.say(wrap(clean(text), d.s.width, 0)) }

// line reads one line, byte by byte: what follows it may be for a program that frank
// starts.
func (d dialogue) line() (string, error) {
	type read struct {
		text string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		var line []byte
		one := make([]byte, 1)
		for {
			n, err := d.In.Read(one)
			switch {
			case n == 1 && one[0] == '\n', n == 1 && len(line) == maxAnswer:
				done <- read{string(line), nil}
				return
			case n == 1:
				line = append(line, one[0])
			case err != nil:
				done <- read{string(line), err}
				return
			}
		}
	}()
	select {
	case <-d.ctx.Done():
		d.say("")
		return "", interrupted()
	case got := <-done:
		if !screenOf(d.In).terminal || got.err != nil {
			d.say("") // nothing else ended the line of the question
		}
		switch {
		case errors.Is(got.err, io.EOF) && got.text != "":
			return strings.TrimSpace(got.text), nil
		case got.err != nil:
			return "", exit{exitFailed, "the input ended before everything was answered; nothing was written.\nIn a script, frank init --yes asks nothing."}
		}
		return strings.TrimSpace(got.text), nil
	}
}

// ask asks until the answer is right. Check returns what the answer stands for, or what
// is wrong with it. An empty answer is the default.
func (d dialogue) ask(question, otherwise string, check func(string) (string, string)) (string, error) {
	for {
		shown := ""
		if otherwise != "" {
			shown = " [" + clean(otherwise) + "]"
		}
		_, _ = d.Err.WriteString(d.s.paint(bold, question) + shown + ": ")
		answer, err := d.line()
		if err != nil {
			return "", err
		}
		if answer == "" {
			answer = otherwise
		}
		got, problem := check(answer)
		if problem == "" {
			return got, nil
		}
		d.prose("  " + sentence(problem))
	}
}

// sure asks a question of yes or no.
func (d dialogue) sure(question string, otherwise bool) (bool, error) {
	shown := map[bool]string{true: "yes", false: "no"}[otherwise]
	answer, err := d.ask(question, shown, func(answer string) (string, string) {
		switch strings.ToLower(answer) {
		case "y", "yes":
			return "yes", ""
		case "n", "no":
			return "no", ""
		}
		return "", "answer yes or no"
	})
	return answer == "yes", err
}

// choice is one row of a menu: a word by which it may be chosen, and what it is.
type choice struct{ word, text string }

// menu shows rows with numbers.
func (d dialogue) menu(rows []choice) {
	var b strings.Builder
	list := make([][2]string, 0, len(rows))
	for i, c := range rows {
		list = append(list, [2]string{fmt.Sprintf("%2d  %s", i+1, c.word), clean(c.text)})
	}
	described(&b, list, d.s.width)
	d.say(b.String())
}

// choose asks for one row of a menu, by number or word, and returns its index.
func (d dialogue) choose(question string, rows []choice) (int, error) {
	d.menu(rows)
	answer, err := d.ask(question, "1", func(answer string) (string, string) {
		i := row(answer, rows)
		if i < 0 {
			return "", fmt.Sprintf("answer with a number from 1 to %d", len(rows))
		}
		return strconv.Itoa(i), ""
	})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(answer)
}

// several asks for any rows of a menu, and returns their words.
func (d dialogue) several(question string, rows []choice, otherwise string) ([]string, error) {
	d.menu(rows)
	answer, err := d.ask(question, otherwise, func(answer string) (string, string) {
		var words []string
		for _, part := range strings.FieldsFunc(answer, func(c rune) bool { return c == ',' || c == ' ' || c == ';' }) {
			i := row(part, rows)
			if i < 0 {
				return "", fmt.Sprintf("answer with numbers from 1 to %d, or with names, apart by commas", len(rows))
			}
			if !slices.Contains(words, rows[i].word) {
				words = append(words, rows[i].word)
			}
		}
		if words == nil {
			return "", "choose one at least, or end this with Ctrl-C"
		}
		return strings.Join(words, ","), ""
	})
	if err != nil {
		return nil, err
	}
	return strings.Split(answer, ","), nil
}

// row is the index of the row that an answer means, -1 if it means none.
func row(answer string, rows []choice) int {
	if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(rows) {
		return n - 1
	}
	return slices.IndexFunc(rows, func(c choice) bool { return strings.EqualFold(c.word, answer) })
}
