package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/status"
)

// initCommand sets frank up: it finds or asks for the sources, proves each by the
// probe of the doctor, and writes the configuration only then. No secret passes
// through it: what it keeps, shows and writes is where a credential is.
type initCommand struct {
	yes, writes, keep, json bool
	sources                 repeated
}

func (c *initCommand) register(fs *flag.FlagSet) {
	fs.BoolVar(&c.yes, "yes", false, "ask nothing: take what is found on this machine, or the sources of --source")
	fs.Var(&c.sources, "source", "with --yes: a source as `KEY=VALUE,…`, repeatable; keys: "+strings.Join(sourceKeys(), ", ")+"; what is missing is taken from what is found on this machine")
	fs.BoolVar(&c.writes, "writes", false, "with --yes: let the tools change things (writes: true)")
	fs.BoolVar(&c.keep, "keep-unproved", false, "with --yes: write the file although a source could not be proved")
	fs.BoolVar(&c.json, "json", false, "with --yes: print what became of it as JSON and nothing else")
}

// run asks or, with --yes, does not.
func (c *initCommand) run(r *run, _ []string) error {
	if !c.yes && (len(c.sources) > 0 || c.writes || c.keep || c.json) {
		return usage("--source, --writes, --keep-unproved and --json go with --yes; without it frank init asks")
	}
	path, err := target(r.config)
	if err != nil {
		return err
	}
	place, err := config.SystemPlace()
	if err != nil {
		return err
	}
	s := &setup{run: r, place: place, path: path}
	if c.yes {
		return s.unattended(c)
	}
	return s.attended()
}

// setup is one run of frank init.
type setup struct {
	*run
	place config.DefaultPlace
	path  string // of the file to be written, absolute
}

// target is where the file will be: --config, else $FRANK_CONFIG, else the working
// directory. That it can be written is proved before anything is asked.
func target(flagged string) (string, error) {
	path, err := filepath.Abs(cmp.Or(flagged, os.Getenv("FRANK_CONFIG"), config.FileName))
	if err != nil {
		return "", err
	}
	if err := vacant(path); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".frank-init-*")
	if err != nil {
		return "", exit{exitFailed, "no file can be made in " + clean(filepath.Dir(path)) + " (" + cause(err) + "); choose another place with --config FILE"}
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	return path, nil
}

// vacant refuses a path at which there is something: what a person wrote there may be
// nowhere else.
func vacant(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return usage(clean(path) + " is there already, and frank init overwrites nothing; nothing was changed.\n" +
			"Add sources to it by hand, write another file with frank init --config FILE, or move it away first.\nfrank doctor shows what it can do.")
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return exit{exitFailed, clean(path) + " cannot be reached (" + cause(err) + "); choose another place with --config FILE"}
}

// cause is what the system says, without the path.
func cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// save writes the file if there is still none, whole or not at all. It holds no
// secret, but says where they are: only the account itself may read it.
func (s *setup) save(text string) error {
	f, err := os.CreateTemp(filepath.Dir(s.path), ".frank-init-*") // with mode 0600
	if err != nil {
		return s.unsaved(err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return s.unsaved(err)
	}
	err = os.Link(f.Name(), s.path) // unlike a renamed file, it replaces none
	if err == nil {
		return nil
	}
	if err := vacant(s.path); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), s.path); err != nil { // a file system without links
		return s.unsaved(err)
	}
	return nil
}

func (s *setup) unsaved(err error) error {
	return exit{exitFailed, clean(s.path) + " cannot be written (" + cause(err) + "); nothing was changed"}
}

// parse reads sources as the file that they will be.
func (s *setup) parse(sources []config.Source, writes bool) (*config.Config, error) {
	return config.Parse(s.path, []byte(config.Render(sources, writes)), connected()...)
}

// faults says what is wrong with a source, nil if nothing is. The texts repeat no
// value that may be a secret.
func (s *setup) faults(source config.Source) []string {
	_, err := s.parse([]config.Source{source}, false)
	var faults config.Faults
	if !errors.As(err, &faults) {
		return nil
	}
	texts := make([]string, 0, len(faults))
	for _, f := range faults {
		texts = append(texts, f.Text)
	}
	return texts
}

// found are the sources that the machine speaks of and this version connects.
func (s *setup) found() []config.Found {
	all := s.place.Discover(s.ctx)
	for i, f := range all {
		if f.Source.Provider == config.Local {
			all[i].Source.Root = s.root(f.Source.Root)
		}
	}
	return slices.DeleteFunc(all, func(f config.Found) bool { return !slices.Contains(connected(), f.Source.Provider) })
}

// root is a directory as the file names it: from its own folder, if one of them is in
// the other.
func (s *setup) root(dir string) string {
	from, err := filepath.EvalSymlinks(filepath.Dir(s.path))
	if err != nil {
		return dir
	}
	there, err := filepath.Rel(from, dir)
	if err != nil || !filepath.IsLocal(there) && strings.Trim(there, "./\\") != "" {
		return dir
	}
	return filepath.ToSlash(there)
}

// unique is a name that no source has yet.
func unique(name string, sources []config.Source) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(sources, func(s config.Source) bool { return s.Name == name })
	}
	free := name
	for n := 2; taken(free); n++ {
		free = name + "-" + strconv.Itoa(n)
	}
	return free
}

// named gives a source its name, also where its credential is looked up by it.
func named(s config.Source, name string) config.Source {
	s.Name, s.Auth.Source, s.Auth.Provider = name, name, s.Provider
	return s
}

// outcome is what frank init --yes --json prints.
type outcome struct {
	Config   string       `json:"config"`
	Written  bool         `json:"written"`
	Unproved []string     `json:"unproved"` // names of sources
	Manifest app.Manifest `json:"manifest"`
}

// unattended asks nothing. The file is written if every source is proved, or if that
// is not asked for.
func (s *setup) unattended(c *initCommand) error {
	sources, err := s.given(c.sources)
	if err != nil {
		return err
	}
	p, err := s.prove(sources, c.writes)
	if err != nil {
		return err
	}
	o := outcome{Config: s.path, Unproved: p.unproved(), Manifest: p.m}
	o.Written = len(o.Unproved) == 0 || c.keep
	if o.Written {
		if err := s.save(config.Render(sources, c.writes)); err != nil {
			return err
		}
	}
	if err := s.tell(c, o, p); err != nil {
		return err
	}
	switch {
	case !o.Written:
		return exit{exitNone, "nothing was written, since " + strings.Join(o.Unproved, ", ") + " could not be proved.\n" +
			"Repair that, name the sources that count with --source, or keep all with --keep-unproved."}
	case readiness(p.m) != nil:
		return exit{code: exitPartial}
	}
	return nil
}

// tell shows what became of it.
func (s *setup) tell(c *initCommand, o outcome, p proof) error {
	if c.json {
		raw, err := json.Marshal(o)
		if err != nil {
			return err
		}
		return s.print(raw)
	}
	out := screenOf(s.Out)
	text := strings.TrimLeft(p.report(out, c.writes), "\n")
	if o.Written {
		text += "\nWrote " + clean(s.path) + ":\n\n" + config.Render(p.sources, c.writes) + "\n" + s.snippets(p.sources)
	}
	_, err := s.Out.WriteString(text)
	return err
}

// given are the sources of --source, or those that are found.
func (s *setup) given(flags []string) ([]config.Source, error) {
	found := s.found()
	var sources []config.Source
	for _, f := range flags {
		source, err := s.fromFlag(f, found, sources)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	if len(flags) == 0 {
		for _, f := range found {
			source, err := s.complete(f.Source)
			if err != nil {
				return nil, err
			}
			sources = append(sources, source)
		}
	}
	if len(sources) == 0 {
		return nil, usage("nothing was found to connect: no checkout around " + clean(s.place.Dir) + ", no token of GitHub, no address of another provider in the environment.\n" +
			"Name a source, such as --source provider=redmine,base_url=https://redmine.example.org,token_env=REDMINE_API_KEY")
	}
	if _, err := s.parse(sources, false); err != nil {
		return nil, err
	}
	return sources, nil
}

// complete gives a source a credential if it has none.
func (s *setup) complete(source config.Source) (config.Source, error) {
	if source.Auth.Method != config.MethodUnset || source.Provider == config.Local {
		return source, nil
	}
	about, _ := config.SetupOf(source.Provider)
	best, ok := config.Best(s.place.Offers(s.ctx, source))
	switch {
	case ok:
		source.Auth = best.Auth
	case s.place.Stored(s.ctx, source.Name):
		source.Auth.Method = config.MethodKeyring
	case about.Public:
		source.Auth.Method = config.MethodNone
	default:
		also := ""
		if about.InPairs(source.BaseURL) {
			also = " and user_env=NAME or user=E-MAIL"
		}
		return source, usage(fmt.Sprintf("no credential for source %s (%s) was found; name one with --source provider=%s,…,token_env=NAME%s, or none=true to ask anonymously",
			source.Name, status.Line(source.BaseURL, 80), source.Provider, also))
	}
	return named(source, source.Name), nil
}
