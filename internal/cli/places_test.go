package cli_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// newPlaces is as much of Jira, Confluence, Redmine and MediaWiki as a probe asks for,
// each under a path of its own. All take the good token, alone or in a pair with
// ada@acme.example.
func newPlaces(t testing.TB) *httptest.Server {
	t.Helper()
	const may = `{"havePermission":true}`
	answers := map[string]string{
		"/jira/rest/api/2/serverInfo":                `{"baseUrl":"http://jira.example","deploymentType":"Server"}`,
		"/jira/rest/api/2/myself":                    `{"name":"ada","displayName":"Ada"}`,
		"/jira/rest/api/2/project/PAY":               `{"key":"PAY","name":"Payments"}`,
		"/jira/rest/api/2/mypermissions":             `{"permissions":{"CREATE_ISSUES":` + may + `,"EDIT_ISSUES":` + may + `,"ADD_COMMENTS":` + may + `}}`,
		"/confluence/rest/api/user/current":          `{"type":"known","username":"ada","userKey":"8a7f","displayName":"Ada"}`,
		"/confluence/rest/api/space/DOCS":            `{"id":1,"key":"DOCS","name":"Documents","status":"current"}`,
		"/redmine/users/current.json":                `{"user":{"id":7,"login":"ada","firstname":"Ada","lastname":"L"}}`,
		"/redmine/projects/payments.json":            `{"project":{"id":1,"identifier":"payments","name":"Payments","status":1,"is_public":true,"enabled_modules":[{"id":1,"name":"issue_tracking"},{"id":2,"name":"wiki"}]}}`,
		"/redmine/projects/payments/issues.json":     `{"issues":[],"total_count":0,"offset":0,"limit":1}`,
		"/redmine/projects/payments/wiki/index.json": `{"wiki_pages":[]}`,
		"/redmine/projects/dim.json":                 `{"project":{"id":2,"identifier":"dim","name":"Dim","status":1,"is_public":true,"enabled_modules":[{"id":1,"name":"issue_tracking"},{"id":2,"name":"wiki"}]}}`,
		"/redmine/projects/dim/issues.json":          "",
		"/redmine/projects/dim/wiki/index.json":      `{"wiki_pages":[]}`,
		"/wiki/api.php":                              `{"batchcomplete":true,"query":{"general":{"mainpage":"Main Page","sitename":"Harbour","generator":"MediaWiki 1.39.17","case":"first-letter","articlepath":"/wiki/$1","scriptpath":"/w","script":"/w/index.php","server":"http://wiki.example"},"namespaces":{"0":{"id":0,"case":"first-letter","name":"","subpages":false,"content":true,"nonincludable":false},"12":{"id":12,"case":"first-letter","name":"Help","subpages":true,"content":false,"nonincludable":false,"canonical":"Help"}},"namespacealiases":[],"extensions":[],"userinfo":{"id":3,"name":"Ada"}}}`,
		"/open/api.php":                              `{"batchcomplete":true,"query":{"general":{"mainpage":"Main Page","sitename":"Open","generator":"MediaWiki 1.39.17","case":"first-letter","articlepath":"/wiki/$1","scriptpath":"/w","script":"/w/index.php","server":"http://wiki.example"},"namespaces":{"0":{"id":0,"case":"first-letter","name":"","subpages":false,"content":true,"nonincludable":false}},"namespacealiases":[],"extensions":[],"userinfo":{"id":0,"name":"127.0.0.1","anon":true}}}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		pair := base64.StdEncoding.EncodeToString([]byte("ada@acme.example:" + goodToken))
		a := r.Header.Get("Authorization")
		if a != "Bearer "+goodToken && a != "Basic "+pair && r.Header.Get("X-Redmine-Api-Key") != goodToken && !strings.HasPrefix(r.URL.Path, "/open/") {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"errorMessages":["no"]}`)
			return
		}
		body, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			body = `{"errorMessages":["no"],"errors":{}}`
		}
		if ok && body == "" { // how Redmine refuses
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}
