package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const shape = `{"type":"object","required":["status"],"additionalProperties":false,"properties":{
"status":{"type":"string","enum":["success","empty"]},"data":{"type":"object","description":"x"},"list":{"type":"array"},
"deep":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"any":{"description":"x"}}}`

func TestSchemaIsHeldAtEveryDepthThatItSpeaksOf(t *testing.T) {
	s := new(schemas).of([]byte(shape))
	for doc, want := range map[string]bool{
		`{"status":"success"}`: true,
		` { "status" : "empty" , "data" : {"a":[1,{"b":"}\"]"}]} , "list":[{},"]"] , "deep":{"n":1} } `: true,
		`{"status":"success","any":[1]}`: true, `{"status":"success","any":"x"}`: true,
		`{"status":"bogus"}`: false, `{"status":5}`: false, `{}`: false, `[]`: false, `null`: false, `"x"`: false, ``: false, `{"status":"success"`: false,
		`{"status":"success","other":1}`: false, `{"status":"success","data":[]}`: false, `{"status":"success","data":null}`: false, `{"status":"success","data":"{}"}`: false,
		`{"status":"success","list":{}}`: false, `{"status":"success","deep":{}}`: false, `{"status":"success","deep":{"n":1.5}}`: false,
		`{"status":"bogus","status":"success"}`: false, "{\"status\":\"success\",\"any\":\"\xff\"}": false, `{"status":"success"} {}`: false,
	} {
		if got := s.accepts([]byte(doc)); got != want {
			t.Errorf("%s: %v", doc, got)
		}
	}
	if new(schemas).of([]byte(`{"type":5}`)).accepts([]byte(`{}`)) {
		t.Error("a schema that does not compile accepts")
	}
	all := new(schemas)
	if first := all.of([]byte(shape)); first != all.of([]byte(shape)) {
		t.Error("equal schemas are compiled twice")
	}
}

func TestSchemaThatLooksIntoPropertiesFromItsRootIsNotShortened(t *testing.T) {
	s := new(schemas).of([]byte(`{"type":"object","properties":{"data":{"type":"object"}},"allOf":[{"properties":{"data":{"required":["x"]}}}]}`))
	if s.accepts([]byte(`{"data":{}}`)) || !s.accepts([]byte(`{"data":{"x":1}}`)) {
		t.Error("the rule at the root was not seen")
	}
}

func TestMembersAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := rapid.MapOf(rapid.String(), rapid.Deferred(anyJSON)).Draw(t, "doc")
		raw, err := json.MarshalIndent(doc, rapid.StringMatching(`[ \t]{0,3}`).Draw(t, "prefix"), rapid.StringMatching(`[ \t]{0,3}`).Draw(t, "indent"))
		if err != nil {
			t.Skip()
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		got := map[string]json.RawMessage{}
		if !members(raw, func(name string, value json.RawMessage) bool { got[name] = value; return true }) {
			t.Fatal("stopped")
		}
		if !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Fatalf("%s: got %q, want %q", raw, got, want)
		}
	})
}

func anyJSON() *rapid.Generator[any] {
	return rapid.OneOf(
		rapid.Just[any](nil), rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Bool().AsAny(),
		rapid.SliceOfN(rapid.Deferred(anyJSON), 0, 3).AsAny(), rapid.MapOfN(rapid.String(), rapid.Deferred(anyJSON), 0, 3).AsAny(),
	)
}

func TestIDsAreSalvagedOnlyWhereTheyAreCertain(t *testing.T) {
	for raw, want := range map[string]string{
		`{"id":1,"x":"`:                          "1",
		`{"jsonrpc":"2.0","id":"a","params":{`:   `"a"`,
		`{"params":{"id":5},"id":7,`:             "7",
		`{"a":{"broken` + "\xff" + `"},"id": 8}`: "8",
		`{"id":{},"x":`:                          "",
		`{"x":"\"id\":5}`:                        "",
		`{"x":{"id":5}`:                          "5", // cut: looks outermost, and its sender would rather have an answer
		`{"x":"id"}`:                             "",
		`[1,2`:                                   "",
		``:                                       "",
	} {
		if got := string(salvageID([]byte(raw))); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

func TestSessionsIdleForHalfAnHourEndWhenAnotherBegins(t *testing.T) {
	now := time.Unix(0, 0)
	s := newSessions(func() time.Time { return now })
	idle, used, busy, listening := s.open(), s.open(), s.open(), s.open()
	busy.begin(&exchange{id: []byte("1")})
	s.listen(listening, &eventStream{})
	now = now.Add(20 * time.Minute)
	s.get(used.id)
	now = now.Add(11 * time.Minute)
	s.open()
	if s.get(idle.id) != nil {
		t.Error("the idle session is still there")
	}
	for name, kept := range map[string]*session{"used": used, "busy": busy, "listening": listening} {
		if s.get(kept.id) == nil {
			t.Errorf("the %s session is gone", name)
		}
	}
}

// TestAFloodOfIntroductionsDrivesOutOnlyItsOwn: who did more than initialize stays.
func TestAFloodOfIntroductionsDrivesOutOnlyItsOwn(t *testing.T) {
	now := time.Unix(0, 0)
	s := newSessions(func() time.Time { return now })
	live, listening := s.open(), s.open()
	s.work(live)
	s.listen(listening, &eventStream{})
	for range 3 * maxSessions {
		now = now.Add(time.Millisecond)
		if s.open() == nil {
			t.Fatal("a session that nobody uses took the place of a new one")
		}
	}
	if s.get(live.id) == nil || s.get(listening.id) == nil {
		t.Error("a session in use was driven out")
	}
	if len(s.byID) > maxSessions || s.used.Len() != len(s.byID) {
		t.Errorf("%d sessions", len(s.byID))
	}
	// Where all of them did something, the longest unused goes, if that is a while ago.
	s = newSessions(func() time.Time { return now })
	first := s.open()
	s.work(first)
	for range maxSessions - 1 {
		s.work(s.open())
	}
	if s.open() != nil {
		t.Error("a session that was used just now was driven out")
	}
	now = now.Add(sessionRecent + time.Second)
	if s.open() == nil || s.get(first.id) != nil {
		t.Error("no room was made")
	}
}

func TestNoSessionIsOpenedWhenAllAreInUse(t *testing.T) {
	s := newSessions(time.Now)
	for i := range maxSessions {
		s.open().begin(&exchange{id: fmt.Append(nil, i)})
	}
	if s.open() != nil {
		t.Error("opened")
	}
}

func TestClipTakesWhatDoesNotShow(t *testing.T) {
	if got := clip("a\x00b\u202ec\U000e0041d\n"); got != "abcd" {
		t.Errorf("%q", got)
	}
	if n := len([]rune(clip(strings.Repeat("é", 10_000)))); n != maxShown {
		t.Error(n)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{},[]]`, "\xff", `{"id":`, `{"jsonrpc":"2.0","method":"x","params":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := parse(raw)
		kinds := 0
		for _, is := range []bool{m.bad != nil, m.batch != nil && m.bad == nil, m.isRequest(), m.isNotification(), m.isResponse()} {
			if is {
				kinds++
			}
		}
		if kinds != 1 {
			t.Fatalf("%q is %d kinds of message", raw, kinds)
		}
		if !json.Valid(failed(m.ID, internalError())) {
			t.Fatalf("%q: its id makes an invalid answer", raw)
		}
	})
}
