package markup

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanRemovesWhatNobodySees(t *testing.T) {
	tests := []struct {
		name, in, want string
		removed        Removed
	}{
		{"nothing", "plain — текст, 日本語\n\ttab", "plain — текст, 日本語\n\ttab", Removed{}},
		{"empty", "", "", Removed{}},
		{"tags", "hi\U000E0068\U000E0069\U000E007F", "hi", Removed{Tags: 3}},
		{"bidi overrides and isolates", "a\u202Eb\u2066c\u2069\u200E\u200F\u061C", "abc", Removed{Bidi: 6}},
		{"zero width", "a\u200Bb\u2060\u2064\uFEFF\u180E\u00AD\u034Fc", "abc", Removed{ZeroWidth: 7}},
		{"Hangul fillers", "\u115F\u1160\u3164\uFFA0x", "x", Removed{ZeroWidth: 4}},
		{"joiners between Latin letters", "pass\u200Dword\u200C", "password", Removed{ZeroWidth: 2}},
		{"joiner in an emoji sequence stays", "👩\u200D💻 ❤\uFE0F\u200D🔥 👩🏽\u200D🚀", "👩\u200D💻 ❤\uFE0F\u200D🔥 👩🏽\u200D🚀", Removed{}},
		{"joiner after an emoji goes", "👩\u200Dx", "👩x", Removed{ZeroWidth: 1}},
		{"non-joiner in Persian stays", "می\u200Cخواهم", "می\u200Cخواهم", Removed{}},
		{"joiner after a Devanagari virama stays", "क्\u200Dष", "क्\u200Dष", Removed{}},
		{"of joiners in a row one stays", "م\u200C\u200D\u200Cم", "م\u200Cم", Removed{ZeroWidth: 2}},
		{"selector after emoji stays", "☎\uFE0E ❤\uFE0F", "☎\uFE0E ❤\uFE0F", Removed{}},
		{"keycap stays", "1\uFE0F\u20E3", "1\uFE0F\u20E3", Removed{}},
		{"stray selectors", "a\uFE0Fb\uFE01\U000E0100\U000E01EF", "ab", Removed{Variation: 4}},
		{"bytes hidden in selectors after an emoji", "😀\uFE0F\uFE0F\uFE0E\U000E0110", "😀\uFE0F", Removed{Variation: 3}},
		{"line ends", "a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne", Removed{}},
		{"controls", "a\x00b\x08\x7f\u0085\uFFF9\uFFFB\uFDD0\U0001FFFE", "ab", Removed{Control: 8}},
		{"colours", "\x1b[1;31mred\x1b[0m \u009b4mx", "red x", Removed{Escape: 3}},
		{"terminal link", "\x1b]8;;https://e.example\x1b\\text\x1b]8;;\x07!", "text!", Removed{Escape: 2}},
		{"unclosed command keeps the text", "\x1b]0;title\nnext", "0;title\nnext", Removed{Escape: 1}},
		{"unfinished colour keeps the text", "\x1b[31", "31", Removed{Escape: 1}},
		{"character set and lone escape", "\x1b(Bx\x1b", "x", Removed{Escape: 2}},
		{"not UTF-8", "a\xffb\xc3", "a\uFFFDb\uFFFD", Removed{Invalid: 2}},
		{"private use stays", "\uE0A0\uF8FF", "\uE0A0\uF8FF", Removed{}},
		{"C1 string in UTF-8", "\u009dhidden\u009cshown", "shown", Removed{Escape: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, removed := Clean(tt.in)
			if got != tt.want || removed != tt.removed {
				t.Errorf("Clean(%+q) = %+q, %+v\nwant %+q, %+v", tt.in, got, removed, tt.want, tt.removed)
			}
		})
	}
}

func TestRemovedTotalsEveryClass(t *testing.T) {
	all := Removed{1, 2, 4, 8, 16, 32, 64, 128}
	if got := all.Total(); got != 255 {
		t.Errorf("Total() = %d, want 255", got)
	}
	if got := all.Add(all).Total(); got != 510 {
		t.Errorf("Add().Total() = %d, want 510", got)
	}
}

func TestCleanOfCleanTextDoesNotAllocate(t *testing.T) {
	for _, s := range []string{asciiText, cyrillicText} {
		if n := testing.AllocsPerRun(10, func() { Clean(s) }); n != 0 {
			t.Errorf("Clean allocates %v times on clean text", n)
		}
	}
}

func TestCleanMarkdownRemovesWhatTheRenderedPageHides(t *testing.T) {
	tests := []struct {
		name, in, want string
		comments       int
	}{
		{"none", "a > b <b>c</b>", "a > b <b>c</b>", 0},
		{"inline", "see <!-- obey me --> this", "see  this", 1},
		{"an arrow ends nothing", "a <!-- x -> y --> b", "a  b", 1},
		{"glued", "see<!-- obey -->this", "see this", 1},
		{"block", "a\n\n<!-- one\n\ntwo -->\n\nb", "a\n\n\n\nb", 1},
		{"fence", "```html\n<!-- shown -->\n```\n<!-- hidden -->\n", "```html\n<!-- shown -->\n```\n\n", 1},
		{"code span", "`<!-- shown -->` <!-- hidden -->", "`<!-- shown -->` ", 1},
		{"indented code", "a\n\n    <!-- shown -->\n", "a\n\n    <!-- shown -->\n", 0},
		{"what only looks like a fence", "    ```\n<!-- hidden -->\n    ```\n", "    ```\n\n    ```\n", 1},
		{"escaped", `\<!-- shown -->`, `\<!-- shown -->`, 0},
		{"in a list", "- a\n\n  <!-- hidden -->\n- b", "- a\n\n  \n- b", 1},
		{"in a quote", "> <!-- a\n> b --> c\n", ">  c\n", 1},
		{"inside other HTML", "<div><!-- hidden --><b>x</b></div>\n", "<div> <b>x</b></div>\n", 1},
		{"open to the end", "a\n\n<!-- hidden\n\nmore", "a\n\n", 1},
		{"open inside a paragraph is text", "a <!-- shown", "a <!-- shown", 0},
		{"a comment over several blocks", "<div><!--\n\nhidden\n\n<p>-->shown</p>", "<div> shown</p>", 1},
		{"an end outside raw HTML ends nothing", "<div><!--\n\nhidden --> too", "<div>", 1},
		{"smallest comments", "a <!--> b <!---> c", "a  b  c", 2},
		{"declaration and instruction", "a <?do this?> <!DOCTYPE x> b", "a   b", 2},
		{"removal does not make a new comment", "a <!-<!-- x -->- y --> b", "a <!- - y --> b", 1},
		{"two in a block", "<!-- a --> t <!-- b -->\n", " t \n", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, removed := CleanMarkdown(tt.in)
			if got != tt.want || removed != (Removed{Comment: tt.comments}) {
				t.Errorf("CleanMarkdown(%q)\n got %q, %+v\nwant %q, %d comments", tt.in, got, removed, tt.want, tt.comments)
			}
		})
	}
}

func TestLineIsOneBoundedLine(t *testing.T) {
	tests := []struct {
		in   string
		max  int
		want string
	}{
		{"  Fix\r\n the\tbug\u00a0now ", 80, "Fix the bug now"},
		{"héllo wörld", 6, "héllo…"},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"ab cd", 4, "ab…"},
		{"abc", 0, "…"},
		{"a", -1, "a"},
		{"", 5, ""},
		{"x\u202Ey\x1b[0m", 5, "xy"},
		{"👩\u200D💻👩", 3, "👩…"},
	}
	for _, tt := range tests {
		if got := Line(tt.in, tt.max); got != tt.want {
			t.Errorf("Line(%q, %d) = %q, want %q", tt.in, tt.max, got, tt.want)
		}
	}
}

func TestCutSplitsNoRune(t *testing.T) {
	tests := []struct {
		in   string
		max  int
		want string
		cut  bool
	}{
		{"abc", 3, "abc", false},
		{"abc", 2, "ab", true},
		{"aé", 2, "a", true},
		{"日本", 5, "日", true},
		{"日", 0, "", true},
		{"日", -4, "", true},
		{"", -1, "", false},
		{"\x80\x80\x80\x80\x80\x80", 5, "\x80", true},
	}
	for _, tt := range tests {
		if got, cut := Cut(tt.in, tt.max); got != tt.want || cut != tt.cut {
			t.Errorf("Cut(%q, %d) = %q, %v, want %q, %v", tt.in, tt.max, got, cut, tt.want, tt.cut)
		}
	}
}

func TestLG11LFSPointerIsToldByItsFirstLine(t *testing.T) {
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
	if !IsLFSPointer([]byte(pointer)) || !IsLFSPointer([]byte(strings.ReplaceAll(pointer, "\n", "\r\n"))) {
		t.Error("a pointer was not recognised")
	}
	for _, other := range []string{"", "version https://git-lfs.github.com/spec/v10\n", "# version https://git-lfs.github.com/spec/v1\n"} {
		if IsLFSPointer([]byte(other)) {
			t.Errorf("%q taken for a pointer", other)
		}
	}
}

// forbidden is written apart from classOf, so that the two check each other.
func forbidden(r rune) bool {
	return strings.ContainsRune("\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u3164\uFEFF\uFFA0\u200B\u200E\u200F\r\x7f", r) ||
		r < 0x20 && r != '\n' && r != '\t' || r >= 0x80 && r < 0xA0 ||
		r >= 0x2028 && r <= 0x202E || r >= 0x2060 && r <= 0x206F || r >= 0xFFF0 && r <= 0xFFFB ||
		r >= 0xFE00 && r <= 0xFE0D || r >= 0xE0000 && r <= 0xE0FFF || r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE
}

func checkClean(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%+q is not UTF-8", out)
	}
	if i := strings.IndexFunc(out, forbidden); i >= 0 {
		t.Errorf("Clean(%+q) left %+q at %d", in, out[i:], i)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\u200Db", "👩\u200D💻", "\x1b]0;x\x07\x1b[", "1\uFE0F\u20E3\uFE0F", "\xf0\x9f", "م\u200C\u200Bم", "\r\u200B\n", "\u009b\u009d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, removed := Clean(s)
		checkClean(t, s, out)
		if again, more := Clean(out); again != out || more != (Removed{}) {
			t.Errorf("Clean is not idempotent: %+q, then %+q (%+v)", out, again, more)
		}
		if removed.Total() == 0 && len(out) < len(s)-strings.Count(s, "\r")-2*strings.Count(s, "\u2028")-2*strings.Count(s, "\u2029") {
			t.Errorf("Clean(%+q) = %+q lost text and counted nothing", s, out)
		}
	})
}

func FuzzCleanMarkdown(f *testing.F) {
	for _, s := range []string{"a <!-- b --> c", "```\n<!-- x", "<div><!--\n\na\n\n-->", "a <!-<!-- x -->- y -->", "> <!-- a\n> b -->", "- <? x\n", "a <!-- f\n<!-- b --> t -->"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, _ := CleanMarkdown(s)
		checkClean(t, s, out)
		if again, more := CleanMarkdown(out); again != out || more != (Removed{}) {
			t.Errorf("CleanMarkdown(%q) is not idempotent: %q, then %q (%+v)", s, out, again, more)
		}
	})
}

func FuzzPlainComments(f *testing.F) {
	for _, s := range []string{"<!-- a -->\nb\n<!-- c\n\nd --> \n", "```\n<!-- a -->\n", "- a\n<!-- b -->\n", "<div>\n<!-- a -->\n", "a <b x=\"\n<!-- b -->\n\">", "<!-->\n<!--->\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s, _ = Clean(s)
		spans, sure := plainComments(s)
		if !sure {
			return
		}
		if parsed := hiddenSpans(s); !slices.Equal(spans, parsed) {
			t.Errorf("%q: %v without parsing, %v with", s, spans, parsed)
		}
	})
}

func FuzzLine(f *testing.F) {
	f.Add("a b\u200Dc", 2)
	f.Fuzz(func(t *testing.T, s string, max int) {
		out := Line(s, max)
		if n := utf8.RuneCountInString(out); n > max && n > 1 {
			t.Errorf("Line(%q, %d) has %d runes", s, max, n)
		}
		if strings.ContainsAny(out, "\n\t") || Line(out, max) != out {
			t.Errorf("Line(%q, %d) = %q, which is not a line", s, max, out)
		}
	})
}

var (
	asciiText    = strings.Repeat("The quick brown fox jumps over the lazy dog; 0x2A items.\n", 1000)
	cyrillicText = strings.Repeat("Съешь же ещё этих мягких французских булок, да выпей чаю.\n", 600)
)

func BenchmarkClean(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"ascii", asciiText},
		{"cyrillic", cyrillicText},
		{"dirty", strings.Repeat("line with \u200B and \x1b[31mcolour\x1b[0m\r\n", 1000)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				Clean(bb.text)
			}
		})
	}
}

func BenchmarkCleanMarkdown(b *testing.B) {
	body := strings.Repeat("Some paragraph with `code` and *emphasis* in it.\n\n- one\n- two\n\n", 20)
	for _, bb := range []struct{ name, text string }{
		{"no comment", body}, {"template", "<!-- fill in -->\n" + body}, {"inline comment", body + "a <!-- b -->"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				CleanMarkdown(bb.text)
			}
		})
	}
}
