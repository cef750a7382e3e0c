package ledger

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/frank-mcp/frank/status"
)

// Change is what somebody wants to make happen once.
type Change struct {
	Tool   string
	Source string
	Place  string // tells sources of one name apart: an address or a directory
	// Arguments are what was asked for, in one spelling, without the key.
	Arguments []byte
	// Object is what the change gives a state that another change may give it again,
	// such as an issue. A repetition that comes after another change of the object
	// is a new change, unless the caller named the key: closed, opened, closed.
	// Empty: the change adds something, which no other takes back.
	Object string
	// Key is the caller's own; empty: it is made from all of the above.
	Key    string
	CallID string
	Keep   time.Duration // from the first attempt on, after which the same is a new change
}

// Named is the key under which the change is claimed, as the caller is told.
func (c Change) Named() string {
	if c.Key != "" {
		return c.Key
	}
	return "auto-" + digest("derived", c.Tool, c.Source, c.Place, string(c.Arguments))[:32]
}

// identity is a change as the store knows it, and what seals its answer.
type identity struct {
	key, arguments, mark string
	object               string // of the change; empty if it has none
	secret               []byte
}

func (c Change) identity() identity {
	named := c.Named()
	id := identity{
		key:       digest("key", named),
		arguments: digest("arguments", c.Tool, c.Source, c.Place, string(c.Arguments)),
	}
	if c.Object != "" {
		id.object = digest("object", c.Source, c.Place, c.Object)
	}
	id.mark = digest("mark", id.key, id.arguments)[:16]
	id.secret = []byte(c.Tool + "\x00" + c.Source + "\x00" + c.Place + "\x00" + named + "\x00" + string(c.Arguments))
	return id
}

// digest hashes texts so that no two lists of them read alike.
func digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		sum := sha256.Sum256([]byte(t))
		_, _ = h.Write(sum[:]) // never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (id identity) cipher() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, id.secret, []byte(id.key), "frank: the answer to a change", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func (id identity) seal(e status.Envelope) ([]byte, error) {
	answer, err := e.Structured()
	if err != nil {
		return nil, err
	}
	gcm, err := id.cipher()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	rand.Read(nonce) // never fails: crypto/rand ends the program instead
	return gcm.Seal(nonce, nonce, answer, []byte(id.arguments)), nil
}

func (id identity) unseal(sealed []byte) (status.Envelope, bool) {
	gcm, err := id.cipher()
	if err != nil || len(sealed) < gcm.NonceSize() {
		return status.Envelope{}, false
	}
	answer, err := gcm.Open(nil, sealed[:gcm.NonceSize()], sealed[gcm.NonceSize():], []byte(id.arguments))
	if err != nil {
		return status.Envelope{}, false
	}
	return status.Restore(answer)
}
