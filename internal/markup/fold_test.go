package markup

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func TestFoldMatchesWhateverCaseAndNormalForm(t *testing.T) {
	same := [][2]string{
		{"README.md", "readme.MD"},
		{"Caf\u00e9", "cafe\u0301"},
		{"STRASSE", "straße"},
		{"ΣΊΣΥΦΟΣ", "σίσυφος"},
		{"ПРИВЕТ Ёж", "привет е\u0308ж"},
		{"\u212Aelvin", "kelvin"},
		{"ﬁle", "FILE"},
		{"\u1112\u1161\u11AB", "한"},
		{"J\u030C", "\u01F0"},
	}
	for _, pair := range same {
		if a, b := Fold(pair[0]), Fold(pair[1]); a != b {
			t.Errorf("%+q and %+q fold to %+q and %+q", pair[0], pair[1], a, b)
		}
	}
	for _, pair := range [][2]string{{"cafe", "café"}, {"ı", "i"}, {"a", "b"}} {
		if Fold(pair[0]) == Fold(pair[1]) {
			t.Errorf("%q and %q fold alike", pair[0], pair[1])
		}
	}
}

func TestFoldAgreesWithUnicodeForEveryRune(t *testing.T) {
	full := cases.Fold()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		s := string(r)
		want := norm.NFC.String(full.String(norm.NFC.String(s)))
		if got := Fold(s); got != want {
			t.Errorf("Fold(%U) = %+q, want %+q", r, got, want)
		}
		if _, ok := simpleFold(r); ok && !norm.NFC.PropertiesString(s).BoundaryBefore() {
			t.Errorf("%U is taken for simple, but combines with what is before it", r)
		}
	}
}

func TestNeedleFindsOffsetsInTheOriginal(t *testing.T) {
	tests := []struct{ name, hay, needle, want string }{
		{"ascii", "one Two tWo", "TWO", "one [Two] [tWo]"},
		{"at the ends", "aba", "A", "[a]b[a]"},
		{"apart", "aaaa", "aa", "[aa][aa]"},
		{"overlapping starts", "aab", "ab", "a[ab]"},
		{"none", "abc", "abd", "abc"},
		{"longer than the text", "ab", "abc", "ab"},
		{"empty needle", "abc", "", "abc"},
		{"empty text", "", "a", ""},
		{"ascii in other text", "日本 Error: ошибка error", "error", "日本 [Error]: ошибка [error]"},
		{"Cyrillic", "Съешь ЕЩЁ ещё", "ещё", "Съешь [ЕЩЁ] [ещё]"},
		{"NFC query, NFD text", "x cafe\u0301 y", "CAF\u00c9", "x [cafe\u0301] y"},
		{"NFD query, NFC text", "x caf\u00e9 y", "cafe\u0301", "x [caf\u00e9] y"},
		{"base letter is another letter", "cafe\u0301", "cafe", "cafe\u0301"},
		{"longer when folded", "die Straße!", "STRASSE", "die [Straße]!"},
		{"half of a character takes all of it", "aß", "as", "[aß]"},
		{"shorter when folded", "\u212A and İ k", "K", "[\u212A] and İ [k]"},
		{"Hangul jamo", "\u1112\u1161\u11AB글", "한글", "[\u1112\u1161\u11AB글]"},
		{"bytes that are not UTF-8", "\xff\xfe Error \xc3", "error", "\xff\xfe [Error] \xc3"},
		{"over lines", "A\nÉ", "a\né", "[A\nÉ]"},
		{"needle that is not UTF-8", "日本", "\x97", "日本"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			at := 0
			for start, end := range NewNeedle(tt.needle).All(tt.hay) {
				got.WriteString(tt.hay[at:start] + "[" + tt.hay[start:end] + "]")
				at = end
			}
			got.WriteString(tt.hay[at:])
			if got.String() != tt.want {
				t.Errorf("got %q, want %q", got.String(), tt.want)
			}
			if in := ContainsFold(tt.hay, tt.needle); in != strings.Contains(tt.want, "[") {
				t.Errorf("ContainsFold = %v", in)
			}
		})
	}
}

func TestNeedleIndexIsTheFirstMatchOrMinusOne(t *testing.T) {
	if start, end := NewNeedle("ß").Index("a SS ss"); start != 2 || end != 4 {
		t.Errorf("got %d, %d, want 2, 4", start, end)
	}
	if start, end := NewNeedle("x").Index("abc"); start != -1 || end != -1 {
		t.Errorf("got %d, %d, want -1, -1", start, end)
	}
}

func FuzzNeedle(f *testing.F) {
	for _, p := range [][2]string{{"Straße", "SS"}, {"cafe\u0301", "é"}, {"a\xffb", "B"}, {"α\u0345\u0301", "ι"}, {"ﬃ", "f"}, {"ABCabc", "bc"}} {
		f.Add(p[0], p[1])
	}
	f.Fuzz(func(t *testing.T, hay, query string) {
		last := 0
		for start, end := range NewNeedle(query).All(hay) {
			if start < last || end <= start || end > len(hay) {
				t.Fatalf("%q in %q: match %d to %d after %d", query, hay, start, end, last)
			}
			if utf8.ValidString(hay) && !utf8.ValidString(hay[start:end]) {
				t.Errorf("%q in %q: match %d to %d splits a rune", query, hay, start, end)
			}
			if !strings.Contains(Fold(hay[start:end]), Fold(strings.ToValidUTF8(query, "\uFFFD"))) {
				t.Errorf("%q in %q: %q does not contain it", query, hay, hay[start:end])
			}
			last = end
		}
		found := last > 0
		if want := query != "" && utf8.ValidString(query) && strings.Contains(Fold(hay), Fold(query)); want && !found {
			t.Errorf("%q in %q was not found", query, hay)
		}
	})
}

func BenchmarkContainsFold(b *testing.B) {
	for _, bb := range []struct{ name, text, needle string }{
		{"ascii miss", asciiText, "needle in haystack"},
		{"ascii miss, rare letter", asciiText, "Quantum"},
		{"cyrillic miss", cyrillicText, "Иголка"},
		{"one accent miss", asciiText + "é", "needle in haystack"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			n := NewNeedle(bb.needle)
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				if n.In(bb.text) {
					b.Fatal("found")
				}
			}
		})
	}
}
