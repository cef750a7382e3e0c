package local

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/pattern"
	"github.com/frank-mcp/frank/status"
)

// backlog reads the tracker of Backlog.md: one Markdown file for each task,
// with YAML front matter, under backlog/ (github.com/MrLesk/Backlog.md, README
// and src/markdown/parser.ts, read in November 2026).
type backlog struct{}

// rootConfig is where a project may say that its backlog lies elsewhere.
const rootConfig = "backlog.config.yml"

func (backlog) present(t *tree) bool {
	for _, name := range []string{rootConfig, "backlog/tasks", "backlog/config.yml", ".backlog/tasks", ".backlog/config.yml"} {
		if t.has(name) {
			return true
		}
	}
	return false
}

// backlogConfig is what matters here of config.yml.
type backlogConfig struct {
	Project   scalar `yaml:"project_name"`
	Statuses  texts  `yaml:"statuses"`
	Labels    texts  `yaml:"labels"`
	Types     texts  `yaml:"types"`
	Directory scalar `yaml:"backlog_directory"`
	Prefix    scalar `yaml:"task_prefix"`
	Padded    scalar `yaml:"zero_padded_ids"`
	Default   scalar `yaml:"default_status"`
}

// taskDir is one of the directories in which tasks lie.
type taskDir struct {
	name   string
	rank   int
	closed bool
	reason string
}

func taskDirs() []taskDir {
	return []taskDir{
		{"tasks", 0, false, ""},
		{"completed", 1, true, "completed"},
		{"drafts", 2, false, "draft"},
		{"archive/tasks", 3, true, "archived"},
		{"archive/drafts", 4, true, "archived draft"},
	}
}

// places are where the project keeps its backlog.
func (b backlog) places(l *look) (backlogConfig, []string) {
	root, _ := b.config(l, rootConfig)
	if d, failure := l.inner(string(root.Directory)); root.Directory != "" && failure == nil {
		return root, []string{d}
	}
	return root, []string{"backlog", ".backlog"}
}

func (b backlog) prefixed(l *look, prefix string) bool {
	_, dirs := b.places(l)
	for _, dir := range dirs {
		for _, d := range taskDirs() {
			if slices.ContainsFunc(b.names(l, path.Join(dir, d.name)), func(name string) bool {
				return markup.Fold(name[:strings.IndexByte(name, '-')]) == markup.Fold(prefix)
			}) {
				return true
			}
		}
	}
	return len(l.skips) > 0
}

func (b backlog) load(l *look) ledger {
	root, dirs := b.places(l)
	var all ledger
	for _, dir := range dirs {
		if !l.has(dir) {
			continue
		}
		all = all.join(b.directory(l, dir, b.configOf(l, dir, root)))
	}
	return all
}

// configOf is the configuration of one backlog.
func (b backlog) configOf(l *look, dir string, root backlogConfig) backlogConfig {
	for _, name := range []string{"config.yml", "config.yaml"} {
		if own, there := b.config(l, path.Join(dir, name)); there {
			return own
		}
	}
	return root
}

// config reads a configuration, if it is there.
func (backlog) config(l *look, name string) (c backlogConfig, there bool) {
	t, why := l.file(name)
	switch {
	case why == skipChanged: // there is none
		return c, false
	case why != "":
		l.skips.add(why)
		return c, true
	case !decodeYAML(t.text, &c):
		l.skips.add(skipDamaged)
	}
	return c, true
}

// directory reads all tasks of a backlog.
func (b backlog) directory(l *look, dir string, c backlogConfig) ledger {
	all := ledger{
		project: markup.Line(string(c.Project), maxName), states: c.Statuses.lines(), labels: c.Labels.lines(),
		types: c.Types.lines(), dirs: []string{dir},
	}
	if len(all.states) == 0 {
		all.states = usualStates()
	}
	for _, d := range taskDirs() {
		for _, name := range b.names(l, path.Join(dir, d.name)) {
			if l.over() != nil {
				return all
			}
			r, why := b.task(l, path.Join(dir, d.name, name), d)
			if why != "" {
				l.skips.add(why)
				continue
			}
			r.closed = d.closed || markup.Fold(r.issue.State) == markup.Fold(all.states[len(all.states)-1]) || finished(r.issue.State)
			r.states, r.store = all.states, b
			all.records = append(all.records, r)
		}
	}
	all.twice = doubles(all.records)
	if l.rules.fault != nil {
		all.notes = append(all.notes, "files_kept_off_the_disk")
	}
	return all
}

// usualStates are those of a backlog that names none.
func usualStates() []string { return []string{"To Do", "In Progress", "Done"} }

// finished knows the states that end a task under their usual names, since a
// project may name more than one. Backlog.md itself counts the last one.
func finished(state string) bool {
	switch markup.Fold(state) {
	case "done", "closed", "completed", "complete", "resolved", "cancelled", "canceled", "won't do", "wont do", "duplicate", "archived":
		return true
	default:
		return false
	}
}

// doubles counts the ids that are given twice within one rank.
func doubles(records []record) int {
	type key struct {
		id   string
		rank int
	}
	seen := map[key]int{}
	n := 0
	for _, r := range records {
		k := key{plainID(r.issue.Ref), r.rank}
		if seen[k]++; seen[k] == 2 && r.rank == 0 {
			n++
		}
	}
	return n
}

// taskFile is the name of a task's file: prefix, number and title.
var taskFile = pattern.New(`^([A-Za-z][A-Za-z0-9_]*-[0-9]+(?:\.[0-9]+)*)(?: - (.*))?\.md$`)

// names lists the files of a directory that are tasks by their names; that a
// directory is not there means that it holds none.
func (backlog) names(l *look, dir string) []string {
	var out []string
	err := l.readDir(l.realOf(dir), func(e fs.DirEntry) {
		if taskFile.MatchString(e.Name()) && !e.IsDir() {
			out = append(out, e.Name())
		}
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.skips.add(l.why(dir, err))
	}
	slices.Sort(out)
	status.CallFrom(l.ctx).Report("reading " + dir)
	return out
}

// task reads one task.
func (backlog) task(l *look, name string, d taskDir) (record, skip) {
	real := l.realOf(name)
	t, why := l.file(real)
	if why == skipBinary {
		why = skipDamaged
	}
	if why != "" {
		return record{}, why
	}
	m, body, ok := readTask(t.text)
	if !ok {
		return record{}, skipDamaged
	}
	parts := taskFile.FindStringSubmatch(path.Base(name))
	if !strings.Contains(string(m.ID), "-") { // a number without quotes loses its zeros in YAML
		m.ID = scalar(parts[1])
	}
	if m.Title == "" {
		m.Title = scalar(strings.ReplaceAll(parts[2], "-", " "))
	}
	r := m.record(l, body, t)
	r.file, r.rank, r.issue.Reason = name, d.rank, d.reason
	return r, ""
}
