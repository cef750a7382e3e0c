package server

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// states makes and reads what a client of revision 2026-07-28 keeps for us between a
// question and its answer. It is signed with a key of this process, as the client
// could change it; what it offers a client could ask for itself.
type states struct{ key []byte }

func newStates() states { return states{[]byte(rand.Text())} }

// state is what is kept: until when it counts, of which call it is, what was offered.
type state struct {
	Until  int64   `json:"x"`
	Of     []byte  `json:"b"`
	Offers []offer `json:"c"`
}

// seal makes the state of a question about a call.
func (s states) seal(q question, c Call) string {
	raw, err := json.Marshal(state{time.Now().Add(chooseWithin).Unix(), digest(c), q.offers})
	if err != nil { // texts always encode
		return ""
	}
	body := base64.RawURLEncoding.EncodeToString(raw)
	return body + "." + s.sign(body)
}

// open reads a state; false if it was not made here for this very call, or is too old.
func (s states) open(sealed string, c Call) (question, bool) {
	body, mark, _ := strings.Cut(sealed, ".")
	if !hmac.Equal([]byte(s.sign(body)), []byte(mark)) {
		return question{}, false
	}
	var x state
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || json.Unmarshal(raw, &x) != nil || time.Now().Unix() >= x.Until || !hmac.Equal(x.Of, digest(c)) {
		return question{}, false
	}
	return question{offers: x.Offers}, true
}

func (s states) sign(body string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// digest stands for a tool and its arguments, in whatever order and spacing.
func digest(c Call) []byte {
	arguments := []byte(c.Arguments)
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	var decoded any
	if d.Decode(&decoded) == nil {
		if same, err := json.Marshal(decoded); err == nil {
			arguments = same
		}
	}
	sum := sha256.Sum256(append([]byte(c.Tool+"\x00"), arguments...))
	return sum[:]
}
