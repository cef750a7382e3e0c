package local

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/frank-mcp/frank/status"
)

// skip is why something was not looked at, as the evidence counts it.
type skip string

// What keeps a part of the tree from being looked at.
const (
	skipUnreadable  skip = "unreadable"      // LD-01
	skipChanged     skip = "changed"         // LD-13
	skipBroken      skip = "read_error"      // LD-13
	skipOutside     skip = "symlink_outside" // LD-05
	skipBinary      skip = "binary"          // LD-12, LG-14
	skipTooLarge    skip = "too_large"       // LD-12
	skipOther       skip = "other_extension" // LD-12
	skipEncoding    skip = "encoding"        // LD-09
	skipLFS         skip = "lfs_pointer"     // LG-11
	skipPlaceholder skip = "placeholder"     // LD-14
	skipDamaged     skip = "damaged"         // a tracker's own record

	// What follows is left out by rule, or has nothing behind it. LD-11.
	skipIgnored  skip = "ignored_files"
	skipHidden   skip = "hidden_directories"
	skipVendored skip = "vendored_directories"
	skipDangling skip = "dangling_symlinks"
	skipLoop     skip = "symlink_loops"
)

// skips counts what was not looked at.
type skips map[skip]int

func (s skips) add(why skip) { s[why]++ }

// skipOf tells why the system did not let something be read.
func skipOf(err error) skip {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return skipUnreadable
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESTALE), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		return skipChanged
	default:
		return skipBroken
	}
}

// why is skipOf for a file of the tree: the system refuses links that lead out
// of the root without a name for it.
func (l *look) why(name string, err error) skip {
	if out := skipOf(err); out != skipBroken {
		return out
	}
	if target, err := filepath.EvalSymlinks(l.disk(name)); err == nil {
		if _, inside := l.within(target); !inside {
			return skipOutside
		}
	}
	return skipBroken
}

// meaning is what a group of skips does to an answer.
type meaning struct {
	skips []skip
	check status.Check
	fail  func() status.Failure
}

func meanings() []meaning {
	elsewhere := func(part string) func() status.Failure {
		return func() status.Failure { return status.Fail(status.ContentNotIncluded, status.Part.Is(part)) }
	}
	return []meaning{
		{[]skip{skipUnreadable}, status.Completeness, func() status.Failure {
			return status.Fail(status.PermissionDenied, status.Part.Is("some files or directories below the root"))
		}},
		{[]skip{skipChanged}, status.Completeness, changedMeanwhile},
		{[]skip{skipBroken}, status.Completeness, func() status.Failure {
			return status.Fail(status.TruncatedBody, status.Part.Is("the system failed to read some files"))
		}},
		{[]skip{skipDamaged}, status.Completeness, func() status.Failure {
			return status.Fail(status.Corrupt, status.Part.Is("some records of the tracker"))
		}},
		{[]skip{skipOutside}, status.Completeness, elsewhere("symbolic links that lead out of the root")},
		{[]skip{skipTooLarge}, status.Effectiveness, func() status.Failure { return status.Fail(status.OwnCap) }},
		{[]skip{skipBinary, skipOther}, status.Effectiveness, elsewhere("documents in formats that frank does not read")},
		{[]skip{skipEncoding}, status.Effectiveness, elsewhere("documents in an encoding that they do not declare")},
		{[]skip{skipLFS, skipPlaceholder}, status.Effectiveness, elsewhere("files of which only a placeholder is here")},
	}
}

// byRule are skips that take nothing away from an answer; it names them.
func byRule() []skip {
	return []skip{skipIgnored, skipHidden, skipVendored, skipDangling, skipLoop}
}

// failure is what it means if this alone kept something from being read.
func (why skip) failure() status.Failure {
	for _, m := range meanings() {
		if slices.Contains(m.skips, why) {
			return m.fail()
		}
	}
	if why == skipIgnored {
		return status.Fail(status.ContentNotIncluded, status.Part.Is("the path is excluded by .gitignore"),
			status.Remedy.Is("Open it outside of frank, or take it out of .gitignore if it belongs to the source."))
	}
	return status.Fail(status.ContentNotIncluded, status.Part.Is("files that a rule leaves out"))
}

// evidence is the counts for a failure.
func (s skips) evidence() status.Fact {
	counts := map[string]int{}
	for why, n := range s {
		counts[string(why)] = n
	}
	return status.Skipped.Is(counts)
}

// charge enters into the audit what was not looked at.
func (s skips) charge(a *status.Audit) {
	for _, m := range meanings() {
		if slices.ContainsFunc(m.skips, func(why skip) bool { return s[why] > 0 }) {
			a.Unmade(m.check, m.fail().With(s.evidence()))
		}
	}
	for _, why := range byRule() {
		if s[why] > 0 {
			a.Uncovered(string(why))
		}
	}
}

// words lists the counts in one line, for the trace of the call.
func (s skips) words() string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(s)) {
		parts = append(parts, string(why)+" "+strconv.Itoa(s[why]))
	}
	return strings.Join(parts, ", ")
}
