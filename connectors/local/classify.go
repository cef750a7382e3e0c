package local

import (
	"bytes"

	"github.com/frank-mcp/frank/status"
)

// sign is a piece of a message of git and what it means. Git gives most of its
// failures one exit code and tells them apart by text only, so this table is
// the one place where text is matched, always in the C locale and never copied.
type sign struct {
	text  string
	means func() status.Failure // nil: nothing that the answer depends on
}

func signs() []sign {
	return []sign{
		{"detected dubious ownership", func() status.Failure { return status.Fail(status.OwnershipRefused) }}, // LG-16
		{"from promisor remote", notFetched}, // LG-06
		{"lazy fetching disabled", notFetched},
		{"Permission denied", func() status.Failure {
			return status.Fail(status.PermissionDenied, status.Part.Is("some files of the source"))
		}}, // LD-01
		{"is corrupt", corrupt}, // LG-17
		{"inflate", corrupt},
		{"unable to read", corrupt}, // LG-18
		{"unable to find", corrupt},
		{"could not get object info", corrupt},
		{"Could not read", corrupt},
		{"Failed to traverse", corrupt},
		{"bad object", corrupt},
		{"missing object", corrupt},
		{"unable to unpack", corrupt},
		{"is empty", corrupt},
		{"hash mismatch", corrupt},
		{"index file", func() status.Failure {
			return status.Fail(status.Corrupt, status.Part.Is("the index of the checkout"))
		}},
		{"broken ref", func() status.Failure {
			return status.Fail(status.Corrupt, status.Part.Is("a branch or tag"))
		}},
		{"not a git repository", rootless},
		{"cannot change to", rootless},
		{"must be run in a work tree", workTreeless},
		{"Perl-compatible", unsupportedPerl},
		{"No such file or directory", changedMeanwhile}, // LD-13
	}
}

func corrupt() status.Failure {
	return status.Fail(status.Corrupt, status.Part.Is("objects of the repository"))
}

func changedMeanwhile() status.Failure {
	return status.Fail(status.Contradictory, status.Retryable(true), status.Marker.Is("files changed while they were read"))
}

func rootless() status.Failure {
	return status.Fail(status.Misconfigured, status.ConfigKey.Is("root"), status.Part.Is("it has to be a Git checkout"),
		status.Remedy.Is("Set root of this source in frank.yaml to a Git checkout, or repository to one."))
}

func workTreeless() status.Failure {
	return status.Fail(status.OperationUnsupported, status.Feature.Is("a work tree, since the repository is bare"),
		status.Fallback("call again with a revision, such as HEAD"))
}

// notFetched is a missing object of a partial clone. frank never lets git fetch,
// so a repetition helps once somebody did. LG-06, LG-07.
func notFetched() status.Failure {
	return status.Fail(status.ObjectNotFetched, status.Part.Is("git fetch --refetch, or git checkout of what is asked about"))
}

// unsupportedPerl marks a git that was built without Perl-compatible patterns.
func unsupportedPerl() status.Failure {
	return status.Fail(status.OperationUnsupported, status.Feature.Is(featurePerl))
}

const featurePerl = "Perl-compatible patterns of git"

// classify names the reason why git ended with that code. What it does not know
// is a failure.
func classify(code int, messages []byte) status.Failure {
	for _, s := range signs() {
		if bytes.Contains(messages, []byte(s.text)) {
			return s.means().With(status.ExitCode.Is(code))
		}
	}
	return status.Fail(status.ProgramFailed, status.Part.Is("git"), status.ExitCode.Is(code))
}

// harmless are openings of messages that take nothing away from an answer.
func harmless() []string {
	return []string{"warning: refname", "warning: exhaustive rename", "warning: inexact rename", "warning: you may want", "warning: only found copies"}
}

// doubtOf reads the messages of a run that git itself calls a success; nil if
// none of them takes anything away from its output.
func doubtOf(messages []byte) *status.Failure {
	for _, line := range bytes.Split(messages, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 || opens(line, harmless()) {
			continue
		}
		known := false
		for _, s := range signs() {
			known = known || bytes.Contains(line, []byte(s.text))
		}
		if known || opens(line, []string{"error:", "fatal:"}) {
			f := classify(0, line)
			return &f
		}
	}
	return nil
}

func opens(line []byte, prefixes []string) bool {
	for _, p := range prefixes {
		if bytes.HasPrefix(line, []byte(p)) {
			return true
		}
	}
	return false
}
