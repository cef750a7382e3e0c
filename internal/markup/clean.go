package markup

import (
	"strings"
	"unicode/utf8"
)

// Removed counts what Clean and CleanMarkdown took out of a text, by class.
// The zero value means that the text was left as it was, apart from line
// endings (CR, CR LF, U+2028 and U+2029 become LF and are not counted).
type Removed struct {
	// Tags counts the Unicode tag characters U+E0000 to U+E007F, which spell
	// ASCII that no font shows. The tags of subdivision flags count too.
	Tags int
	// Bidi counts controls that make text read in another order than it is stored.
	Bidi int
	// ZeroWidth counts characters without width or ink: spaces, joiners outside
	// the scripts and emoji that need them, soft hyphens, fillers.
	ZeroWidth int
	// Variation counts variation selectors that select nothing.
	Variation int
	// Control counts C0 and C1 controls, interlinear annotation marks and noncharacters.
	Control int
	// Escape counts terminal escape sequences, each removed whole.
	Escape int
	// Comment counts HTML comments, declarations and processing instructions
	// that a rendered page does not show. Only CleanMarkdown removes them.
	Comment int
	// Invalid counts the bytes that were not UTF-8 and now read U+FFFD.
	Invalid int
}

// Total is the sum over all classes; zero means nothing was removed or replaced.
func (r Removed) Total() int {
	return r.Tags + r.Bidi + r.ZeroWidth + r.Variation + r.Control + r.Escape + r.Comment + r.Invalid
}

// Add is the sum of both, class by class, for items made of several texts.
func (r Removed) Add(o Removed) Removed {
	return Removed{
		Tags:      r.Tags + o.Tags,
		Bidi:      r.Bidi + o.Bidi,
		ZeroWidth: r.ZeroWidth + o.ZeroWidth,
		Variation: r.Variation + o.Variation,
		Control:   r.Control + o.Control,
		Escape:    r.Escape + o.Escape,
		Comment:   r.Comment + o.Comment,
		Invalid:   r.Invalid + o.Invalid,
	}
}

// Clean returns s without invisible and deceptive characters, and what it
// removed. The result is valid UTF-8, has LF line ends, and Clean leaves it as
// it is. A text with nothing to remove is returned as it came, without a copy.
func Clean(s string) (string, Removed) {
	c := cleaner{src: s}
	for c.pos < len(s) {
		// One comparison passes printable ASCII, which is most text.
		if b := s[c.pos]; b-0x20 < 0x5f || b == '\n' || b == '\t' {
			c.pos++
			continue
		}
		c.step()
	}
	return c.finish(), c.removed
}

// cleaner copies src to out from the first change on; until then it allocates nothing.
type cleaner struct {
	src     string
	out     strings.Builder
	start   int // of the part of src that is kept but not yet copied
	pos     int
	removed Removed
}

func (c *cleaner) finish() string {
	if c.start == 0 {
		return c.src
	}
	c.out.WriteString(c.src[c.start:])
	return c.out.String()
}

// replace puts with in the place of the next n bytes.
func (c *cleaner) replace(n int, with string) {
	if c.start == 0 {
		c.out.Grow(len(c.src))
	}
	c.out.WriteString(c.src[c.start:c.pos])
	c.out.WriteString(with)
	c.pos += n
	c.start = c.pos
}

func (c *cleaner) drop(n int, counter *int) {
	*counter++
	c.replace(n, "")
}

// before is the last rune that was kept. Judging by what was kept, not by what
// was there, is what makes Clean idempotent.
func (c *cleaner) before() rune {
	kept := c.src[c.start:c.pos]
	if kept == "" {
		kept = c.out.String()
	}
	r, _ := utf8.DecodeLastRuneInString(kept)
	return r
}

func (c *cleaner) step() {
	switch b := c.src[c.pos]; {
	case b == '\r' && strings.HasPrefix(c.src[c.pos+1:], "\n"):
		c.replace(1, "")
	case b == '\r':
		c.replace(1, "\n")
	case b == escapeByte:
		c.drop(escapeLen(c.src[c.pos:]), &c.removed.Escape)
	case b < utf8.RuneSelf:
		c.drop(1, &c.removed.Control)
	default:
		c.wide()
	}
}

func (c *cleaner) wide() {
	r, size := utf8.DecodeRuneInString(c.src[c.pos:])
	if r == utf8.RuneError && size == 1 {
		c.removed.Invalid++
		c.replace(1, "\uFFFD")
		return
	}
	switch classOf(r) {
	case visible:
		c.pos += size
	case tag:
		c.drop(size, &c.removed.Tags)
	case bidi:
		c.drop(size, &c.removed.Bidi)
	case zeroWidth:
		c.drop(size, &c.removed.ZeroWidth)
	case control:
		c.drop(size, &c.removed.Control)
	case introducer:
		c.drop(escapeLen(c.src[c.pos:]), &c.removed.Escape)
	case separator:
		c.replace(size, "\n")
	case joiner:
		c.inContext(joins(r, c.before(), c.after(size)), size, &c.removed.ZeroWidth)
	case selector:
		c.inContext(selects(r, c.before(), c.after(size)), size, &c.removed.Variation)
	}
}

func (c *cleaner) inContext(needed bool, size int, counter *int) {
	if needed {
		c.pos += size
		return
	}
	c.drop(size, counter)
}

// after is the rune that follows the current one, kept or not: whoever asks
// accepts only runes that are always kept.
func (c *cleaner) after(size int) rune {
	r, _ := utf8.DecodeRuneInString(c.src[c.pos+size:])
	return r
}
