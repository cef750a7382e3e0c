package ref

import (
	"net/url"
	"strings"
)

// wrappers are the services that put links through themselves, and the parameter that
// keeps the link: Microsoft Defender, Google, Slack, Facebook.
var wrappers = [...]struct{ host, path, parameter string }{
	{".safelinks.protection.outlook.com", "/", "url"},
	{"statics.teams.cdn.office.net", "/evergreen-assets/safelinks/", "url"},
	{"www.google.com", "/url", "q"},
	{"www.google.com", "/url", "url"},
	{"slack-redir.net", "/link", "url"},
	{"l.facebook.com", "/l.php", "u"},
}

// unwrapped is the link inside of one that a mail or chat program has put around it.
func unwrapped(s string) string {
	for range 3 { // one service may wrap what another one has wrapped
		u, err := url.Parse(s)
		if err != nil {
			return s
		}
		inner := ""
		for _, w := range wrappers {
			host := strings.ToLower(u.Host)
			if (host == w.host || strings.HasPrefix(w.host, ".") && strings.HasSuffix(host, w.host)) && strings.HasPrefix(u.Path, w.path) && inner == "" {
				inner = u.Query().Get(w.parameter)
			}
		}
		lower := strings.ToLower(inner)
		if !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "http://") {
			return s
		}
		s = inner
	}
	return s
}
