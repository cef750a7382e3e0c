package markup

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func utf16Bytes(s string, order binary.AppendByteOrder) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

func utf32Bytes(s string, order binary.AppendByteOrder) string {
	var out []byte
	for _, r := range s {
		out = order.AppendUint32(out, uint32(r))
	}
	return string(out)
}

func TestLG14LD09DecodeReadsOtherEncodingsOrSaysItCannot(t *testing.T) {
	const s = "Straße 日本 😀\n"
	le, be := binary.LittleEndian, binary.BigEndian
	long := strings.Repeat("Plain words, über alles.\r\n", 400)
	tests := []struct {
		name, in, want string
		enc            Encoding
	}{
		{"empty", "", "", Encoding{Charset: UTF8}},
		{"UTF-8", s, s, Encoding{Charset: UTF8}},
		{"UTF-8 with mark", "\xef\xbb\xbf" + s, s, Encoding{Charset: UTF8, BOM: true}},
		{"UTF-16LE with mark", "\xff\xfe" + utf16Bytes(s, le), s, Encoding{Charset: UTF16LE, BOM: true}},
		{"UTF-16BE with mark", "\xfe\xff" + utf16Bytes(s, be), s, Encoding{Charset: UTF16BE, BOM: true}},
		{"UTF-32LE with mark", "\xff\xfe\x00\x00" + utf32Bytes(s, le), s, Encoding{Charset: UTF32LE, BOM: true}},
		{"UTF-32BE with mark", "\x00\x00\xfe\xff" + utf32Bytes(s, be), s, Encoding{Charset: UTF32BE, BOM: true}},
		{"UTF-16LE that opens with NUL", "\xff\xfe\x00\x00a\x00", "\x00a", Encoding{Charset: UTF16LE, BOM: true}},
		{"UTF-16LE", utf16Bytes(long, le), long, Encoding{Charset: UTF16LE, Guessed: true}},
		{"UTF-16BE", utf16Bytes(long, be), long, Encoding{Charset: UTF16BE, Guessed: true}},
		{"odd byte at the end", "\xff\xfea\x00b", "a\uFFFD", Encoding{Charset: UTF16LE, BOM: true}},
		{"Latin-1", "caf\xe9", "café", Encoding{Charset: Windows1252, Guessed: true}},
		{"Windows-1252", "price: 5 \x80 \x93so\x94", "price: 5 € “so”", Encoding{Charset: Windows1252, Guessed: true}},
		{"UTF-8 cut in its last rune", "née 日\xe6\x97", "née 日\uFFFD", Encoding{Charset: UTF8}},
		{"NUL among text", "abc\x00def", "", Encoding{}},
		{"C string", "abc\x00", "", Encoding{}},
		{"PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "", Encoding{}},
		{"records of small numbers", "\x01\x00\x02\x00\x03\x00\x04\x00", "", Encoding{}},
		{"compressed", "\x1f\x8b\x08\x01\x02\x03\xff\xfe\x04\x05\x06\x07", "", Encoding{}},
		{"Cyrillic in an eight-bit code page", strings.Repeat("\xef\xf0\xe8\xe2\xe5\xf2 ", 9), "", Encoding{}},
		{"UTF-32BE mark on something else", "\x00\x00\xfe\xff\xff\xff\xff\xff", "", Encoding{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, enc, ok := Decode([]byte(tt.in))
			if wantOK := tt.enc.Charset != Binary; text != tt.want || enc != tt.enc || ok != wantOK {
				t.Errorf("Decode(%+q) = %+q, %+v, %v\nwant %+q, %+v", tt.in, text, enc, ok, tt.want, tt.enc)
			}
		})
	}
}

func TestEncodingNamesItself(t *testing.T) {
	for enc, want := range map[Encoding]string{
		{}:                                    "binary",
		{Charset: UTF8}:                       "utf-8",
		{Charset: UTF16LE, BOM: true}:         "utf-16le",
		{Charset: UTF16BE}:                    "utf-16be",
		{Charset: UTF32LE}:                    "utf-32le",
		{Charset: UTF32BE}:                    "utf-32be",
		{Charset: Windows1252, Guessed: true}: "windows-1252 (guessed)",
	} {
		if got := enc.String(); got != want {
			t.Errorf("%#v is %q, want %q", enc, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "\xff\xfe\x00", "\xfe\xff\xd8", "\x00\x00\xfe\xff\x00", "a\x00b\x00", "\xe6\x97", "caf\xe9", "\xff\xfe\x00\x00\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		text, enc, ok := Decode(b)
		if !utf8.ValidString(text) {
			t.Errorf("Decode(%q) is not UTF-8: %q", b, text)
		}
		if ok != (enc.Charset != Binary) || !ok && text != "" {
			t.Errorf("Decode(%q) = %q, %v, %v", b, text, enc, ok)
		}
	})
}
