package config

import (
	"os"
	"runtime"
)

// Warning is something that a person should look at, though the file itself is
// right.
type Warning struct {
	// Source is the one that it is about, "" if it is the file as a whole.
	Source string
	Text   string
}

// Check looks for what has no effect, and at what the configuration points to on
// this machine: roots that are not there, token files that others may read. It
// opens nothing.
func (c *Config) Check() []Warning {
	var ws []Warning
	if c.Path != "" && len(c.Sources) == 0 {
		ws = append(ws, Warning{Text: "the file names no sources; list some under sources, such as {name: here, provider: local, root: .}"})
	}
	for _, s := range c.Sources {
		if text := s.RootProblem(); text != "" {
			ws = append(ws, Warning{s.Name, text})
		}
		if s.Auth.Method == MethodFile && worldReadable(s.Auth.File) {
			ws = append(ws, Warning{s.Name, "the token_file can be read by every account of this machine; run chmod 600 on it"})
		}
	}
	return ws
}

// RootProblem says what keeps a local source from being read, "" if nothing
// does or the source is not local.
func (s Source) RootProblem() string {
	if s.Provider != Local {
		return ""
	}
	info, err := os.Stat(s.Root)
	switch {
	case os.IsNotExist(err):
		return "the root does not exist; create it or correct root"
	case err != nil:
		return "the root cannot be reached; check the permissions of it and of its folders"
	case !info.IsDir():
		return "the root is not a directory; name the directory it is in"
	}
	return ""
}

func worldReadable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o004 != 0
}
