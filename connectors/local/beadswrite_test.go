package local_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
)

const (
	oneBead   = `{"id":"bd-a1b2","title":"Broken <pipe>", "description":"It breaks.","design":"Mend it.","status":"open","priority":0,"x_new":{"b":1,"a":[2]},"issue_type":"bug","assignee":"ann","created_at":"2026-01-01T10:00:00Z","updated_at":"2026-02-01T10:00:00Z","labels":["infra","\u0061b"],"comments":[{"id":7,"issue_id":"bd-a1b2","author":"ann","text":"Needle.","created_at":"2026-01-02T10:00:00Z"}]}`
	otherBead = `{"title":"Ground",  "id":"bd-c3d4","status":"closed","priority":2,"created_at":"2026-01-01T09:00:00Z","updated_at":"2026-01-05T09:00:00Z","closed_at":"2026-01-05T09:00:00Z","close_reason":"done"}`
	beadsName = ".beads/issues.jsonl"
)

func beadShelf(t testing.TB) *shelf { return newShelf(t, beadsName, oneBead+"\n"+otherBead+"\n") }

func TestBeadsCreate(t *testing.T) {
	s := beadShelf(t)
	i := s.source().create(connectors.IssueCreate{Title: `A "new" <one>`, Body: "Two\nlines.", Labels: []string{"x", "y"}, Assignees: []string{"bob"}}).one()
	if !strings.HasPrefix(i.Ref, "bd-") || len(i.Ref) != len("bd-a1b2") {
		t.Error(i.Ref)
	}
	want(t, i.Title+"|"+i.Body+"|"+i.State+"|"+strings.Join(i.Labels, ",")+"|"+strings.Join(i.Assignees, ","), `A "new" <one>|Two`+"\nlines.|open|x,y|bob")
	want(t, s.read(beadsName), oneBead+"\n"+otherBead+"\n"+`{"id":"`+i.Ref+`","title":"A \"new\" <one>","description":"Two\nlines.","status":"open","priority":2,"issue_type":"task","assignee":"bob","created_at":"2026-11-30T12:00:00Z","created_by":"frank","updated_at":"2026-11-30T12:00:00Z","labels":["x","y"]}`+"\n")
	want(t, s.source().create(connectors.IssueCreate{Title: "x", Assignees: []string{"a", "b"}}).verdict, "access_failure CAPABILITY_UNAVAILABLE operation_unsupported")
}

func TestBeadsIDs(t *testing.T) {
	for _, c := range []struct{ file, wanted string }{
		{`{"id":"app-9","title":"x"}` + "\n" + `{"id":"app-11.2","title":"x"}` + "\n", "app-10"},
		{`{"id":"app-9","title":"x"}`, "app-10"},
		{"", "shelf-????"},
		{`{"id":"my-app-a1b2c","title":"x"}` + "\r\n", "my-app-?????"},
	} {
		s := newShelf(t, beadsName, c.file)
		id := s.source().create(connectors.IssueCreate{Title: "New"}).one().Ref
		if len(id) != len(c.wanted) || !strings.HasPrefix(id, strings.TrimRight(c.wanted, "?")) {
			t.Errorf("%q: %s, want %s", c.file, id, c.wanted)
		}
		if after := s.read(beadsName); !strings.HasPrefix(after, c.file) || strings.HasSuffix(c.file, "\n") != strings.HasSuffix(after, "\n") && c.file != "" {
			t.Errorf("%q", after)
		}
	}
	s := newShelf(t, beadsName, "", ".beads/config.yaml", "issue-prefix: \"abc\"\n")
	if id := s.source().create(connectors.IssueCreate{Title: "New"}).one().Ref; !strings.HasPrefix(id, "abc-") {
		t.Error(id)
	}
}

func TestBeadsUpdateLeavesTheRest(t *testing.T) {
	s := beadShelf(t)
	src := s.writable()
	i := src.update("bd-a1b2", connectors.IssueUpdate{Title: text("Mended"), Body: text("It breaks no more."), State: "CLOSED", AddLabels: []string{"Infra", "new"},
		RemoveLabels: []string{"AB"}, Assignees: &[]string{}}).one()
	want(t, i.Title+"|"+i.State+"|"+strings.Join(i.Labels, ",")+"|"+strings.Join(i.Assignees, ","), "Mended|closed|infra,new|")
	closed := strings.NewReplacer(`"Broken <pipe>"`, `"Mended"`, "It breaks.", "It breaks no more.", `"open"`, `"closed"`, `"assignee":"ann",`, "",
		`"updated_at":"2026-02-01T10:00:00Z"`, `"updated_at":"2026-11-30T12:00:00Z","closed_at":"2026-11-30T12:00:00Z"`, `["infra","\u0061b"]`, `["infra","new"]`).Replace(oneBead)
	want(t, s.read(beadsName), closed+"\n"+otherBead+"\n")
	want(t, src.update("bd-c3d4", connectors.IssueUpdate{State: "in_progress", AddLabels: []string{"l"}}).one().State, "in_progress")
	want(t, s.read(beadsName), closed+"\n"+`{"title":"Ground",  "id":"bd-c3d4","status":"in_progress","priority":2,"created_at":"2026-01-01T09:00:00Z","updated_at":"2026-11-30T12:00:00Z","labels":["l"]}`+"\n")
	w := src.change("tracker_update_issue", arguments{"ref": "bd-c3d4", "state": "Doing"})
	want(t, w.verdict+" "+w.options, `access_failure INPUT_MISSING dynamic_option_required ["open","closed","in_progress","blocked","deferred"]`)
}

func TestBeadsUnchanged(t *testing.T) {
	s := beadShelf(t)
	untouched := s.age(beadsName)
	for _, w := range []connectors.IssueUpdate{{State: "open"}, {Title: text("Broken <pipe>")}, {Body: text("It breaks.")}, {Body: text("It breaks.\n\n## Design\n\nMend it.")},
		{AddLabels: []string{"INFRA"}}, {RemoveLabels: []string{"none"}}, {Assignees: &[]string{"Ann"}}} {
		s.source().update("bd-a1b2", w).one()
		if !untouched() {
			t.Fatalf("%+v wrote the file", w)
		}
	}
}

func TestBeadsComment(t *testing.T) {
	s := beadShelf(t)
	i := s.source().comment("a1b2", "Seen.\n\n---\n\"x\"").one()
	if len(i.Thread) != 1 || i.Thread[0].ID != "8" || i.Thread[0].Author != "frank" || i.Thread[0].Body != "Seen.\n\n---\n\"x\"" {
		t.Errorf("%+v", i.Thread)
	}
	want(t, s.read(beadsName), strings.NewReplacer("2026-02-01T10", "2026-11-30T12", `2026-01-02T10:00:00Z"}]`,
		`2026-01-02T10:00:00Z"},{"id":8,"issue_id":"bd-a1b2","author":"frank","text":"Seen.\n\n---\n\"x\"","created_at":"2026-11-30T12:00:00Z"}]`).Replace(oneBead)+"\n"+otherBead+"\n")
	s.put(beadsName, strings.Replace(oneBead, `{"id":7,`, `{"id":"0190a","x":1,`, 1)+"\n"+strings.Replace(otherBead, `"priority"`, `"comment_count":0,"priority"`, 1))
	i = s.source().comment("bd-c3d4", "First.").one()
	var line struct {
		Count    int `json:"comment_count"`
		Comments []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(strings.Split(s.read(beadsName), "\n")[1]), &line); err != nil || line.Count != 1 || len(line.Comments) != 1 || len(line.Comments[0].ID) != 36 || i.Thread[0].ID != line.Comments[0].ID {
		t.Errorf("%v %+v %+v", err, line, i.Thread)
	}
}

func TestBeadsNothingDamagedIsWritten(t *testing.T) {
	for _, file := range []string{
		oneBead + "\n<<<<<<< HEAD\n" + otherBead + "\n=======\n>>>>>>> other\n",
		oneBead + "\n" + otherBead[:40] + "\n",
		oneBead + "\n" + otherBead + "\n" + otherBead + "\n",
	} {
		s := newShelf(t, beadsName, file)
		for name, act := range acts("bd-a1b2") {
			w := act(s.writable())
			want(t, name+" "+w.verdict+" "+w.called, name+" access_failure SOURCE_UNRELIABLE corrupt no")
		}
		want(t, s.read(beadsName), file)
	}
	s := beadShelf(t)
	s.put(".beads/dolt/x", "")
	want(t, s.source().comment("bd-a1b2", "x").verdict, "access_failure CAPABILITY_UNAVAILABLE operation_unsupported")
	want(t, string(capability(s.source(), connectors.IssueWrite).State), "unsupported")
}
