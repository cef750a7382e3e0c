//go:build realclients

package realclients

import (
	"bufio"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// token is the one that the recordings were made with, as they hide it.
const token = "0000000000000000000000000000000000000001"

// exchange is a request of frank's and the recorded request whose answer it gets.
// The recordings hold one request for each answer, down to the last parameter;
// frank's own differ in page size, order and media type.
type exchange struct {
	ask      string // method, path and query as frank sends them
	scenario string
	recorded string // method, path and query of the recording
	accept   string // media type of the recording; empty: GitHub's JSON
	body     string // of the recording
	shape    shape  // nil: the answer is passed on as it is
}

// shape makes of a recorded JSON or raw answer the JSON of another endpoint.
type shape func(recorded []byte) ([]byte, error)

// firstRow is the single object: a listing holds it whole.
func firstRow(recorded []byte) ([]byte, error) {
	var rows []json.RawMessage
	if err := json.Unmarshal(recorded, &rows); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("the recorded listing has no row")
	}
	return rows[0], nil
}

// asBlob is the Git object with the recorded content of a file.
func asBlob(recorded []byte) ([]byte, error) {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(recorded)), recorded...))
	return json.Marshal(map[string]any{
		"sha": hex.EncodeToString(sum[:]), "size": len(recorded), "encoding": "base64", "content": recorded,
	})
}

// relay stands between frank and the server of the recordings. It changes
// requests, and an answer only where the exchange says how.
type relay struct {
	front    *httptest.Server
	upstream string // address of the server of the recordings

	mu         sync.Mutex
	ids        map[string]string // of the scenarios under way
	exchanges  []exchange
	unrecorded []string
}

func newRelay(t *testing.T) *relay {
	t.Helper()
	r := &relay{}
	r.front = httptest.NewServer(r)
	t.Cleanup(r.front.Close)
	packages := filepath.Join(programs.npm, "octokit")
	script, err := filepath.Abs("testdata/recordings.cjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(programs.node, script, packages, r.front.URL)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	port, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the server of the recordings did not start: %v\n%s", err, stderr.String())
	}
	r.upstream = "http://127.0.0.1:" + strings.TrimSpace(port)
	return r
}

// begin loads the scenarios anew and returns the base_url for frank.
func (r *relay) begin(t *testing.T, exchanges []exchange) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids, r.exchanges, r.unrecorded = map[string]string{}, exchanges, nil
	base := ""
	for _, x := range exchanges {
		if r.ids[x.scenario] != "" {
			continue
		}
		resp, err := http.Post(r.upstream+"/fixtures", "application/json", strings.NewReader(`{"scenario":"`+x.scenario+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		var loaded struct{ ID, URL string }
		err = json.NewDecoder(resp.Body).Decode(&loaded)
		_ = resp.Body.Close()
		if err != nil || loaded.ID == "" {
			t.Fatalf("scenario %s: status %d: %v", x.scenario, resp.StatusCode, err)
		}
		r.ids[x.scenario] = loaded.ID
		if base == "" {
			base = loaded.URL
		}
	}
	return base
}

// advance replays a request that others than frank made.
func (r *relay) advance(t *testing.T, x exchange) {
	t.Helper()
	resp, err := r.replay(x, r.ids[x.scenario])
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d", x.recorded, resp.StatusCode)
	}
}

// wantEnd fails unless frank asked for every exchange, and beyond them for just
// these, in any order, which were answered with 404.
func (r *relay) wantEnd(t *testing.T, unrecorded ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.exchanges {
		t.Errorf("frank did not ask %s", x.ask)
	}
	slices.Sort(unrecorded)
	if got := slices.Sorted(slices.Values(r.unrecorded)); !slices.Equal(got, unrecorded) {
		t.Errorf("frank asked beyond the recordings:\n%s", strings.Join(got, "\n"))
	}
}

var prefix = regexp.MustCompile(`^/api\.github\.com/\w+`)

func (r *relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	ask := req.Method + " " + prefix.ReplaceAllString(req.URL.EscapedPath(), "")
	if q := req.URL.Query().Encode(); q != "" {
		ask += "?" + q
	}
	if req.Header.Get("Authorization") != "Bearer "+token {
		ask += " without the token"
	}
	x, id, ok := r.take(ask)
	if !ok {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"not recorded"}`)
		return
	}
	if err := r.answer(w, x, id); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		r.note(err.Error())
	}
}

// take finds the exchange, which is used up then.
func (r *relay) take(ask string) (x exchange, id string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, x := range r.exchanges {
		if x.ask == ask {
			r.exchanges = append(r.exchanges[:i:i], r.exchanges[i+1:]...)
			return x, r.ids[x.scenario], true
		}
	}
	r.unrecorded = append(r.unrecorded, ask)
	return x, "", false
}

func (r *relay) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unrecorded = append(r.unrecorded, text)
}

// answer passes on what was recorded.
func (r *relay) answer(w http.ResponseWriter, x exchange, id string) error {
	resp, err := r.replay(x, id)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	for name, values := range resp.Header {
		if name != "Content-Length" && name != "Connection" {
			w.Header()[name] = values
		}
	}
	if x.shape != nil {
		if body, err = x.shape(body); err != nil {
			return fmt.Errorf("%s: %w", x.recorded, err)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.WriteHeader(resp.StatusCode)
	_, err = w.Write(body)
	return err
}

// replay sends a recorded request; a redirect is an answer like any other.
func (r *relay) replay(x exchange, id string) (*http.Response, error) {
	method, path, _ := strings.Cut(x.recorded, " ")
	req, err := http.NewRequest(method, r.upstream+"/api.github.com/"+id+path, strings.NewReader(x.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/vnd.github.v3+json")
	if x.accept != "" {
		req.Header.Set("Accept", x.accept)
	}
	if x.body != "" {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	req.Header.Set("Authorization", "token "+token)
	return http.DefaultTransport.RoundTrip(req)
}
