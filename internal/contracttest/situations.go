package contracttest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/frank-mcp/frank/internal/replay"
)

// Situation is a state of affairs that every provider knows in its own signals and
// that a caller must be told in the same words whoever the provider is.
type Situation string

// The situations. Each provider fills them with answers of its own upstream.
const (
	Found             Situation = "found"
	ProvedEmpty       Situation = "proved empty"
	Absent            Situation = "absent in a visible container"
	ContainerHidden   Situation = "container hidden"
	CredentialBad     Situation = "credential bad"
	CredentialMissing Situation = "credential missing"
	ScopeMissing      Situation = "scope missing"
	FeatureOff        Situation = "feature off"
	RateLimited       Situation = "rate limited"
	PagingCut         Situation = "paging with a cut"
	IndexLag          Situation = "index lag"
	FilterUnresolved  Situation = "filter that does not resolve"
	Moved             Situation = "moved"
	Unicode           Situation = "Unicode"
	OwnCap            Situation = "own cap"
)

// told is what may be said in a situation. More than one row is for providers
// that tell more, or less, than others; none of them may conclude otherwise.
type told struct {
	status, code string
	reasons      []string // "" is none
}

func situations() map[Situation][]told {
	return map[Situation][]told{
		Found:             {{"success", "NONE", []string{""}}},
		ProvedEmpty:       {{"empty", "NONE", []string{""}}},
		Absent:            {{"empty", "REFERENCE_UNRESOLVED", []string{"not_found_confirmed"}}},
		ContainerHidden:   {{"access_failure", "REFERENCE_UNRESOLVED", []string{"absent_or_hidden"}}, {"access_failure", "ACCESS_DENIED", []string{"scope_missing", "rows_hidden"}}},
		CredentialBad:     {{"access_failure", "ACCESS_DENIED", []string{"auth_failed"}}},
		CredentialMissing: {{"access_failure", "ACCESS_DENIED", []string{"auth_profile_missing", "auth_context_required"}}},
		ScopeMissing:      {{"access_failure", "ACCESS_DENIED", []string{"scope_missing"}}},
		FeatureOff:        {{"access_failure", "CAPABILITY_UNAVAILABLE", []string{"feature_disabled"}}},
		RateLimited:       {{"access_failure", "SOURCE_UNRELIABLE", []string{"rate_limited"}}},
		PagingCut:         {{"partial", "NONE", []string{""}}},
		IndexLag:          {{"partial", "SOURCE_UNRELIABLE", []string{"stale", "index_incomplete"}}},
		FilterUnresolved: {{"access_failure", "REFERENCE_UNRESOLVED", []string{"filter_unresolved"}}, {"partial", "REFERENCE_UNRESOLVED", []string{"filter_unresolved"}},
			{"access_failure", "INPUT_MISSING", []string{"dynamic_option_required"}}},
		Moved:   {{"success", "NONE", []string{""}}, {"access_failure", "REFERENCE_UNRESOLVED", []string{"moved_out_of_sight"}}},
		Unicode: {{"success", "NONE", []string{""}}},
		OwnCap:  {{"partial", "CAPABILITY_UNAVAILABLE", []string{"own_cap"}}},
	}
}

// fill checks that every situation is filled by a case of the provider's, whose
// answer is one that the situation allows, or is said to be impossible there.
func fill(t *testing.T, s Suite) {
	for situation, rows := range situations() {
		t.Run(string(situation), func(t *testing.T) {
			if why := s.Without[situation]; why != "" {
				if s.Situations[situation] != "" {
					t.Error("the situation is both filled and impossible")
				}
				return
			}
			file := s.Situations[situation]
			if file == "" {
				t.Fatal("no case fills the situation, and nothing says why there is none")
			}
			seen := false
			replay.Each(t, filepath.Join("testdata", file+".txtar"), func(t *testing.T, c replay.Case) {
				seen = true
				if !slices.ContainsFunc(c.Wants, func(w replay.Want) bool { return situation.fits(rows, w) }) {
					t.Errorf("no answer that %s wants is one that the situation allows", file)
				}
			})
			if !seen {
				t.Errorf("there is no case %s", file)
			}
		})
	}
}

// fits reports whether an answer is allowed in the situation and shows it.
func (s Situation) fits(rows []told, w replay.Want) bool {
	switch {
	case s == PagingCut && (w.More == nil || !*w.More):
		return false // nothing says how to go on
	case s == Unicode && !strings.ContainsFunc(strings.Join(w.Contains, ""), func(r rune) bool { return r > unicode.MaxASCII }):
		return false // nothing beyond ASCII is looked for
	}
	return slices.ContainsFunc(rows, func(r told) bool {
		return r.status == w.Status && r.code == w.Code && slices.Contains(r.reasons, w.Reason)
	})
}
