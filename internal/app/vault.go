package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// What bounds a vault. A shorter secret is not looked for: it would also be found
// where it is none.
const (
	minSecret  = 8
	maxSecrets = 64
)

// inPlace stands where a secret was.
const inPlace = "[secret]"

// vault knows the secrets that were resolved so far and takes them out of what
// leaves frank, whatever put them there: an upstream may send back a header that
// it got, and a file may hold a token. It never shows one. It is safe for
// concurrent use.
type vault struct {
	mu      sync.Mutex
	secrets []string
	forms   atomic.Pointer[[][]byte] // longest first
}

// learn adds a secret; of a pair user:secret also the second half.
func (v *vault) learn(secret string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(secret) < minSecret || slices.Contains(v.secrets, secret) {
		return
	}
	if len(v.secrets) == maxSecrets {
		v.secrets = slices.Delete(v.secrets, 0, 1)
	}
	v.secrets = append(v.secrets, secret)
	var forms [][]byte
	for _, s := range v.secrets {
		forms = append(forms, formsOf(s)...)
		if _, half, pair := strings.Cut(s, ":"); pair && len(half) >= minSecret {
			forms = append(forms, formsOf(half)...)
		}
	}
	slices.SortFunc(forms, func(a, b []byte) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), bytes.Compare(a, b))
	})
	forms = slices.CompactFunc(forms, bytes.Equal)
	v.forms.Store(&forms)
}

// formsOf spells a secret as it may come back: as it is, in JSON, in an address,
// and inside base64 at each of the three places where it can begin.
func formsOf(secret string) [][]byte {
	forms := [][]byte{[]byte(secret), []byte(url.QueryEscape(secret)), []byte(url.PathEscape(secret))}
	if quoted, err := json.Marshal(secret); err == nil {
		forms = append(forms, quoted[1:len(quoted)-1])
	}
	for offset, skip := range []int{0, 2, 3} {
		padded := append(make([]byte, offset), secret...)
		whole := len(padded) * 8 / 6 // characters that only the secret decides
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, []byte(alphabet.EncodeToString(padded)[skip:whole]))
		}
	}
	return forms
}

// redact returns b without secrets, b itself if there are none in it.
func (v *vault) redact(b []byte) []byte {
	forms := v.forms.Load()
	if forms == nil {
		return b
	}
	for _, form := range *forms {
		if bytes.Contains(b, form) {
			b = bytes.ReplaceAll(b, form, []byte(inPlace))
		}
	}
	return b
}

func (v *vault) text(s string) string {
	if v.forms.Load() == nil {
		return s
	}
	return string(v.redact([]byte(s)))
}

// guarded is a log handler that the vault looks through.
type guarded struct {
	slog.Handler
	vault *vault
}

// Handle writes the record without secrets.
func (g guarded) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, g.vault.text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(g.vault.attr(a))
		return true
	})
	return g.Handler.Handle(ctx, clean)
}

// WithAttrs and WithGroup keep the guard.
func (g guarded) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = g.vault.attr(a)
	}
	return guarded{g.Handler.WithAttrs(clean), g.vault}
}

// WithGroup keeps the guard.
func (g guarded) WithGroup(name string) slog.Handler {
	return guarded{g.Handler.WithGroup(name), g.vault}
}

// attr looks through texts and groups; the other kinds hold none.
func (v *vault) attr(a slog.Attr) slog.Attr {
	switch a.Value = a.Value.Resolve(); a.Value.Kind() {
	case slog.KindString:
		return slog.String(a.Key, v.text(a.Value.String()))
	case slog.KindGroup:
		group := slices.Clone(a.Value.Group())
		for i := range group {
			group[i] = v.attr(group[i])
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(group...)}
	default:
		return a
	}
}
