package cli

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
)

// talk is frank init with a person.
type talk struct {
	*setup
	d       dialogue
	known   []config.Found
	sources []config.Source // that were taken
	writes  bool
}

// attended asks for the sources, proves each, and writes the file when a person has
// seen it.
func (s *setup) attended() error {
	t := &talk{setup: s, d: dialogue{s.run, screenOf(s.Err)}}
	t.d.prose("frank init asks what to connect, proves each source by asking it, and then writes a configuration. It writes where a credential is, never what it is. Enter takes what stands in [brackets]; Ctrl-C leaves everything as it was.")
	t.d.say("\nThe file will be " + clean(s.path) + ".\n\nWhat can be connected:")
	t.known = s.found()
	chosen, err := t.providers()
	if err != nil {
		return err
	}
	if t.writes, err = t.d.sure("May the tools of frank change and create issues? It can be changed in the file later", false); err != nil {
		return err
	}
	for len(chosen) > 0 {
		for _, provider := range chosen {
			if err := t.add(provider); err != nil {
				return err
			}
		}
		if chosen, err = t.another(); err != nil {
			return err
		}
	}
	return t.finish()
}

// providers asks which providers to connect; what was found is the default.
func (t *talk) providers() ([]string, error) {
	var rows []choice
	var otherwise []string
	for _, s := range config.Setups() {
		if !slices.Contains(connected(), s.Provider) {
			continue
		}
		text := "nothing was found"
		if f, ok := t.foundOf(s.Provider); ok {
			text = strings.Trim(strings.Join([]string{f.Source.DefaultProject, "found: " + f.Text}, ", "), ", ")
			otherwise = append(otherwise, strconv.Itoa(len(rows)+1))
		}
		rows = append(rows, choice{s.Provider, text})
	}
	return t.d.several("Which of them? Numbers or names", rows, strings.Join(otherwise, ","))
}

func (t *talk) foundOf(provider string) (config.Found, bool) {
	i := slices.IndexFunc(t.known, func(f config.Found) bool { return f.Source.Provider == provider })
	if i < 0 {
		return config.Found{}, false
	}
	return t.known[i], true
}

// another asks for one more source; none means that there are enough.
func (t *talk) another() ([]string, error) {
	names := connected()
	answer, err := t.d.ask("\nAnother source? Its provider, or no", "no", func(answer string) (string, string) {
		answer = strings.ToLower(answer)
		if answer == "no" || answer == "n" || slices.Contains(names, answer) {
			return answer, ""
		}
		return "", "answer no, or one of " + strings.Join(names, ", ")
	})
	if err != nil || answer == "no" || answer == "n" {
		return nil, err
	}
	return []string{answer}, nil
}

// add asks for one source until it is proved, kept all the same, or left out.
func (t *talk) add(provider string) error {
	source := config.Source{Provider: provider}
	if f, ok := t.foundOf(provider); ok && !slices.ContainsFunc(t.sources, func(s config.Source) bool { return s.Provider == provider }) {
		source = f.Source
	}
	source = named(source, unique(provider, t.sources))
	about, _ := config.SetupOf(provider)
	t.d.say("\n" + t.d.s.paint(bold, source.Name))
	if about.Token != "" {
		t.d.prose(about.Token)
	}
	change := true
	for {
		var err error
		if change {
			if source, err = t.details(source, about); err != nil {
				return err
			}
		}
		p, err := t.prove([]config.Source{source}, t.writes)
		if err != nil {
			return err
		}
		t.d.say(p.report(t.d.s, t.writes) + "\n")
		keep, again, err := t.verdict(p)
		switch {
		case err != nil:
			return err
		case keep:
			t.sources = append(t.sources, source)
			return nil
		case again == "":
			return nil
		}
		change = again == "change"
	}
}

// verdict is what a person makes of what the probe found: keep the source, look again
// ("retry", "change"), or leave it out.
func (t *talk) verdict(p proof) (keep bool, again string, err error) {
	state := p.m.Sources[0].State
	var rows []choice
	switch state {
	case app.Ready:
		t.d.prose("It is ready.")
		return true, "", nil
	case app.Degraded:
		rows = []choice{{"take", "it as it is: what is granted can be used"}, {"retry", "the probe"}, {"change", "the answers"}, {"skip", "this source"}}
	default:
		rows = []choice{{"retry", "the probe"}, {"change", "the answers"}, {"keep", "it all the same; it answers as it does now until that is repaired"}, {"skip", "this source"}}
	}
	i, err := t.d.choose("It is "+string(state)+". What now?", rows)
	if err != nil {
		return false, "", err
	}
	switch word := rows[i].word; word {
	case "take", "keep":
		return true, "", nil
	case "skip":
		return false, "", nil
	default:
		return false, word, nil
	}
}

// details asks for what the source is made of, with what is known as the default.
func (t *talk) details(source config.Source, about config.Setup) (config.Source, error) {
	var err error
	if source.Provider == config.Local {
		root := func(answer string) (string, string) {
			return answer, t.problem(source, func(s *config.Source) { s.Root = answer })
		}
		source.Root, err = t.d.ask("root, a directory seen from the folder of the file", cmp.Or(source.Root, "."), root)
		return source, err
	}
	address := func(answer string) (string, string) {
		answer = config.CompleteURL(source.Provider, answer)
		if answer == "" {
			return "", "an address is needed, such as " + about.Example
		}
		return answer, t.problem(source, func(s *config.Source) { s.BaseURL, s.DefaultProject, s.Insecure = answer, "", plainHTTP(answer) })
	}
	otherwise := source.BaseURL
	if otherwise == "" && source.Provider == config.GitHub {
		otherwise = about.Example
	}
	was := source.BaseURL
	if source.BaseURL, err = t.d.ask("base_url, such as "+about.Example, otherwise, address); err != nil {
		return source, err
	}
	if was != "" && was != source.BaseURL {
		source.Auth, source.DefaultProject = config.Auth{}, "" // they were for another address
	}
	if err := t.clear(&source); err != nil {
		return source, err
	}
	project := func(answer string) (string, string) {
		if answer == "none" {
			return "", ""
		}
		return answer, t.problem(source, func(s *config.Source) { s.DefaultProject = answer })
	}
	if source.DefaultProject, err = t.d.ask("default_project, "+about.Project+", or none", cmp.Or(source.DefaultProject, "none"), project); err != nil {
		return source, err
	}
	source.Auth, err = t.credential(source, about)
	return named(source, source.Name), err
}

// clear asks whether a credential may travel in the clear where the address says so.
func (t *talk) clear(source *config.Source) error {
	source.Insecure = false
	if t.faults(*source) == nil {
		return nil
	}
	sure, err := t.d.sure("With http:// the credential travels in the clear. Is that wanted?", false)
	if err != nil {
		return err
	}
	source.Insecure = sure
	if !sure {
		source.BaseURL = "https://" + strings.TrimPrefix(source.BaseURL, "http://")
		t.d.prose("Then it is asked by " + source.BaseURL + ".")
	}
	return nil
}

func plainHTTP(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.EqualFold(u.Scheme, "http")
}

// problem says what would be wrong with the source after a change, "" if nothing.
func (t *talk) problem(source config.Source, change func(*config.Source)) string {
	change(&source)
	return strings.Join(t.faults(source), "; ")
}

// finish shows the file, writes it if that is wanted, and prints the snippets.
func (t *talk) finish() error {
	if len(t.sources) == 0 {
		return exit{exitNone, "no source was kept, so nothing was written"}
	}
	text := config.Render(t.sources, t.writes)
	cfg, err := t.parse(t.sources, t.writes)
	if err != nil {
		return err
	}
	t.d.say("\nThe file:\n\n" + clean(text) + "\n")
	for _, w := range cfg.Check() {
		t.d.prose(strings.TrimPrefix(w.Source+": ", ": ") + w.Text)
	}
	sure, err := t.d.sure("Write this to "+clean(t.path)+"?", true)
	if err != nil {
		return err
	}
	if !sure {
		return exit{exitFailed, "nothing was written"}
	}
	if err := t.save(text); err != nil {
		return err
	}
	t.d.say("Written. To see what it can do:\n\n  frank doctor --config " + shellWord(t.path) + "\n\nTo tell the clients of it:")
	_, _ = t.Err.WriteString("\n")
	_, err = t.Out.WriteString(t.snippets(t.sources))
	return err
}
