package github

import (
	"context"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// names is what an object is called. A call says what it asks for, an answer what
// it is for; what either leaves out says nothing.
type names struct {
	number int
	sha    string // of a commit or blob, whole
	label  string
	login  string
}

// named is an answer that tells what it is for.
type named interface{ called() names }

// echoed finds an answer for something else than was asked. Something that moved
// has another number, and an answer that came by a redirect may be for it.
func (asked names) echoed(x *upstream.Exchange, got names) *status.Failure {
	other := ""
	switch {
	case asked.number != 0 && got.number != 0 && asked.number != got.number && x.Location == "":
		other = "another number"
	case isHash(asked.sha) && got.sha != "" && asked.sha != got.sha:
		other = "another hash"
	case asked.label != "" && got.label != "" && !strings.EqualFold(asked.label, got.label):
		other = "another label"
	case asked.login != "" && got.login != "" && !strings.EqualFold(asked.login, got.login):
		other = "another account"
	default:
		return nil
	}
	return x.Contradicts(other + " came back")
}

func (w wireIssue) called() names {
	if w.Number == nil {
		return names{}
	}
	return names{number: *w.Number}
}

func (w wirePull) called() names {
	if w.Number == nil {
		return names{}
	}
	return names{number: *w.Number}
}

func (w wireCommit) called() names {
	if w.SHA == nil {
		return names{}
	}
	return names{sha: *w.SHA}
}

func (w wireBlob) called() names      { return names{sha: w.SHA} }
func (w wireStatuses) called() names  { return names{sha: w.SHA} }
func (w wireCompare) called() names   { return names{sha: w.BaseCommit.SHA} }
func (w wireOwner) called() names     { return names{login: w.Login} }
func (w wireAccount) called() names   { return loginName(w.Login) }
func (w wireOwnerSize) called() names { return loginName(w.Login) }

func loginName(login *string) names {
	if login == nil {
		return names{}
	}
	return names{login: *login}
}

// whence is the repository out of which the answer to a question about asked
// came, as far as its address tells: asked itself, unless the answer came by a
// redirect. Then the final address names it, or the record of the repository that
// was renamed. Nothing if that is not known.
func (c *client) whence(ctx context.Context, x *upstream.Exchange, asked repoName) repoName {
	if x == nil || x.Location == "" {
		return asked
	}
	if _, _, direct := strings.Cut(x.Location, "/repos/"); direct {
		r, _ := repoIn(x.Location)
		return r
	}
	if k, f := c.visible(ctx, asked); f == nil && k.moved {
		return k.name
	}
	return repoName{}
}

// home is the repository that an answer says it is in, else that from which it
// came. The failure is that policy keeps it from the question.
func (c *client) home(ctx context.Context, x *upstream.Exchange, asked repoName, says ...string) (repoName, *status.Failure) {
	r, ok := repoName{}, false
	for _, s := range says {
		if r, ok = parseRepo(s); !ok {
			r, ok = repoIn(s)
		}
		if ok {
			break
		}
	}
	if !ok {
		r = c.whence(ctx, x, asked)
	}
	return r, c.admits(ctx, r, asked)
}

// admits asks the policy about a repository that turned out to be another one
// than was asked.
func (c *client) admits(ctx context.Context, r, asked repoName) *status.Failure {
	if strings.EqualFold(r.String(), asked.String()) {
		return nil
	}
	return connectors.Admits(ctx, r.String())
}

// settled finds an answer that came from elsewhere although the repository had
// just said that this is its name.
func settled(x *upstream.Exchange, r repoName) *status.Failure {
	if x.Location == "" {
		return nil
	}
	if _, rest, ok := strings.Cut(x.Location, "/repos/"); ok && strings.HasPrefix(strings.ToLower(rest)+"/", strings.ToLower(r.String())+"/") {
		return nil
	}
	return x.Contradicts("the repository answers under one name, what is in it under another")
}
