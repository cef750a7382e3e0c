package config

import (
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/internal/pattern"
)

// plainScalar is what YAML takes for text without quotes, wherever it stands: words,
// paths and addresses.
var plainScalar = pattern.New(`^(?:\.{0,2}/|[A-Za-z])[A-Za-z0-9/._-]*$|^https?://[A-Za-z0-9/._:-]*[A-Za-z0-9/._-]$|^\.{1,2}$`)

// Render writes sources as a configuration file that Parse reads as the same sources.
// Roots are written as they are. Of a credential it writes where it is, since that is
// all that a Source knows.
func Render(sources []Source, writes bool) string {
	var b strings.Builder
	b.WriteString("# Written by frank init. Secrets do not belong in this file.\nsources:\n")
	for _, s := range sources {
		b.WriteString("  - name: " + scalar(s.Name) + "\n")
		row := func(key, value string) {
			if value != "" {
				b.WriteString("    " + key + ": " + scalar(value) + "\n")
			}
		}
		row("provider", s.Provider)
		row("base_url", s.BaseURL)
		row("root", s.Root)
		row("default_project", s.DefaultProject)
		if a := renderAuth(s.Auth); a != "" && s.Provider != Local {
			b.WriteString("    auth: {" + a + "}\n")
		}
		if s.Insecure {
			b.WriteString("    insecure: true\n")
		}
	}
	b.WriteString("writes: " + strconv.FormatBool(writes) + "\n")
	return b.String()
}

func renderAuth(a Auth) string {
	switch a.Method {
	case MethodEnv:
		return "token_env: " + scalar(a.Env)
	case MethodCommand:
		words := make([]string, len(a.Command))
		for i, w := range a.Command {
			words[i] = scalar(w)
		}
		return "token_command: [" + strings.Join(words, ", ") + "]"
	case MethodFile:
		return "token_file: " + scalar(a.File)
	case MethodKeyring, MethodNone:
		return a.Method.String() + ": true"
	case MethodUnset:
	}
	return ""
}

// scalar quotes a text unless it is plain whatever a reader of YAML makes of words
// such as no, null and 1.
func scalar(s string) string {
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return strconv.Quote(s)
	}
	if plainScalar.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}
