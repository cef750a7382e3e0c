package cli

import (
	"errors"
	"flag"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/frank-mcp/frank/internal/app"
)

// DefaultAddr is where serve listens if it is told nothing: FRAN on the keys of a
// telephone, in a range where no service is registered that people run.
const DefaultAddr = "127.0.0.1:3726"

// tokenEnv names the variable that holds the bearer token of the HTTP server.
const tokenEnv = "FRANK_HTTP_TOKEN"

// maxToken bounds the file of the bearer token.
const maxToken = 16 << 10

type stdioCommand struct{}

func (*stdioCommand) register(*flag.FlagSet) {}

// run serves one client and returns nil when the input ends or on SIGTERM.
func (*stdioCommand) run(r *run, _ []string) error {
	log := r.logger(slog.LevelInfo)
	a, err := r.start(log)
	if err != nil {
		return err
	}
	if screenOf(r.In).terminal {
		say(r.Err, "frank: waiting for an MCP client on standard input; hosts start frank like this.\nTo look around by hand, end it with Ctrl-C and try: frank doctor, frank --help")
	}
	announce(log, a, "stdio")
	return a.Server.ServeStdio(r.ctx, r.In, r.Out)
}

type serveCommand struct {
	addr           string
	tokenFile      string
	origins, hosts repeated
}

func (c *serveCommand) register(fs *flag.FlagSet) {
	fs.StringVar(&c.addr, "http", DefaultAddr, "listen on `ADDR`, host:port; port 0 takes a free one; default: "+DefaultAddr)
	fs.StringVar(&c.tokenFile, "token-file", "", "`FILE` with the bearer token that clients must send; wins over $"+tokenEnv+"; one of the two is needed unless ADDR is loopback")
	fs.Var(&c.origins, "allow-origin", "web page that may use the server, as `ORIGIN` scheme://host[:port]; repeatable; loopback pages on the same port may anyway")
	fs.Var(&c.hosts, "allow-host", "`HOST` name that a reverse proxy on this machine passes on; repeatable")
}

// run serves HTTP and returns nil on SIGTERM.
func (c *serveCommand) run(r *run, _ []string) error {
	token, err := c.token()
	if err != nil {
		return err
	}
	for _, o := range c.origins {
		if u, err := url.Parse(o); err != nil || u.Scheme == "" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
			return usage("--allow-origin must be scheme://host[:port], such as https://app.example.com; there is no wildcard")
		}
	}
	log := r.logger(slog.LevelInfo)
	a, err := r.start(log)
	if err != nil {
		return err
	}
	err = a.Server.ListenHTTP(r.ctx, app.HTTPOptions{
		Addr: c.addr, Token: token, Origins: c.origins, Hosts: c.hosts,
		Listening: func(addr net.Addr) {
			log.Info("listening", "streamable_http", "http://"+addr.String()+"/mcp", "sse", "http://"+addr.String()+"/sse", "token_required", token != "")
			announce(log, a, "http")
		},
	})
	if errors.Is(err, app.ErrTokenRequired) || errors.Is(err, app.ErrAddressInvalid) {
		return usage(err.Error())
	}
	return err
}

// token gets the bearer token, empty if there is to be none. One that was meant
// but is not there must not leave the server open.
func (c *serveCommand) token() (string, error) {
	value, set := os.LookupEnv(tokenEnv)
	from := tokenEnv
	if c.tokenFile != "" {
		f, err := os.Open(c.tokenFile)
		if err != nil {
			return "", usage("the file named by --token-file cannot be opened; check its path and permissions")
		}
		defer func() { _ = f.Close() }()
		data, err := io.ReadAll(io.LimitReader(f, maxToken))
		if err != nil {
			return "", usage("the file named by --token-file cannot be read; it must be a file that holds the token and nothing else")
		}
		value, set, from = string(data), true, "the file named by --token-file"
	}
	value = strings.TrimSpace(value)
	switch {
	case set && value == "":
		return "", usage(from + " is there but blank; put a token in it, or leave it out to serve this machine without one")
	case strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c > '~' }):
		return "", usage(from + " holds characters that no header can carry; use letters, digits and punctuation")
	}
	return value, nil
}
