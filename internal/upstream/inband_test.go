package upstream_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// padded puts members of an object far beyond the size up to which JSON is parsed.
func padded(members string) string {
	return `{"pad":"` + strings.Repeat(`\"{`, 20<<10) + `",` + members + `}`
}

// TestErrorsInsideAnAcceptedAnswer of any provider are failures, small and large,
// at the top level only.
func TestErrorsInsideAnAcceptedAnswer(t *testing.T) {
	for members, want := range map[string]status.Reason{
		`"items":[],"errors":[{"message":"x"}]`:                        status.GraphQLError,
		`"items":[],"errors":{"a":"x"}`:                                status.GraphQLError,
		`"items":[],"errors":"x"`:                                      status.GraphQLError,
		`"items":[],"Errors" : [ 1 ]`:                                  status.GraphQLError,
		`"items":[],"\u0065rrors":[1]`:                                 status.GraphQLError,
		`"items":[],"error":"x"`:                                       status.GraphQLError,
		`"items":[],"error":{"code":1}`:                                status.GraphQLError,
		`"items":[],"error":true`:                                      status.GraphQLError,
		`"ok":false,"items":[]`:                                        status.GraphQLError,
		`"message":"Problem","documentation_url":"https://x"`:          status.GraphQLError,
		`"incomplete_results":true,"Incomplete_Results":false`:         status.Contradictory,
		`"items":[1],"items":[]`:                                       status.Contradictory,
		`"tota\u006c":1,"total":0`:                                     status.Contradictory,
		`"kind":1,"\u212aind":2`:                                       status.Contradictory, // the Kelvin sign
		`"items":[],"errors":[],"error":null`:                          {},
		`"items":[],"errors":{ },"error":"","ok":true`:                 {},
		`"items":[],"errors":null,"error":false,"ok":null`:             {},
		`"message":"a commit's","url":"https://x"`:                     {},
		`"message":"","documentation_url":"https://x"`:                 {},
		`"item":{"errors":[1],"a":1,"A":2,"a":3},"list":[{"error":1}]`: {},
		`"text":"\"errors\":[1]","x":["errors",[1]]`:                   {},
	} {
		for _, body := range []string{"{" + members + "}", padded(members)} {
			x, f := get(t, client(t, script(answer(200, body))))
			got := ""
			if f != nil {
				got = f.Reason().Name()
			}
			if got != want.Name() && !(f == nil && want == status.Reason{}) {
				t.Errorf("%s (%d bytes): %q, want %q, %v", members, len(body), got, want.Name(), x != nil)
			}
			if f != nil && f.Code() != status.SourceUnreliable {
				t.Errorf("%s: %s", members, f.Code())
			}
		}
	}
}

// TestManyKeysHideNoError: what is bounded is what is remembered, not what is seen.
func TestManyKeysHideNoError(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	_, f := get(t, client(t, script(answer(200, `{`+b.String()+`"errors":[1]}`))))
	wantFailure(t, f, status.GraphQLError)
}

// TestMarkersAreNamed for the connector, which knows what they mean.
func TestMarkersAreNamed(t *testing.T) {
	for body, want := range map[string]string{
		`{"incomplete_results":true,"truncated":true,"items":[]}`:                                         "incomplete_results truncated",
		`{"incomplete_results":false,"truncated":false,"warnings":[],"warningMessages":[],"timed_out":0}`: "",
		`{"warningMessages":["x"],"request_status":{"type":"incomplete"},"timed_out":true}`:               "request_status timed_out warningmessages",
		`{"item":{"truncated":true}}`: "",
		`[{"truncated":true}]`:        "",
	} {
		x, f := get(t, client(t, script(answer(200, body))))
		if f != nil || strings.Join(x.Markers, " ") != want {
			t.Errorf("%s: %v %v", body, x, f)
		}
	}
}

// TestFilesAreNotReadAsAnswers: a JSON file that was asked for as bytes may say
// what it likes.
func TestFilesAreNotReadAsAnswers(t *testing.T) {
	c := client(t, script(answer(200, `{"errors":[1],"a":1,"A":2}`)))
	if _, f := send(t, c, page, upstream.Want{Media: upstream.Bytes}); f != nil {
		t.Error(f.Reason())
	}
}
