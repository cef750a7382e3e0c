package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Want is what the answer to a call must be. Status and code are always
// compared; the rest where the case names it.
type Want struct {
	Status    string   `json:"status"`
	Code      string   `json:"code"`
	Reason    string   `json:"reason"` // empty: there is no failure
	Stage     string   `json:"stage"`
	Retryable *bool    `json:"retryable"`
	Called    string   `json:"api_called"`
	Unproven  []string `json:"unproven"` // exactly these, in any order
	Items     *int     `json:"items"`
	More      *bool    `json:"more"` // whether there is a next cursor
	// RetryAfter is compared with retry_after_seconds.
	RetryAfter *int `json:"retry_after_seconds"`
	// Evidence must be there with these values; other evidence may be there too.
	Evidence map[string]json.RawMessage `json:"evidence"`
	// Contains and Lacks are texts in the structured answer.
	Contains []string `json:"contains"`
	Lacks    []string `json:"lacks"`
}

// result is what Check reads of the structured channel.
type result struct {
	Status  string `json:"status"`
	Code    string `json:"code"`
	Failure *struct {
		Stage      string                     `json:"stage"`
		Reason     string                     `json:"reason"`
		Called     string                     `json:"api_called"`
		Retryable  bool                       `json:"retryable"`
		RetryAfter int                        `json:"retry_after_seconds"`
		Evidence   map[string]json.RawMessage `json:"evidence"`
	} `json:"failure"`
	Data *struct {
		Items []json.RawMessage `json:"items"`
		Item  json.RawMessage   `json:"item"`
	} `json:"data"`
	Coverage struct {
		Unproven []string `json:"unproven"`
		Next     string   `json:"next_cursor"`
	} `json:"coverage"`
}

// Check compares the structured channel of an answer with what is wanted and
// returns the differences, one sentence each.
func (w Want) Check(structured []byte) []string {
	var got result
	if err := json.Unmarshal(structured, &got); err != nil {
		return []string{"the structured answer is not readable: " + err.Error()}
	}
	var out []string
	differs := func(what string, got, want any) {
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			out = append(out, fmt.Sprintf("%s is %s, want %s", what, g, w))
		}
	}
	differs("status", got.Status, w.Status)
	differs("code", got.Code, w.Code)
	reason, retryable := "", false
	if f := got.Failure; f != nil {
		reason, retryable = f.Reason, f.Retryable
		if w.Stage != "" {
			differs("stage", f.Stage, w.Stage)
		}
		if w.Called != "" {
			differs("api_called", f.Called, w.Called)
		}
		if w.RetryAfter != nil {
			differs("retry_after_seconds", f.RetryAfter, *w.RetryAfter)
		}
		for _, key := range sorted(w.Evidence) {
			differs("evidence."+key, string(f.Evidence[key]), string(w.Evidence[key]))
		}
	} else if w.Stage != "" || w.Called != "" || w.RetryAfter != nil || len(w.Evidence) > 0 {
		out = append(out, "there is no failure")
	}
	differs("reason", reason, w.Reason)
	if w.Retryable != nil {
		differs("retryable", retryable, *w.Retryable)
	}
	return append(out, w.checkData(got, string(structured))...)
}

func (w Want) checkData(got result, text string) []string {
	var out []string
	if w.Items != nil {
		n := 0
		if d := got.Data; d != nil {
			n = len(d.Items)
			if len(d.Item) > 0 && string(d.Item) != "null" {
				n++
			}
		}
		if n != *w.Items {
			out = append(out, fmt.Sprintf("items are %d, want %d", n, *w.Items))
		}
	}
	if more := got.Coverage.Next != ""; w.More != nil && more != *w.More {
		out = append(out, fmt.Sprintf("next cursor is there: %t, want %t", more, *w.More))
	}
	if w.Unproven != nil {
		a, b := slices.Sorted(slices.Values(got.Coverage.Unproven)), slices.Sorted(slices.Values(w.Unproven))
		if !slices.Equal(a, b) {
			out = append(out, fmt.Sprintf("unproven is %q, want %q", a, b))
		}
	}
	for _, t := range w.Contains {
		if !strings.Contains(text, t) {
			out = append(out, fmt.Sprintf("the answer lacks %q", t))
		}
	}
	for _, t := range w.Lacks {
		if strings.Contains(text, t) {
			out = append(out, fmt.Sprintf("the answer contains %q", t))
		}
	}
	return out
}

func sorted(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
