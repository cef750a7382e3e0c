//go:build realservers

package realservers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// The settings of questions that are disturbed: nothing is tried twice, and the next
// question is asked at once. What is to be too slow is measured by the hasty ones.
const (
	once  = "{max_attempts: 1, timeout: 20s, budget: 40s, cooldown: 1ms}"
	hasty = "{max_attempts: 1, timeout: 300ms, budget: 600ms, cooldown: 1ms}"
)

// toxiproxy stands between frank and a server and disturbs what passes.
// https://github.com/Shopify/toxiproxy
type toxiproxy struct {
	api  string
	ways atomic.Int64
}

func startToxiproxy(t *testing.T) *toxiproxy {
	t.Helper()
	script(t, "./faults.sh", "install", folder(t))
	address, port := local(t)
	serve(t, []string{address}, "./faults.sh", "toxiproxy", folder(t), port)
	return &toxiproxy{api: "http://" + address}
}

// toxic is a disturbance, of what goes upstream or comes downstream.
type toxic struct {
	Type       string         `json:"type"`
	Stream     string         `json:"stream"`
	Attributes map[string]int `json:"attributes"`
}

// way is one way through toxiproxy.
type way struct {
	proxy         *toxiproxy
	name, address string
}

// before opens a way to a server, which is gone with the test.
func (p *toxiproxy) before(t *testing.T, server string) *way {
	t.Helper()
	name := fmt.Sprintf("way-%d", p.ways.Add(1))
	var made struct{ Listen string }
	p.do(t, http.MethodPost, "/proxies", map[string]any{"name": name, "listen": "127.0.0.1:0", "upstream": server, "enabled": true}, &made)
	w := &way{proxy: p, name: name, address: made.Listen}
	t.Cleanup(func() {
		req, err := http.NewRequest(http.MethodDelete, p.api+"/proxies/"+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	})
	return w
}

func (w *way) disturb(t *testing.T, toxics ...toxic) {
	t.Helper()
	for _, x := range toxics {
		w.proxy.do(t, http.MethodPost, "/proxies/"+w.name+"/toxics", x, nil)
	}
}

// clear takes all disturbances away.
func (w *way) clear(t *testing.T) {
	t.Helper()
	var toxics []struct{ Name string }
	w.proxy.do(t, http.MethodGet, "/proxies/"+w.name+"/toxics", nil, &toxics)
	for _, x := range toxics {
		w.proxy.do(t, http.MethodDelete, "/proxies/"+w.name+"/toxics/"+x.Name, nil, nil)
	}
	w.open(t, true)
}

// open lets connections be made, or refuses them.
func (w *way) open(t *testing.T, open bool) {
	t.Helper()
	w.proxy.do(t, http.MethodPost, "/proxies/"+w.name, map[string]any{"enabled": open}, nil)
}

func (p *toxiproxy) do(t *testing.T, method, path string, body, into any) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	code, got := fetch(t, method, p.api+path, "", string(b))
	if code > 299 {
		t.Fatalf("toxiproxy: %s %s: %d %s", method, path, code, got)
	}
	if into != nil {
		if err := json.Unmarshal(got, into); err != nil {
			t.Fatal(err)
		}
	}
}

// fault is something that goes wrong on the way, and why frank then cannot tell.
type fault struct {
	name    string
	toxics  []toxic
	closed  bool // connections are refused
	slow    bool // it is only wrong because it takes too long
	reasons []string
}

func down(kind string, attributes map[string]int) []toxic {
	return []toxic{{kind, "downstream", attributes}}
}

func up(kind string, attributes map[string]int) []toxic {
	return []toxic{{kind, "upstream", attributes}}
}

var (
	lost     = []string{"network_error"}
	tooLate  = []string{"timeout"}
	either   = []string{"timeout", "network_error"} // by which of both gives up first
	inPieces = map[string]int{"average_size": 40, "size_variation": 20, "delay": 100}
)

// lostAnswers are faults after which a server has done what it was asked to do.
var lostAnswers = []fault{
	{name: "an answer that comes too late", toxics: down("latency", map[string]int{"latency": 60_000}), slow: true, reasons: tooLate},
	{name: "a connection that closes in place of an answer", toxics: down("limit_data", map[string]int{"bytes": 0}), reasons: lost},
	{name: "an answer that ends in its head", toxics: down("limit_data", map[string]int{"bytes": 60}), reasons: lost},
	{name: "an answer that is reset", toxics: down("reset_peer", map[string]int{"timeout": 0}), reasons: lost},
}

// slowReads are only too slow for the hasty.
var slowReads = []fault{
	{name: "no answer", toxics: down("timeout", map[string]int{"timeout": 0}), slow: true, reasons: either},
	{name: "an answer that trickles", slow: true, reasons: tooLate, toxics: []toxic{
		{"latency", "downstream", map[string]int{"latency": 100}},
		{"bandwidth", "downstream", map[string]int{"rate": 1}},
	}},
}

// lostQuestions are faults after which a server has not been asked.
var lostQuestions = []fault{
	{name: "a question that is reset", toxics: up("reset_peer", map[string]int{"timeout": 0}), reasons: lost},
	{name: "a question that is cut", toxics: up("limit_data", map[string]int{"bytes": 30}), reasons: lost},
	{name: "a question that gets stuck", toxics: up("timeout", map[string]int{"timeout": 0}), slow: true, reasons: either},
}

var unreachable = fault{name: "a refused connection", closed: true, reasons: lost}

// harmless disturbs nothing that matters.
var harmless = []fault{
	{name: "an answer that comes late", toxics: down("latency", map[string]int{"latency": 40})},
	{name: "an answer in pieces", toxics: down("slicer", inPieces)},
	{name: "a question in pieces", toxics: up("slicer", inPieces)},
}

// set disturbs the way.
func (f fault) set(t *testing.T, w *way) {
	t.Helper()
	w.disturb(t, f.toxics...)
	if f.closed {
		w.open(t, false)
	}
}

func (f fault) retry() string {
	if f.slow {
		return hasty
	}
	return once
}

// stage is a real server, and how to put a new frank before it or what stands between.
type stage struct {
	address   string
	open      func(t *testing.T, address, retry string) *desk
	questions []question // the first few are also asked with a fault at each place
}

const few = 6

// undisturbed asks without a fault.
func (s stage) undisturbed(t *testing.T, q question) answer {
	t.Helper()
	return s.open(t, s.address, patient).ask(t, q.tool, q.arguments, q.want)
}

// faults asks each question under each fault: it must be told why nothing is known.
func (s stage) faults(t *testing.T, p *toxiproxy) {
	for _, f := range slices.Concat(lostAnswers, slowReads, lostQuestions, []fault{unreachable}) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w := p.before(t, s.address)
			f.set(t, w)
			for _, q := range s.questions {
				d := s.open(t, w.address, f.retry())
				a := d.call(t, q.tool, q.arguments)
				if a.Status != "access_failure" || a.Code != "SOURCE_UNRELIABLE" || !slices.Contains(f.reasons, a.Failure.Reason) || a.Coverage.Next != "" {
					t.Errorf("%s: wanted access_failure SOURCE_UNRELIABLE %v, answered:\n%s", q.name, f.reasons, a.text)
				}
			}
		})
	}
	for _, f := range harmless {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w := p.before(t, s.address)
			f.set(t, w)
			d := s.open(t, w.address, patient)
			for _, q := range s.questions {
				d.ask(t, q.tool, q.arguments, q.want)
			}
		})
	}
}

// cuts ends each connection after so many bytes of the server's, everywhere in what
// it says. An answer that is not the undisturbed one must say that it is not whole.
func (s stage) cuts(t *testing.T, p *toxiproxy) {
	for _, q := range s.questions[:few] {
		t.Run(q.name, func(t *testing.T) {
			t.Parallel()
			whole := s.undisturbed(t, q)
			w := p.before(t, s.address)
			told := 0
			for n := 1; n < 4500; n += 307 {
				w.clear(t)
				w.disturb(t, down("limit_data", map[string]int{"bytes": n})...)
				a := s.open(t, w.address, once).call(t, q.tool, q.arguments)
				if s.doubted(t, fmt.Sprintf("cut after %d bytes", n), a, whole, w.address, "network_error", "truncated_body", "circuit_open") {
					told++
				}
			}
			if told < 2 {
				t.Errorf("only %d cuts were noticed", told)
			}
		})
	}
}

// limits refuses all requests after so many with a 429 of nginx, after each of those
// that a question needs.
func (s stage) limits(t *testing.T) {
	for _, q := range s.questions[:few] {
		t.Run(q.name, func(t *testing.T) {
			t.Parallel()
			whole := s.undisturbed(t, q)
			for n := 0; ; n++ {
				address := limited(t, s.address, limit{rate: "1r/m", admits: n})
				a := s.open(t, address, once).call(t, q.tool, q.arguments)
				if !s.doubted(t, fmt.Sprintf("refused after %d requests", n), a, whole, address, "rate_limited", "circuit_open") {
					break
				}
				if n > 20 {
					t.Fatal("the limit is never far enough away")
				}
			}
		})
	}
}

// doubted reports whether an answer says that something was not seen, for one of the
// reasons: the last request of a question may meet a source that rests already. If it does not, it must be the undisturbed one.
func (s stage) doubted(t *testing.T, when string, a, whole answer, address string, reasons ...string) bool {
	t.Helper()
	if a.Status == whole.Status && a.Code == whole.Code && a.Failure.Reason == whole.Failure.Reason {
		if as := strings.ReplaceAll(string(a.Data), address, s.address); as != string(whole.Data) {
			t.Errorf("%s: without a word it tells\n%s\nin place of\n%s", when, as, whole.Data)
		}
		return false
	}
	if a.Status != "access_failure" && a.Status != "partial" || a.Code != "SOURCE_UNRELIABLE" || !slices.Contains(reasons, a.Failure.Reason) {
		t.Errorf("%s: answered\n%s", when, a.text)
	}
	return true
}

// limit is how many requests nginx lets through: so many at once, then more at the
// rate. Methods is a pattern of those that count; empty: all. Of the others it says
// 429, and to wait so many seconds if that is not zero.
type limit struct {
	rate    string
	admits  int
	methods string
	after   int
	timeout string // for the answer of the server; empty: nginx's own
}

// limited puts nginx before a server.
func limited(t *testing.T, server string, l limit) string {
	t.Helper()
	address, _ := local(t)
	dir := t.TempDir()
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, []byte(l.conf(dir, address, server)), 0o600); err != nil {
		t.Fatal(err)
	}
	serve(t, []string{address}, "./faults.sh", "nginx", conf)
	if l.admits == 0 { // there is no limit of none: one request uses it up
		fetch(t, http.MethodGet, "http://"+address+"/", "", "")
	}
	return address
}

// conf is the configuration. https://nginx.org/en/docs/http/ngx_http_limit_req_module.html
func (l limit) conf(dir, address, server string) string {
	burst, after, timeout, methods := "", "", "", "."
	if l.admits > 1 {
		burst = fmt.Sprintf("burst=%d nodelay", l.admits-1)
	}
	if l.after > 0 {
		after = fmt.Sprintf("add_header Retry-After %d always;", l.after)
	}
	if l.timeout != "" {
		timeout = "proxy_read_timeout " + l.timeout + ";"
	}
	if l.methods != "" {
		methods = l.methods
	}
	return strings.NewReplacer("DIR", dir, "ADDRESS", address, "SERVER", server, "RATE", l.rate, "BURST", burst,
		"AFTER", after, "TIMEOUT", timeout, "METHODS", methods).Replace(`
daemon off;
master_process off;
pid DIR/pid;
error_log stderr crit;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path DIR/body;
  proxy_temp_path DIR/proxy;
  fastcgi_temp_path DIR/fastcgi;
  uwsgi_temp_path DIR/uwsgi;
  scgi_temp_path DIR/scgi;
  map $request_method $counted { "~METHODS" all; default ""; }
  limit_req_zone $counted zone=requests:1m rate=RATE;
  limit_req_status 429;
  server {
    listen ADDRESS;
    error_page 429 = @refused;
    location / {
      limit_req zone=requests BURST;
      proxy_pass http://SERVER;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      TIMEOUT
    }
    location @refused {
      AFTER
      return 429;
    }
  }
}
`)
}
