package config

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
)

const hidden = "[secret]"

// fingerprintLabel keeps fingerprints apart from any other hash of a token.
const fingerprintLabel = "frank credential fingerprint v1"

// Secret is a credential that prints as [secret] however it is printed. The
// zero Secret means that no credential is to be sent.
type Secret struct {
	// A pointer, since fmt prints fields of foreign structs without asking
	// their methods, but does not follow nested pointers.
	value *string
}

// NewSecret wraps value.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{value: &value}
}

// Open returns the credential itself. Only what sends it may call this.
func (s Secret) Open() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero tells that no credential is to be sent.
func (s Secret) IsZero() bool { return s.value == nil }

// Fingerprint is 8 hex digits of an HMAC-SHA256 under a fixed, public label,
// "anonymous" for the zero Secret. It tells one credential from another. With
// 32 bits it cannot give back a random token; a guessable password could be
// confirmed against it, so it stands in records and not in public.
func (s Secret) Fingerprint() string {
	if s.value == nil {
		return "anonymous"
	}
	mac := hmac.New(sha256.New, []byte(fingerprintLabel))
	_, _ = io.WriteString(mac, *s.value)
	return hex.EncodeToString(mac.Sum(nil)[:4])
}

// String is [secret].
func (Secret) String() string { return hidden }

// GoString is [secret].
func (Secret) GoString() string { return hidden }

// Format prints [secret] for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// MarshalText gives [secret].
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// MarshalJSON gives "[secret]".
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalYAML gives [secret].
func (Secret) MarshalYAML() (any, error) { return hidden, nil }

// LogValue is [secret].
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
