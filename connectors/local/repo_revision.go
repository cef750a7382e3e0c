package local

import (
	"strings"
	"unicode"

	"github.com/frank-mcp/frank/status"
)

// revision is what a name of a commit means.
type revision struct {
	asked     string
	full      string // the ref it was taken for, such as refs/heads/main; else as asked
	commit    string
	ambiguous bool // a branch and a tag share the name; the branch was taken
}

const (
	maxRevision = 250
	// shortHash is how many characters of a hash stand for it where people read it.
	shortHash = 12
)

// checkRevision refuses what is no name of a commit, so that no argument can
// become an option, a path, a range or a search of git.
func checkRevision(name, argument string) *status.Failure {
	bad := strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`:*?[\`, r) || r == unicode.ReplacementChar
	})
	switch {
	case name == "" || len(name) > maxRevision, strings.HasPrefix(name, "-"), bad,
		strings.Contains(name, ".."), strings.Contains(name, "{/"):
		return unusable(argument, "give a branch, a tag or the hash of a commit")
	default:
		return nil
	}
}

// resolve finds the commit that a name means. Where a branch and a tag share
// the name, git takes the tag; frank takes the branch and says so. LG-28.
func (v *visit) resolve(name string) (revision, *status.Failure) {
	if failure := checkRevision(name, v.argument); failure != nil {
		return revision{}, failure
	}
	r := revision{asked: name, full: rawRevision(name)}
	raw := r.full
	refs := v.run(command{args: []string{"for-each-ref", "--format=%(refname)", "refs/heads/" + raw, "refs/tags/" + raw}})
	if refs.fault != nil {
		return revision{}, refs.fault
	}
	branch, tag := false, false
	for _, full := range strings.Split(refs.text(), "\n") {
		branch = branch || full == "refs/heads/"+raw
		tag = tag || full == "refs/tags/"+raw
	}
	if branch && tag {
		r.full, r.ambiguous = "refs/heads/"+raw, true
	}
	out := v.run(command{answers: []int{1}, args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", r.full + "^{commit}"}})
	if out.fault != nil {
		if f := v.ambiguousHash(name); f != nil {
			return revision{}, f
		}
		if out.fault.Reason() == status.ObjectNotFetched { // LG-29: nobody says that there is such an object
			return revision{}, v.unknownRevision(name)
		}
		return revision{}, out.fault
	}
	if r.commit = out.text(); out.code == 0 && isHash(r.commit) {
		return r, nil
	}
	return revision{}, v.unknownRevision(name)
}

// rawRevision is the name of a branch or tag as Git has it. What no such name
// may hold does not come back out of its escape.
func rawRevision(name string) string {
	raw := rawName(name)
	if raw == "" || raw[0] == '-' || strings.ContainsFunc(raw, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune(`:*?[\~^`, r)
	}) {
		return name
	}
	return raw
}

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// ambiguousHash lists what the beginning of a hash may mean; nil if that is not
// what is wrong with it.
func (v *visit) ambiguousHash(name string) *status.Failure {
	if len(name) < 4 || strings.Trim(strings.ToLower(name), "0123456789abcdef") != "" {
		return nil
	}
	out := v.run(command{args: []string{"rev-parse", "--disambiguate=" + strings.ToLower(name)}, limit: 4096})
	lines := strings.Fields(out.text())
	if out.fault != nil || len(lines) < 2 {
		return nil
	}
	var cs []status.Candidate
	for _, sha := range lines {
		cs = append(cs, status.Candidate{Ref: sha, Source: v.source, Sets: []status.Setting{status.Set("revision", sha)}})
	}
	f := status.Fail(status.AmbiguousTarget, status.Reference.Is(name), status.Revision.Is(name), status.Among(cs...))
	return &f
}

// unknownRevision says why a name may mean nothing here. Objects come from
// elsewhere and are cleaned away, so that it is never proved absent. LG-04, LG-29.
func (v *visit) unknownRevision(name string) *status.Failure {
	out := v.run(command{args: []string{"for-each-ref", "--format=%(refname)", "refs/remotes/"}, limit: 4 << 20})
	if out.fault != nil {
		return out.fault
	}
	var cs []status.Candidate
	for _, full := range strings.Split(out.text(), "\n") {
		if short := strings.TrimPrefix(full, "refs/remotes/"); strings.HasSuffix(short, "/"+name) {
			cs = append(cs, status.Candidate{Ref: shownName(short), Title: "a branch of a remote", Source: v.source})
		}
	}
	var f status.Failure
	switch gaps := v.facts.gaps(ofObject); {
	case len(cs) > 0:
		f = status.Fail(status.LowConfidence, status.Among(cs...))
	case len(gaps) > 0:
		f = gaps[0]
	default:
		f = status.Fail(status.UnresolvedRevision, status.Existence.Is(status.ExistenceUnknown))
	}
	f = f.With(status.Reference.Is(name), status.Revision.Is(name), status.Container.Is(v.facts.name), status.WasCalled)
	return &f
}

// unborn reports whether HEAD stands on a branch without a commit. LG-15.
func (v *visit) unborn() (bool, *status.Failure) {
	out := v.run(command{answers: []int{1}, args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD"}})
	if out.fault != nil {
		return false, out.fault
	}
	return out.code != 0 && v.facts.branch != "", nil
}
