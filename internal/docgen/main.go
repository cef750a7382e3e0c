// Command docgen writes the tables of tools, statuses, codes and reasons into the
// documentation, from the code that uses them. It changes nothing outside the
// marked parts and reads nothing but the files that it writes.
//
//	go run ./internal/docgen [-check]
//	go run ./internal/docgen -reached FILE
//
// With -check it writes nothing and fails if a file is out of date. With -reached
// it fails for a reason of the table that is not in the file, a name a line: what
// tests built with the tag reasons saw in the answers of tools.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/status"
)

func main() {
	check := flag.Bool("check", false, "fail if a file is out of date")
	root := flag.String("root", ".", "top of the repository")
	reached := flag.String("reached", "", "fail for a reason that is not in this `FILE`")
	flag.Parse()
	if *reached != "" {
		seen, err := os.ReadFile(*reached)
		if err == nil {
			err = unreached(string(seen))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "docgen:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

// run brings every file up to date, or with check only compares.
func run(root string, check bool) error {
	var stale []error
	for _, f := range files() {
		path := filepath.Join(root, f.path)
		old, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read %s: %w", f.path, err)
		}
		fresh, err := fill(old, f.parts)
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		if bytes.Equal(old, fresh) {
			continue
		}
		if check {
			stale = append(stale, fmt.Errorf("%s is out of date: run go generate", f.path))
			continue
		}
		if err := os.WriteFile(path, fresh, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", f.path, err)
		}
	}
	return errors.Join(stale...)
}

// fill replaces what stands between the markers of each part.
func fill(text []byte, parts []part) ([]byte, error) {
	for _, p := range parts {
		begin, end := []byte("<!-- generated: "+p.name+" -->\n"), []byte("<!-- end: "+p.name+" -->")
		i, j := bytes.Index(text, begin), bytes.Index(text, end)
		if i < 0 || j < i {
			return nil, fmt.Errorf("the markers of %q are missing", p.name)
		}
		text = bytes.Join([][]byte{text[:i+len(begin)], []byte(p.table()), text[j:]}, nil)
	}
	return text, nil
}

// unreached names the reasons that are not among the lines.
func unreached(seen string) error {
	lines := strings.Fields(seen)
	var missing []string
	for _, r := range status.Reasons() {
		if !slices.Contains(lines, r.Name()) {
			missing = append(missing, r.Name())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("no test makes a tool answer with %s", strings.Join(missing, ", "))
	}
	return nil
}
