package main

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestEveryPackageHasALayer: a package that no rule of depguard names could
// import anything, so that the layers would hold only for the packages of today.
func TestEveryPackageHasALayer(t *testing.T) {
	data, err := os.ReadFile(".golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	var lint struct {
		Linters struct {
			Enable   []string
			Settings struct {
				Depguard struct {
					Rules map[string]struct {
						Mode  string `yaml:"list-mode"`
						Files []string
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(data, &lint); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(lint.Linters.Enable, "depguard") {
		t.Error("depguard is off")
	}
	var strict []string
	for _, r := range lint.Linters.Settings.Depguard.Rules {
		if r.Mode == "strict" {
			strict = append(strict, r.Files...)
		}
	}
	for _, dir := range packages(t) {
		if !slices.ContainsFunc(strict, func(glob string) bool { return covers(glob, dir) }) {
			t.Errorf("package %s has no rule in .golangci.yml", dir)
		}
	}
}

// packages are the folders that hold Go files other than tests.
func packages(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !slices.Contains(dirs, path.Dir(name)):
			dirs = append(dirs, path.Dir(name))
		}
		return nil
	})
	if err != nil || len(dirs) < 10 {
		t.Fatalf("found %v: %v", dirs, err)
	}
	return dirs
}

func covers(glob, dir string) bool {
	glob, ok := strings.CutPrefix(glob, "**/")
	if !ok { // an exception, or a variable
		return false
	}
	ok, err := path.Match(strings.ReplaceAll(glob, "**", "*"), path.Join(dir, "main.go"))
	return ok && err == nil
}
