// Package replay is the recorded upstream of the tests: cases in text files, and
// an [http.RoundTripper] that answers from them and from nothing else. A request
// that no exchange covers fails the test and is printed, and so does an exchange
// that no request used.
//
// It knows no provider and is imported by tests only. It never opens a
// connection.
//
// A case is a txtar archive:
//
//	What it proves, in words.
//	ordered                       (optional line: the exchanges come in this order)
//	-- config.yaml --             the configuration
//	-- file docs/a.md --          files of a directory that the case needs
//	-- after docs/a.md --         what such a file holds when all calls have been
//	                              answered; with any of these, all other files are
//	                              as they were, and there are no more
//	-- call.json --               {"tool": "…", "arguments": {…}}; then call 2.json, …
//	-- exchange --                then exchange 2, …
//	> GET /repos/acme/app?page=2
//	> Authorization: Bearer tok   the request has this header
//	> !If-None-Match              the request lacks this header
//	> ~ "state":"open"            the request's body contains this text
//	times: 3                      answers three requests; any: as many as come, or none
//	< 200
//	< Content-Type: application/json
//	< cut 20
//
//	{"url": "https://{host}/x"}
//	-- want.json --               then want 2.json, …, see [Want]
//
// In place of a status, "<" takes: reset, refused, closed, dns, tls (the
// connection fails so), hang (until the request's context ends). Among the
// headers, "cut 20" declares the whole length and breaks after 20 bytes, "end 20"
// ends after 20 bytes as if that were all; "cut 20" in place of a status is that
// of a JSON answer with status 200. In header values and bodies {host} is
// the host of the request, and {mark} in bodies the mark that frank put into what
// it wrote last.
package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Case is one case.
type Case struct {
	Name      string // of the file, without its ending
	Comment   string
	Config    string            // YAML; empty if the case has none
	Files     map[string]string // by slash-separated relative path
	After     map[string]string // what becomes of them; nil: the case does not say
	Calls     []Call
	Wants     []Want // one for each call
	Exchanges []Exchange
}

// Call is one call of a tool.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

var (
	callName     = regexp.MustCompile(`^call(?: \d+)?\.json$`)
	wantName     = regexp.MustCompile(`^want(?: \d+)?\.json$`)
	exchangeName = regexp.MustCompile(`^exchange(?: \d+)?$`)
)

// Load reads a case. Anything in the file that it does not know is an error, so
// that a slip of the pen cannot weaken a case.
func Load(path string) (Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Case{}, fmt.Errorf("read case: %w", err)
	}
	c, err := Parse(strings.TrimSuffix(filepath.Base(path), ".txtar"), data)
	if err != nil {
		return Case{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Parse reads a case from its text.
func Parse(name string, data []byte) (Case, error) {
	archive := txtar.Parse(data)
	c := Case{Name: name, Comment: strings.TrimSpace(string(archive.Comment)), Files: map[string]string{}}
	seen := map[string]bool{}
	ordered := false
	for _, line := range strings.Split(c.Comment, "\n") {
		ordered = ordered || strings.TrimSpace(line) == "ordered"
	}
	for _, f := range archive.Files {
		if seen[f.Name] {
			return Case{}, fmt.Errorf("section %q comes twice", f.Name)
		}
		seen[f.Name] = true
		if err := c.section(f.Name, f.Data); err != nil {
			return Case{}, fmt.Errorf("section %q: %w", f.Name, err)
		}
	}
	for i := range c.Exchanges {
		c.Exchanges[i].ordered = ordered
	}
	if len(c.Wants) != 0 && len(c.Wants) != len(c.Calls) {
		return Case{}, fmt.Errorf("%d calls but %d wants", len(c.Calls), len(c.Wants))
	}
	return c, nil
}

func (c *Case) section(name string, data []byte) error {
	switch {
	case name == "config.yaml":
		c.Config = string(data)
	case strings.HasPrefix(name, "file "):
		path := strings.TrimPrefix(name, "file ")
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return errors.New("path leads out of the directory")
		}
		c.Files[path] = string(data)
	case strings.HasPrefix(name, "after "):
		if c.After == nil {
			c.After = map[string]string{}
		}
		c.After[strings.TrimPrefix(name, "after ")] = string(data)
	case callName.MatchString(name):
		var call Call
		if err := decode(data, &call); err != nil {
			return err
		}
		c.Calls = append(c.Calls, call)
	case wantName.MatchString(name):
		var w Want
		if err := decode(data, &w); err != nil {
			return err
		}
		c.Wants = append(c.Wants, w)
	case exchangeName.MatchString(name):
		x, err := parseExchange(name, string(data))
		if err != nil {
			return err
		}
		c.Exchanges = append(c.Exchanges, x)
	default:
		return errors.New("unknown section")
	}
	return nil
}

// decode is strict: an unknown key or anything after the value is an error.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	if d.More() {
		return errors.New("more than one value")
	}
	return nil
}

// Lay writes the files of the case into a fresh directory and returns it.
func (c Case) Lay(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range c.Files {
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatalf("lay out %s: %v", path, err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatalf("lay out %s: %v", path, err)
		}
	}
	return dir
}

// Left returns how the files below dir differ from what the case says becomes of
// them, one sentence each. A case that says nothing is content with any.
func (c Case) Left(t testing.TB, dir string) []string {
	t.Helper()
	if c.After == nil {
		return nil
	}
	wanted := maps.Clone(c.Files)
	maps.Copy(wanted, c.After)
	var out []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		got, err := os.ReadFile(path)
		if want, ok := wanted[name]; !ok {
			out = append(out, "there is a file "+name)
		} else if err == nil && string(got) != want {
			out = append(out, fmt.Sprintf("%s holds\n%s\nwant\n%s", name, got, want))
		}
		delete(wanted, name)
		return err
	})
	if err != nil {
		t.Fatalf("look at what is left: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		out = append(out, "there is no file "+name)
	}
	return out
}

// Each runs every case that the pattern matches as a subtest named after its
// file. A pattern that matches no file fails the test.
func Each(t *testing.T, pattern string, run func(*testing.T, Case)) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no case matches %s (%v)", pattern, err)
	}
	for _, path := range paths {
		c, err := Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Run(c.Name, func(t *testing.T) { run(t, c) })
	}
}
