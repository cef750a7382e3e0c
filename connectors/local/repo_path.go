package local

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/frank-mcp/frank/status"
)

const (
	maxPath       = 4096
	maxCandidates = 10
)

// cleanPath turns what a person calls a path into one below the top, with
// slashes and without "." and ".."; the top itself is "". LD-17: what lies
// outside, and the inside of .git, is refused.
func (c *checkout) cleanPath(name string) (string, *status.Failure) {
	if len(name) > maxPath || strings.ContainsRune(name, 0) || !utf8.ValidString(name) {
		return "", unusable("path", "give a path inside the repository, in UTF-8")
	}
	p, failure := c.below(name)
	if raw := rawName(p); failure == nil && raw != p && !c.onlyThere(p, raw) {
		return c.below(raw)
	}
	return p, failure
}

// onlyThere reports whether the first of two names is on the disk and the other
// is not: percent signs in a name may also be meant as they stand.
func (c *checkout) onlyThere(p, other string) bool {
	_, missing := os.Lstat(filepath.Join(c.top, filepath.FromSlash(other)))
	_, err := os.Lstat(filepath.Join(c.top, filepath.FromSlash(p)))
	return missing != nil && err == nil
}

// below is cleanPath of a name as the disk and Git have it.
func (c *checkout) below(name string) (string, *status.Failure) {
	slashed := filepath.ToSlash(name)
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(c.top, filepath.Clean(name))
		if err != nil {
			return "", outside(name)
		}
		slashed = filepath.ToSlash(rel)
	}
	slashed = path.Clean(slashed)
	if slashed == "." || slashed == "" {
		return "", nil
	}
	if slashed == ".." || strings.HasPrefix(slashed, "../") || strings.HasPrefix(slashed, "/") {
		return "", outside(name)
	}
	if inGitDir(slashed) {
		return "", denied(name, "git_directory")
	}
	return slashed, nil
}

func outside(name string) *status.Failure {
	f := denied(name, "outside_root").With(status.Remedy.Is("frank reads only below root; add a source whose root holds it."))
	return &f
}

func denied(name, rule string) *status.Failure {
	f := status.Fail(status.PolicyDenied, pathFact(name), status.Rule.Is(rule),
		status.Remedy.Is("frank never reads inside .git; ask for commits, branches and files with the repo tools."))
	return &f
}

// inGitDir reports whether a path leads into a repository's own files, which
// can hold credentials, under any spelling that a file system takes for .git.
func inGitDir(p string) bool {
	for _, part := range strings.Split(p, "/") {
		visible := strings.TrimRight(strings.Map(shownInName, part), ". ")
		if strings.EqualFold(visible, ".git") || strings.EqualFold(visible, "git~1") {
			return true
		}
	}
	return false
}

// shownInName drops what some file systems ignore in a name, joiners too.
func shownInName(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) {
		return -1
	}
	return r
}

// scope is the part of a repository that a listing or a search looks at.
type scope struct {
	asked  string
	prefix string         // a directory or file; empty: everything
	glob   *regexp.Regexp // nil: everything below prefix
	// literal is the glob taken for a path: names may hold its characters too.
	literal string
}

// newScope reads a path that may be a prefix or a glob.
func (c *checkout) newScope(name string) (scope, *status.Failure) {
	if !strings.ContainsAny(name, "*?[") {
		p, failure := c.cleanPath(name)
		return scope{asked: name, prefix: p}, failure
	}
	if len(name) > maxPath || strings.ContainsRune(name, 0) || !utf8.ValidString(name) {
		return scope{}, unusable("path", "give a path or a glob, in UTF-8")
	}
	pattern := strings.TrimPrefix(filepath.ToSlash(name), "./")
	expr, ok := globExpr(pattern)
	if !ok {
		return scope{}, unusable("path", "the glob has a [ without its ]")
	}
	literal, failure := c.cleanPath(name)
	if failure != nil {
		return scope{}, failure
	}
	prefix := ""
	if strings.Contains(pattern, "/") {
		fixed := pattern[:strings.IndexAny(pattern, "*?[")]
		fixed = fixed[:strings.LastIndexByte(fixed, '/')+1]
		p, failure := c.cleanPath(fixed)
		if failure != nil {
			return scope{}, failure
		}
		prefix = p
	}
	return scope{name, prefix, expr, literal}, nil
}

// place replaces symbolic links in the prefix of a scope: git lists and searches
// nothing behind one. LD-04, LD-05.
func (v *visit) place(s scope, commit string) (scope, *status.Failure) {
	var failure *status.Failure
	switch {
	case s.prefix == "" || s.glob != nil:
		return s, nil
	case commit != "":
		var e *entry
		var p string
		if p, e, failure = v.follow(commit, s.prefix); e != nil {
			s.prefix = p
		}
		return s, failure
	case v.facts.bare:
		return s, nil
	}
	real, err := filepath.EvalSymlinks(filepath.Join(v.top, filepath.FromSlash(s.prefix)))
	if err != nil {
		return s, diskFailure(s.prefix, err)
	}
	rel, err := filepath.Rel(v.top, real)
	if err != nil || !filepath.IsLocal(rel) || inGitDir(filepath.ToSlash(rel)) {
		return s, outside(s.prefix)
	}
	if failure := special(s.prefix, real); failure != nil {
		return s, failure
	}
	if s.prefix = filepath.ToSlash(rel); s.prefix == "." {
		s.prefix = ""
	}
	return s, nil
}

// notSkipped refuses a scope in which git sees no file because the rules of the
// repository exclude it: that would look like an absence. LG-12.
func (v *visit) notSkipped(s scope) *status.Failure {
	out := v.run(command{args: append([]string{"ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"}, s.spec()...), limit: 1 << 20})
	if out.fault != nil || len(out.bytes) == 0 {
		return out.fault
	}
	f := status.Fail(status.OperationUnsupported, status.Feature.Is("files that .gitignore excludes"), pathFact(s.prefix), status.WasCalled)
	return &f
}

// has reports whether a path below the prefix is in the scope.
func (s scope) has(p string) bool {
	if s.glob == nil || s.glob.MatchString(p) || p == s.literal || strings.HasPrefix(p, s.literal+"/") {
		return true
	}
	shown := shownName(p)
	return shown != p && s.glob.MatchString(shown)
}

// spec is the scope as last arguments of a command.
func (s scope) spec() []string {
	if s.prefix == "" {
		return []string{"--"}
	}
	return []string{"--", s.prefix}
}

// globExpr translates a glob: * and ? stay inside one name, ** crosses
// directories, and a glob without a slash fits a name at any depth. LD-03.
func globExpr(pattern string) (*regexp.Regexp, bool) {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	if !strings.Contains(pattern, "/") {
		b.WriteString(`(?:.*/)?`)
	}
	for i := 0; i < len(pattern); {
		rest := pattern[i:]
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:.*/)?`)
			i += 3
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`.*`)
			i += 2
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
			i++
		case rest[0] == '?':
			b.WriteString(`[^/]`)
			i++
		case rest[0] == '[':
			end := strings.IndexByte(rest[1:], ']')
			if end < 1 {
				return nil, false
			}
			b.WriteString(classExpr(rest[1 : 1+end]))
			i += end + 2
		default:
			_, n := utf8.DecodeRuneInString(rest)
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			i += n
		}
	}
	b.WriteString(`(?:/.*)?$`)
	re, err := regexp.Compile(b.String())
	return re, err == nil
}

func classExpr(body string) string {
	not := ""
	if body[0] == '!' || body[0] == '^' {
		not, body = "^", body[1:]
	}
	return "[" + not + strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `^`, `\^`).Replace(body) + "]"
}

// diskFile is an open file or directory of the work tree.
type diskFile struct {
	*os.File
	info os.FileInfo
	real string // its path below the top without symbolic links
}

// onDisk opens a file of the work tree. Symbolic links are followed while they
// stay inside the top; a pipe or device is never waited for. Without a file and
// a failure, there is none of that name.
func (c *checkout) onDisk(p string) (*diskFile, *status.Failure) {
	real, err := filepath.EvalSymlinks(filepath.Join(c.top, filepath.FromSlash(p)))
	if err != nil {
		return nil, diskFailure(p, err)
	}
	rel, err := filepath.Rel(c.top, real)
	if err != nil || !filepath.IsLocal(rel) || inGitDir(filepath.ToSlash(rel)) {
		return nil, outside(p)
	}
	if failure := special(p, real); failure != nil {
		return nil, failure
	}
	root, err := os.OpenRoot(c.top)
	if err != nil {
		return nil, diskFailure(p, err)
	}
	defer root.Close()
	f, err := root.OpenFile(rel, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, diskFailure(p, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, diskFailure(p, err)
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		f.Close()
		return nil, wrongKind(p)
	}
	return &diskFile{f, info, filepath.ToSlash(rel)}, nil
}

// special refuses pipes, devices and sockets before they are opened: opening a
// device does something, and a socket cannot be opened at all.
func special(p, real string) *status.Failure {
	info, err := os.Stat(real)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return nil // what is wrong comes out when it is opened
	}
	return wrongKind(p)
}

func wrongKind(p string) *status.Failure {
	f := status.Fail(status.WrongKind, status.WasCalled, status.Reference.Is(shownName(p)), status.Part.Is("a pipe, a device or a socket"), pathFact(p),
		status.Remedy.Is("Give the path of a file or directory."))
	return &f
}

// diskFailure is why a file could not be read; nil if it is not there.
func diskFailure(p string, err error) *status.Failure {
	var f status.Failure
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return nil
	case errors.Is(err, fs.ErrPermission):
		f = status.Fail(status.PermissionDenied, status.Part.Is(shownName(p)))
	default: // LD-13
		f = status.Fail(status.Contradictory, status.Retryable(true), status.Marker.Is("the file is listed but cannot be read"))
	}
	f = f.With(pathFact(p))
	return &f
}
