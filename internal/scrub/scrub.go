// Package scrub takes out of a text what must not be stored: tokens of known
// shapes, credentials in headers and addresses, private keys, cookies, e-mail
// addresses, and long strings that look random.
//
// It knows shapes only. It never knows the configured secrets (whoever has those
// takes them out too), never proves that a text is harmless, and never says what
// it found.
package scrub

import (
	"regexp"
	"strings"
	"sync"
)

// Mark stands in place of what was taken out.
const Mark = "[redacted]"

// shape is one kind of thing to take out.
type shape struct {
	find *regexp.Regexp
	with string                  // what stands in its place
	keep func(found string) bool // whether it is harmless after all
}

// shapes are compiled by the first text, as most runs of frank have none.
var shapes = sync.OnceValue(func() []shape {
	return []shape{
		{find: regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\z)`), with: Mark},
		{find: regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie2?|private-token|job-token|x-[a-z-]*(?:api-?key|token|secret|signature)[a-z-]*)(["']?[ \t]*[:=])[^\r\n]+`), with: "${1}${2} " + Mark},
		{find: regexp.MustCompile(`(?i)\b(bearer)[ \t]+[a-z0-9._~+/=-]{6,}`), with: "${1} " + Mark, keep: followsProse},
		{find: regexp.MustCompile(`(?i)\b(basic)[ \t]+[a-z0-9+/_=-]{6,}`), with: "${1} " + Mark, keep: followsProse},
		{find: regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*://)[^\s/?#]*@`), with: "${1}" + Mark + "@"},
		{find: regexp.MustCompile(`(?i)(\b[a-z0-9_.-]*(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|session_?id|signature)["']?[ \t]*[:=][ \t]*["']?)[^\s"',;&\[]+`), with: "${1}" + Mark},
		{find: regexp.MustCompile(known), with: Mark},
		{find: regexp.MustCompile(`[\p{L}\p{N}.!#$%&'*+/=?^_{|}~-]+(?:@|%40|&#64;)(?:[\p{L}\p{N}-]+\.)+\p{L}[\p{L}\p{N}-]+`), with: Mark},
		{find: regexp.MustCompile(`[A-Za-z0-9+/_=-]{20,}`), with: Mark, keep: ordinary},
	}
})

// known are the tokens that say by their beginning what they are.
const known = `gh[opusr]_[A-Za-z0-9]{10,}|github_pat_\w{10,}|` + // GitHub
	`\bgl[a-z]{2,5}-[\w.-]{10,}|` + // GitLab
	`\bxox[a-z]-[\w.-]{8,}|\bxapp-[\w-]{8,}|hooks\.slack\.com/\S+|` + // Slack
	`\bsk-[\w-]{16,}|\b[prs]k_(?:live|test)_\w{8,}|\bwhsec_\w{8,}|` + // OpenAI, Anthropic, Stripe
	`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Za-z0-9]{12,}|\bAIza[\w-]{20,}|\bya29\.[\w.-]{10,}|` + // AWS, Google
	`\blin_(?:api|oauth|wh)_\w{8,}|\b(?:ntn|secret)_\w{16,}|\bAT[AC]TT[\w=.-]{10,}|` + // Linear, Notion, Atlassian
	`\bnpm_\w{16,}|\bpypi-[\w-]{16,}|\bhf_\w{16,}|\bdop_v1_\w{8,}|\bSG\.[\w-]{8,}\.[\w-]{8,}|` + // registries and others
	`\beyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)*` // JSON web tokens

// Text returns s without what must not be stored. It is the same for its own
// result.
func Text(s string) string {
	if harmless(s) {
		return s
	}
	for _, shape := range shapes() {
		s = shape.takeOut(s)
	}
	return s
}

// Dirty reports whether [Text] would change s.
func Dirty(s string) bool { return Text(s) != s }

// harmless sees without a search that a short text has none of the shapes: the
// names, codes and counts that most texts are.
func harmless(s string) bool {
	return len(s) < 12 && !strings.ContainsAny(s, "@:=% ")
}

func (p shape) takeOut(s string) string {
	if p.keep == nil {
		return p.find.ReplaceAllString(s, p.with)
	}
	return p.find.ReplaceAllStringFunc(s, func(found string) string {
		if p.keep(found) {
			return found
		}
		return p.find.ReplaceAllString(found, p.with)
	})
}

// followsProse: "bearer token" and "basic auth" are words about credentials, not
// credentials.
func followsProse(found string) bool {
	_, word, _ := strings.Cut(found, " ")
	switch strings.ToLower(strings.Trim(word, " \t.")) {
	case "access", "authentication", "authorization", "credential", "credentials", "header", "scheme", "tokens", "information", "support", "function", "question":
		return true
	}
	return false
}

// ordinary tells names, paths, slugs and numbers from strings that look random.
// In those, capitals, small letters and digits follow one another without order;
// a name changes between them a few times only. A UUID counts as a name: most of
// them are, of pages and issues.
func ordinary(run string) bool {
	changes, numbers := 0, 0
	last := separator
	for _, c := range []byte(run) {
		now := classOf(c)
		if now == digit && last != digit {
			numbers++
		}
		if now != last && now != separator && last != separator {
			changes++
		}
		last = now
	}
	mixed := numbers >= 2 && changes*5 >= len(run)
	wild := len(run) >= 24 && changes*20 >= len(run)*9 // camelCase changes less often
	long := len(run) >= 32 && numbers >= 1 && changes*4 >= len(run)
	return !mixed && !wild && !long
}

type class int

const (
	separator class = iota
	small
	capital
	digit
)

func classOf(c byte) class {
	switch {
	case c >= 'a' && c <= 'z':
		return small
	case c >= 'A' && c <= 'Z':
		return capital
	case c >= '0' && c <= '9':
		return digit
	}
	return separator
}
