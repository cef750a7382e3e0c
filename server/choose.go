package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/frank-mcp/frank/status"
)

// chooseWithin is how long a person may take to choose. It counts against no
// deadline of a call and no budget of a source: none is at work meanwhile.
const chooseWithin = 5 * time.Minute

// choiceID names the question, and the field of its form that is answered.
const choiceID = "choice"

// asks reports whether a person at the client can be asked by a form. What the
// client declares without naming a mode is form mode.
func (e *exchange) asks() bool {
	if e == nil || e.ProtocolVersion() < mcp.ProtocolVersion20250618 { // which brought it
		return false
	}
	can := e.GetClientCapabilities().Elicitation
	return can != nil && (can.Form != nil || can.URL == nil)
}

// choose answers a call whose answer is reply. Where what it means is for a person
// to say, and one can be asked, that comes first; the call is made again then with
// what was chosen, like any other call. Whatever else comes of it, the answer stays
// what it was: the failure with its candidates.
func (s *seal) choose(ctx context.Context, e *exchange, c Call, made func(context.Context, Call) Reply) *mcp.CallToolResult {
	reply := made(ctx, c)
	if len(reply.Choices) < 2 || !e.asks() {
		return render(reply, c)
	}
	q := questionOf(reply, c.Tool, e.ProtocolVersion())
	if e.modern {
		result := mcpserver.NewInputRequestBuilder(s.states.seal(q, c)).Elicit(choiceID, q.form).ToolResult()
		result.Meta = carried(c)
		return result
	}
	answer, ok := e.elicit(ctx, c, q.form)
	if !ok {
		return render(reply, c)
	}
	picked, ok := q.picked(answer)
	if !ok {
		return render(reply, c)
	}
	c = c.meaning(picked)
	c.CallID, c.SpanID, c.Began = rand.Text(), randomHex(8), time.Now()
	return render(made(ctx, c), c)
}

// answered is the call as the person wants it who was asked what it means, by a
// result of ours that its client answers now. It is false for a state that is not
// ours, not of this call or too old: nobody was asked then.
func (s *seal) answered(c Call, r mcp.CallToolParams) (Call, bool) {
	q, ok := s.states.open(r.RequestState, c)
	if !ok {
		return c, false
	}
	if answer := mcpserver.ElicitationResponse(r.InputResponses, choiceID); answer != nil {
		if picked, ok := q.picked(answer); ok {
			return c.meaning(picked), true
		}
	}
	return c, true
}

// elicit asks the person during the call, as revisions before 2026-07-28 do.
func (e *exchange) elicit(ctx context.Context, c Call, form mcp.ElicitationParams) (*mcp.ElicitationResult, bool) {
	ctx, cancel := context.WithTimeout(ctx, chooseWithin)
	defer cancel()
	over := make(chan struct{})
	defer close(over)
	go e.wait(over, c.Progress)
	answer, err := e.RequestElicitation(ctx, mcp.ElicitationRequest{Params: form})
	return answer, err == nil
}

// wait lets the client see, while a person thinks, that the call goes on.
func (e *exchange) wait(over <-chan struct{}, tell func(string, float64, float64)) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
			if tell != nil {
				tell("waiting for a person to choose", 0, 0)
			}
			if stream, ok := e.out.(interface{ beat() }); ok {
				stream.beat()
			}
		}
	}
}

// question is what a person is asked: the form, and what each answer means.
type question struct {
	form   mcp.ElicitationParams
	offers []offer
}

// offer is one answer that a person may give.
type offer struct {
	Value string          `json:"v"`
	Tool  string          `json:"t,omitempty"` // if it is another than was called
	Sets  status.Settings `json:"s"`
}

type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// questionOf makes the form. Each value says itself which source and which ref it
// is, for clients that show no titles.
func questionOf(r Reply, tool, revision string) question {
	var q question
	var names []titled
	taken := map[string]int{}
	for _, c := range r.Choices {
		value := fmt.Sprintf("%s (%s)", c.Ref, c.Source)
		if taken[value]++; taken[value] > 1 {
			value = fmt.Sprintf("%s (%s, %s, %d)", c.Ref, c.Source, c.Call.Tool, taken[value])
		}
		title := value
		if c.Title != "" && c.Title != c.Ref {
			title += ": " + c.Title
		}
		names = append(names, titled{value, title})
		o := offer{Value: value, Sets: c.Sets}
		if c.Call.Tool != tool {
			o.Tool, o.Sets = c.Call.Tool, c.Call.Arguments
		}
		q.offers = append(q.offers, o)
	}
	q.form = mcp.ElicitationParams{Message: r.Question, RequestedSchema: formOf(names, revision)}
	return q
}

// formOf is a form with one field. The titles of an enum stand beside it in revision
// 2025-06-18 and inside it since 2025-11-25 (SEP-1330).
func formOf(names []titled, revision string) any {
	type field struct {
		Type  string   `json:"type"`
		Title string   `json:"title"`
		Enum  []string `json:"enum,omitempty"`
		Names []string `json:"enumNames,omitempty"`
		OneOf []titled `json:"oneOf,omitempty"`
	}
	f := field{Type: "string", Title: "Which one is meant"}
	if revision > mcp.ProtocolVersion20250618 {
		f.OneOf = names
	} else {
		for _, n := range names {
			f.Enum, f.Names = append(f.Enum, n.Const), append(f.Names, n.Title)
		}
	}
	return struct {
		Type       string           `json:"type"`
		Properties map[string]field `json:"properties"`
		Required   []string         `json:"required"`
	}{"object", map[string]field{choiceID: f}, []string{choiceID}}
}

// picked is what the person chose; false for whatever is no choice of one of the
// offers.
func (q question) picked(answer *mcp.ElicitationResult) (offer, bool) {
	if answer.Action != mcp.ElicitationResponseActionAccept {
		return offer{}, false
	}
	fields, _ := answer.Content.(map[string]any)
	value, _ := fields[choiceID].(string)
	i := slices.IndexFunc(q.offers, func(o offer) bool { return o.Value == value })
	if i < 0 {
		return offer{}, false
	}
	return q.offers[i], true
}

// meaning is the call with what was chosen, all else as it was given. A cursor
// belonged to the question that could not be answered.
func (c Call) meaning(o offer) Call {
	c.Chosen = &status.NextCall{Tool: c.Tool, Arguments: o.Sets}
	if o.Tool != "" {
		c.Chosen.Tool = o.Tool
		return c
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(c.Arguments, &given) != nil || given == nil { // they could be read when the choice was offered
		given = map[string]json.RawMessage{}
	}
	delete(given, "cursor")
	for _, x := range o.Sets {
		given[x.Name] = x.Value
	}
	raw, err := json.Marshal(given)
	if err == nil {
		c.Arguments = raw
	}
	return c
}
