package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretNeverPrints(t *testing.T) {
	const value = "hunter2-hunter2"
	s := NewSecret(value)
	// An unexported field keeps fmt from calling methods.
	type holder struct{ secret Secret }
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10s"} {
		fmt.Fprintf(&out, verb+verb+verb+verb+"\n", s, &s, holder{s}, []Secret{s})
	}
	for _, v := range []any{s, &s, holder{s}, map[string]Secret{"a": s}} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(b)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "s", s, "p", &s, "h", holder{s})
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "s", s, "h", []any{s})
	out.Write(log.Bytes())
	hex := fmt.Sprintf("%x", value)
	if got := out.String(); strings.Contains(got, "hunter2") || strings.Contains(strings.ToLower(got), hex) {
		t.Errorf("printed:\n%s", got)
	}
	if s.String() != hidden || s.GoString() != hidden || fmt.Sprint(s) != hidden {
		t.Error("a secret prints as", s.String())
	}
	if s.Open() != value {
		t.Error("a secret opens to itself")
	}
}

func TestFingerprint(t *testing.T) {
	a, b := NewSecret("a-token"), NewSecret("b-token")
	if len(a.Fingerprint()) != 8 || a.Fingerprint() == b.Fingerprint() || a.Fingerprint() != NewSecret("a-token").Fingerprint() {
		t.Error(a.Fingerprint(), b.Fingerprint())
	}
	if (Secret{}).Fingerprint() != "anonymous" || !(Secret{}).IsZero() || !NewSecret("").IsZero() {
		t.Error("the zero Secret")
	}
}
