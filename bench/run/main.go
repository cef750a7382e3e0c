// Command run starts frank and a bare mcp-go echo server in turn, as a host does
// over stdio, and prints medians side by side: cold start to the initialize
// reply, a call of a tool, memory after tools/list, and the size of tools/list.
// Then it asks four sources on loopback at once, beside the slowest of them alone,
// and once more while that one hangs; both have a goal, and missing one is an error.
//
//	go run ./bench/run [-rounds 20]
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 20, "how often each server is started")
	flag.Parse()
	if err := compare(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type target struct {
	name, pkg, tool, args string
	binary                string
	start, call           []time.Duration
	rss                   []int
	list                  int
	inputs                int
}

func compare(rounds int) error {
	dir, err := os.MkdirTemp("", "frank-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// An empty directory: what is measured is the server, not the checkout it stands in.
	config := filepath.Join(dir, "frank.yaml")
	if err := os.WriteFile(config, []byte("sources:\n  - {name: here, provider: local, root: .}\n"), 0o600); err != nil {
		return err
	}
	targets := []*target{
		{name: "frank", pkg: ".", tool: "list_capabilities", args: "{}"},
		{name: "bare mcp-go echo", pkg: "./bench/echo", tool: "echo", args: `{"text":"x"}`},
	}
	for _, t := range targets {
		t.binary = filepath.Join(dir, strings.Fields(t.name)[0])
		if out, err := exec.Command("go", "build", "-o", t.binary, t.pkg).CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", t.pkg, err, out)
		}
	}
	for range rounds {
		for _, t := range targets { // in turn, so that a busy machine slows both alike
			if err := t.round(dir, config); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	show(targets)
	return fan(targets[0].binary, dir, rounds)
}

// round is one life of a server.
func (t *target) round(dir, config string) error {
	cmd := exec.Command(t.binary)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "FRANK_CONFIG="+config, "XDG_STATE_HOME="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(out, 1<<20)
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	ask := func(request string) (string, error) {
		if _, err := fmt.Fprintln(in, request); err != nil {
			return "", err
		}
		return lines.ReadString('\n')
	}
	if _, err := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`); err != nil {
		return err
	}
	t.start = append(t.start, time.Since(begin))
	if _, err := fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		return err
	}
	list, err := ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if err != nil {
		return err
	}
	t.measure(list)
	t.rss = append(t.rss, memory(cmd.Process.Pid))
	call := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + t.tool + `","arguments":` + t.args + `}}`
	for i := range 50 {
		begin = time.Now()
		line, err := ask(call)
		for err == nil && !strings.Contains(line, `"id":3`) { // a notification came in between
			line, err = lines.ReadString('\n')
		}
		if err != nil {
			return err
		}
		if i >= 10 {
			t.call = append(t.call, time.Since(begin))
		}
	}
	if err := in.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}

// measure reads the sizes of a tools/list answer.
func (t *target) measure(list string) {
	var answer struct {
		Result struct {
			Tools []struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				InputSchema json.RawMessage `json:"inputSchema"`
			} `json:"tools"`
		} `json:"result"`
	}
	t.list, t.inputs = len(list), 0
	if json.Unmarshal([]byte(list), &answer) != nil {
		return
	}
	for _, x := range answer.Result.Tools {
		t.inputs += len(x.Name) + len(x.Description) + len(x.InputSchema)
	}
}

// memory is the resident set in KiB, 0 where /proc does not tell.
func memory(pid int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}

func show(targets []*target) {
	a, b := targets[0], targets[1]
	fmt.Printf("%-34s %14s %18s %8s\n", "medians", a.name, b.name, "ratio")
	duration := func(what string, x, y []time.Duration) {
		m, n := median(x), median(y)
		fmt.Printf("%-34s %14s %18s %8.2f\n", what, m.Round(10*time.Microsecond), n.Round(10*time.Microsecond), float64(m)/float64(n))
	}
	duration("cold start to initialize reply", a.start, b.start)
	duration("call over stdio", a.call, b.call)
	slices.Sort(a.rss)
	slices.Sort(b.rss)
	m, n := a.rss[len(a.rss)/2], b.rss[len(b.rss)/2]
	fmt.Printf("%-34s %10d KiB %14d KiB %8.2f\n", "resident after tools/list", m, n, float64(m)/float64(n))
	fmt.Printf("%-34s %12d B\n", "tools/list", a.list)
	fmt.Printf("%-34s %12d B\n", "names, descriptions, input schemas", a.inputs)
}

func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}
