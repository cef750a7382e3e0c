package upstream

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestWholenessAgreesWithTheDecoder on random cuts and additions of JSON texts,
// padded so that they are followed rather than parsed.
func TestWholenessAgreesWithTheDecoder(t *testing.T) {
	text := `{"a\\":[1,"x\"]}","\\\\",{"b":"` + strings.Repeat("y", 40) + `\\","c":[[],{}]}],"d":null,"pad":"` + strings.Repeat(`\"`, validUpTo) + `"}`
	isWhole := func(b string) bool { e, _ := wholeness([]byte(b)); return e == whole }
	if !isWhole(text) {
		t.Fatal("the text itself")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		at := r.IntN(len(text))
		if r.IntN(2) == 0 {
			at = r.IntN(150)
		}
		for _, b := range []string{text[:at], text + text[at:], text + " ", text + ",", text + "]"} {
			if got, want := isWhole(b), json.Valid([]byte(b)); got != want {
				t.Fatalf("whole %t, valid %t: %d bytes, cut at %d", got, want, len(b), at)
			}
		}
	}
}

func BenchmarkWholeness(b *testing.B) {
	text := []byte(`[` + strings.Repeat(`{"id":12345,"url":"https://api.example.com/repos/acme/app/issues/1","state":"open","body":"Steps: open the file \"a.txt\", then close it.\nExpected: no crash, and so on, for a while."},`, 550) + `1]`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if e, _ := wholeness(text); e != whole {
			b.Fatal("not whole")
		}
	}
}
