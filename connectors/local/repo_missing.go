package local

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/status"
)

// missing answers for a path that is not where it was looked for: at commit, or
// on the disk if commit is empty. It is proved absent only if no commit has it
// and the clone has all commits. LG-20.
func missing[T any](v *visit, p, commit string) status.Result[T] {
	fail := func(f status.Failure) status.Result[T] {
		return status.Failed[T](v.source, f.With(status.Reference.Is(shownName(p)), pathFact(p), status.Container.Is(v.facts.name)))
	}
	if inner, ok := v.inSubmodule(p); ok { // LG-09
		if v.initialised(inner) {
			return fail(submodule(inner).With(status.WasCalled))
		}
		return fail(incomplete(partSubmodule))
	}
	where, failure := v.everHad(p)
	if failure != nil {
		return fail(*failure)
	}
	if where != "" {
		short := where[:shortHash]
		return fail(status.Fail(status.LowConfidence, status.Revision.Is(where), status.Among(v.candidates([]string{p}, "at revision "+short)...),
			status.Remedy.Is("Call again with revision="+short+".")))
	}
	alike, similar, failure := v.similar(p, commit)
	switch gaps := v.facts.gaps(ofLookup); {
	case failure != nil:
		return fail(*failure)
	case len(alike) > 0:
		return fail(lookalikes(v.candidates(alike, "a name that looks the same")))
	case len(gaps) > 0:
		return fail(gaps[0])
	case blurred(p):
		return fail(unwritable())
	}
	a := &status.Audit{}
	a.Hold(status.Proof{Request: "git ls-files, git log --all", At: v.now()}, status.Transport, status.Identity, status.Scope)
	return status.Absent[T](v.source, a, status.Reference.Is(shownName(p)), status.Container.Is(v.facts.name),
		status.Among(v.candidates(similar, "a similar path")...))
}

// inSubmodule returns the submodule in which a path lies.
func (v *visit) inSubmodule(p string) (string, bool) {
	for _, s := range v.facts.submodules {
		if strings.HasPrefix(p, s+"/") {
			return s, true
		}
	}
	return "", false
}

// everHad looks for the last commit on any branch that touched the path and
// returns the commit at which the path is there; empty if there is none.
func (v *visit) everHad(p string) (string, *status.Failure) {
	out := v.run(command{args: append([]string{"log", "--all", "--full-history", "-1", "--format=%H%x00%P", "-z"}, scope{prefix: p}.spec()...)})
	if out.fault != nil {
		return "", out.fault
	}
	fields := records(out.bytes)
	if len(fields) == 0 || !isHash(fields[0]) {
		return "", nil
	}
	at := fields[0]
	if v.facts.shallow && v.boundary()[at] {
		return "", nil // LG-03: a boundary commit seems to touch everything that it has
	}
	e, failure := v.inTree(at, p)
	if failure != nil {
		return "", failure
	}
	if e == nil && len(fields) > 1 && fields[1] != "" {
		at, _, _ = strings.Cut(fields[1], " ")
	}
	return at, nil
}

// lookalikes offers what a reader takes for the name that was asked for.
func lookalikes(cs []status.Candidate) status.Failure {
	if len(cs) > 1 {
		return status.Fail(status.AmbiguousTarget, status.WasCalled, status.Margin.Is(0), status.Among(cs...))
	}
	return status.Fail(status.LowConfidence, status.WasCalled, status.Among(cs...), status.Fallback("use the ref of the candidate"))
}

// unwritable says that a name with a replacement character proves no absence.
func unwritable() status.Failure {
	return status.Fail(status.AbsentOrHidden, status.WasCalled, status.Existence.Is(status.ExistenceUnknown),
		status.Fallback("list the directory, and use the ref of the listing"))
}

// similar lists paths that a reader cannot tell from p, and those that differ by
// case only or have the same last name.
func (v *visit) similar(p, commit string) (alike, others []string, failure *status.Failure) {
	args := []string{"ls-files", "-c", "-o", "--exclude-standard", "-z"}
	if commit != "" {
		args = []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", commit}
	}
	var same, named []string
	base := path.Base(p)
	depth := 1 + strings.Count(p, "/")
	out := v.run(command{args: args, read: func(r io.Reader) error {
		return eachRecord(r, func(name string) bool {
			upTo := firstNames(name, depth)
			switch {
			case upTo != p && looksLike(upTo, p) && !slices.Contains(alike, upTo):
				alike = append(alike, upTo)
			case strings.EqualFold(name, p):
				same = append(same, name)
			case strings.EqualFold(path.Base(name), base) && len(named) < maxCandidates:
				named = append(named, name)
			}
			return len(same)+len(alike) < maxCandidates
		})
	}})
	all := append(same, named...)
	return alike, all[:min(len(all), maxCandidates)], out.fault
}

// firstNames is a path up to its n-th name.
func firstNames(p string, n int) string {
	for i := range len(p) {
		if p[i] == '/' {
			if n--; n == 0 {
				return p[:i]
			}
		}
	}
	return p
}

// boundary are the commits whose parents a shallow clone leaves out.
func (v *visit) boundary() map[string]bool {
	set := map[string]bool{}
	b, err := os.ReadFile(filepath.Join(v.facts.commonDir, "shallow"))
	if err != nil { // no shallow clone; what git says of it is in the facts
		return set
	}
	for _, sha := range strings.Fields(string(b)) {
		set[sha] = true
	}
	return set
}
