package mediawiki

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// credential sends an OAuth token as bearer. Of a bot password, user@bot:password,
// it sends the cookies of the session that the pair was traded for; the pair itself
// goes out only in the body of a login.
type credential struct {
	secret upstream.TokenFunc
	bearer *upstream.Token
	pair   *upstream.Token // only checks the form
}

func newCredential(secret upstream.TokenFunc) upstream.Credential {
	return &credential{secret, upstream.BearerToken(secret), upstream.BasicToken(secret)}
}

// wallet is how the credential and the requests of one call meet: the context of
// each request reaches both. It is never kept.
type wallet struct {
	user, password string // of a bot password
	cookies        string // of its session, as one header
}

type walletKey struct{}

// String keeps the contents out of every message.
func (*wallet) String() string { return "[secret]" }

func withWallet(ctx context.Context, w *wallet) context.Context {
	return context.WithValue(ctx, walletKey{}, w)
}

// Authorize sets the header that carries the token, or the session.
func (k *credential) Authorize(ctx context.Context, h http.Header) *status.Failure {
	secret, f := k.secret(ctx)
	if f != nil {
		return f
	}
	user, _, pair := strings.Cut(secret, ":")
	if !pair {
		return k.bearer.Authorize(ctx, h)
	}
	if f := k.pair.Authorize(ctx, http.Header{}); f != nil { // HT-16
		return f
	}
	if !strings.Contains(user, "@") {
		f := status.Fail(status.AuthHeaderResolutionFailed, status.NotCalled, status.Marker.Is("not user@bot:password"),
			status.Remedy.Is("make a bot password on the wiki's page Special:BotPasswords and give it as user@bot:password"))
		return &f
	}
	if w, ok := ctx.Value(walletKey{}).(*wallet); ok && w.cookies != "" {
		h.Set("Cookie", w.cookies)
	}
	return nil
}

// Identity is that of the secret. A bot password is put into the wallet on the way.
func (k *credential) Identity(ctx context.Context) string {
	if w, ok := ctx.Value(walletKey{}).(*wallet); ok {
		if secret, f := k.secret(ctx); f == nil {
			if user, password, pair := strings.Cut(secret, ":"); pair && strings.Contains(user, "@") {
				w.user, w.password = user, password
			}
		}
	}
	return k.bearer.Identity(ctx)
}

// Configured is true: a secret is meant to be used, even if it is missing.
func (k *credential) Configured() bool { return true }

// maxDoors bounds how many sessions are kept.
const maxDoors = 64

// doorway holds the sessions of bot passwords, by the fingerprint of the credential.
type doorway struct {
	mu    sync.Mutex
	doors map[string]*door
}

// door is the session of one bot password. One login is under way at a time.
type door struct {
	turn    chan struct{} // holds one token
	mu      sync.Mutex
	cookies string
}

func (d *doorway) door(fingerprint string) *door {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.doors) >= maxDoors {
		clear(d.doors)
	}
	if d.doors[fingerprint] == nil {
		d.doors[fingerprint] = &door{turn: make(chan struct{}, 1)}
	}
	return d.doors[fingerprint]
}

func (d *door) session() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cookies
}

func (d *door) keep(cookies string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cookies = cookies
}

// enter fills the wallet with a session. One that equals stale was refused and is
// replaced by a login.
func (c *client) enter(ctx context.Context, d *door, w *wallet, stale string) *status.Failure {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		f := status.Fail(status.Cancelled, status.NotCalled, status.By(c.source))
		return &f
	}
	if w.cookies = d.session(); w.cookies != "" && w.cookies != stale {
		return nil
	}
	w.cookies = ""
	d.keep("")
	if f := c.login(ctx, w); f != nil {
		return f
	}
	d.keep(w.cookies)
	return nil
}

type wireLogin struct {
	Result *string         `json:"result"`
	Reason json.RawMessage `json:"reason"` // an object with a code; of some wikis a sentence
	Wait   int             `json:"wait"`   // seconds, of a wiki that tells a limit as a result
}

// code is why a login did not succeed: the code of its reason, else its result.
func (w wireLogin) code() string {
	var reason struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(w.Reason, &reason) == nil && reason.Code != "" {
		return reason.Code
	}
	return *w.Result
}

// login trades the bot password for a session: a token, then the login itself, both
// in one session. https://www.mediawiki.org/wiki/API:Login
func (c *client) login(ctx context.Context, w *wallet) *status.Failure {
	in := withWallet(ctx, w)
	a, f := c.send(in, question{class: "GET api.php?meta=tokens", values: url.Values{"action": {"query"}, "meta": {"tokens"}, "type": {"login"}}, fresh: true})
	if f != nil {
		return f
	}
	if a.Query == nil || a.Query.Tokens == nil || a.Query.Tokens.Login == "" {
		return a.x.Misshapen("query.tokens.logintoken")
	}
	w.cookies = merged(w.cookies, a.x.Header)
	form := url.Values{"lgname": {w.user}, "lgpassword": {w.password}, "lgtoken": {a.Query.Tokens.Login}}
	a, f = c.send(in, question{class: "POST api.php?action=login", values: url.Values{"action": {"login"}}, form: form, fresh: true})
	if f != nil {
		return f
	}
	if a.Login == nil || a.Login.Result == nil {
		return a.x.Misshapen("login.result")
	}
	if *a.Login.Result != "Success" {
		return rejected(a.x, *a.Login)
	}
	w.cookies = merged(w.cookies, a.x.Header)
	return nil
}

// rejected is why a login did not succeed. What is no lock, limit or mishap says that
// the pair is wrong: the wiki does not tell an unknown bot from a wrong password.
func rejected(x *upstream.Exchange, w wireLogin) *status.Failure {
	switch w.code() {
	case "login-throttled", "ratelimited", "Throttled":
		return x.Fail(status.RateLimited, status.After(time.Duration(min(max(w.Wait, 0), 24*60*60))*time.Second))
	case "botpasswords-restriction-failed":
		return x.Fail(status.NetworkPolicyBlocked)
	case "botpasswords-locked", "Blocked", "CreateBlocked":
		return x.Fail(status.AccountBlocked)
	case "sessionlost":
		return x.Fail(status.Pending)
	case "NeedToken", "WrongToken":
		lost := x.Contradicts("it does not know the login token that it gave: its cookies are lost on the way").
			With(status.Remedy.Is("Let nothing between frank and the wiki take the header Set-Cookie away; if all is well there, repeat."))
		return &lost
	}
	return x.Fail(status.AuthFailed)
}

// merged is a Cookie header with what an answer sets added to it.
func merged(cookies string, h http.Header) string {
	pairs := strings.FieldsFunc(cookies, func(r rune) bool { return r == ';' || r == ' ' })
	for _, set := range (&http.Response{Header: h}).Cookies() {
		pairs = slices.DeleteFunc(pairs, func(p string) bool { return strings.HasPrefix(p, set.Name+"=") })
		if set.MaxAge >= 0 && set.Value != "" && set.Value != "deleted" {
			pairs = append(pairs, set.Name+"="+set.Value)
		}
	}
	return strings.Join(pairs, "; ")
}
