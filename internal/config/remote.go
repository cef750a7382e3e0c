package config

import (
	"net/url"
	"strings"

	"github.com/frank-mcp/frank/internal/pattern"
)

// remote is a repository on a GitHub host. The user name and password that a
// remote's address may hold are never kept.
type remote struct{ host, project string }

// pickRemote chooses among the lines of git remote -v: origin first, then in
// the order git prints, the first that is on GitHub.
func pickRemote(list, enterprise string) (remote, bool) {
	var rest []string
	for line := range strings.SplitSeq(list, "\n") {
		name, address, ok := strings.Cut(line, "\t")
		address, _, fetch := strings.Cut(address, " (fetch)")
		if !ok || !fetch {
			continue
		}
		if name == "origin" {
			rest = append([]string{address}, rest...)
		} else {
			rest = append(rest, address)
		}
	}
	for _, address := range rest {
		if r, ok := parseRemote(address, enterprise); ok {
			return r, true
		}
	}
	return remote{}, false
}

// scpLike is git's short form for ssh: [user@]host:path.
var scpLike = pattern.New(`^(?:[^@/\s]+@)?([A-Za-z0-9.-]+):([^/\s].*|/[^/].*)$`)

func parseRemote(address, enterprise string) (remote, bool) {
	host, path := "", ""
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		switch u.Scheme {
		case "https", "http", "ssh", "git", "git+ssh":
			host, path = u.Hostname(), u.Path
		default:
			return remote{}, false
		}
	} else if m := scpLike.FindStringSubmatch(address); m != nil {
		host, path = m[1], m[2]
	}
	host = strings.ToLower(host)
	switch host {
	case "www.github.com", "ssh.github.com":
		// ssh.github.com answers on port 443 for networks that shut port 22.
		host = "github.com"
	case "github.com":
	case "":
		return remote{}, false
	default:
		if host != enterprise {
			return remote{}, false
		}
	}
	project := strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if !remoteProject.MatchString(project) {
		return remote{}, false
	}
	return remote{host, project}, true
}

var remoteProject = pattern.New(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
