package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FileName is the name looked for where no path is given.
const FileName = "frank.yaml"

// maxFile bounds the file; a real one is a few hundred bytes.
const maxFile = 256 << 10

// Search says where a configuration file may be. Places are tried in the order
// of the fields.
type Search struct {
	// Flag is the argument of --config.
	Flag string
	// Env is the value of FRANK_CONFIG.
	Env string
	// Dir is the working directory.
	Dir string
	// UserDir is the user's configuration folder (os.UserConfigDir).
	UserDir string
}

// SystemSearch returns the places of this process; flag is the argument of
// --config, "" without one.
func SystemSearch(flag string) Search {
	s := Search{Flag: flag, Env: os.Getenv("FRANK_CONFIG")}
	s.Dir, _ = os.Getwd()
	s.UserDir, _ = os.UserConfigDir()
	return s
}

// Find returns the path of the configuration file, "" where there is none. A
// file that was named but is not there, and one that is there but is no
// readable regular file, are Faults: going on with another one would answer
// for sources nobody asked about.
func (s Search) Find() (string, error) {
	named := []struct{ path, by string }{{s.Flag, "--config"}, {s.Env, "FRANK_CONFIG"}}
	for _, n := range named {
		if n.path == "" {
			continue
		}
		if !filepath.IsAbs(n.path) && s.Dir != "" {
			n.path = filepath.Join(s.Dir, n.path)
		}
		found, err := present(n.path)
		if err == nil && !found {
			err = Faults{{Path: n.path, Text: "the file named by " + n.by + " does not exist; correct the path or leave it out"}}
		}
		return n.path, err
	}
	for _, dir := range []string{s.Dir, filepath.Join(s.UserDir, "frank")} {
		if dir == "" || (s.UserDir == "" && dir == "frank") {
			continue
		}
		path := filepath.Join(dir, FileName)
		if found, err := present(path); found || err != nil {
			return path, err
		}
	}
	return "", nil
}

func present(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, Faults{{Path: path, Text: "the file cannot be reached; check the permissions of it and of its folders"}}
	case info.IsDir():
		return false, Faults{{Path: path, Text: "this is a directory, not a configuration file; name the file in it"}}
	}
	return true, nil
}

// Load reads and checks the file at path; connected is as for Parse. Every error is
// of type Faults and lists all that is wrong.
func Load(path string, connected ...string) (*Config, error) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if found, err := present(path); err != nil {
		return nil, err
	} else if !found {
		return nil, Faults{{Path: path, Text: "the file does not exist"}}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, Faults{{Path: path, Text: "the file cannot be opened; check its permissions"}}
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, Faults{{Path: path, Text: "the file cannot be read to its end"}}
	}
	return Parse(path, data, connected...)
}
