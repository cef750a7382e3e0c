package markup

import "unicode"

// class says what Clean does with a rune.
type class uint8

const (
	visible    class = iota // kept
	tag                     // removed, as are the next three
	bidi                    //
	zeroWidth               //
	control                 //
	introducer              // a C1 control that opens an escape sequence
	separator               // U+2028, U+2029: a line feed
	joiner                  // ZWJ, ZWNJ: kept where a script or an emoji needs it
	selector                // variation selector: kept after what it varies
)

const (
	zwnj       = 0x200C
	zwj        = 0x200D
	textStyle  = 0xFE0E
	emojiStyle = 0xFE0F
	keycap     = 0x20E3
)

// classOf covers Unicode's Default_Ignorable_Code_Point property, the bidi
// controls, the C1 controls, and the noncharacters. Private use stays: icon
// fonts and file names use it, and it shows as something.
func classOf(r rune) class {
	switch {
	case r < 0x300:
		return latinClass(r)
	case r < 0x2000:
		return lowClass(r)
	case r < 0x2070:
		return punctuationClass(r)
	case r < 0xFDD0:
		if r == 0x3164 { // Hangul filler
			return zeroWidth
		}
		return visible
	case r < 0x10000:
		return formsClass(r)
	default:
		return supplementaryClass(r)
	}
}

func latinClass(r rune) class {
	switch {
	case r == 0x90, r == 0x98, r == 0x9B, r >= 0x9D && r <= 0x9F:
		return introducer
	case r < 0xA0:
		return control
	case r == 0xAD: // soft hyphen
		return zeroWidth
	default:
		return visible
	}
}

func lowClass(r rune) class {
	switch r {
	case 0x61C: // Arabic letter mark
		return bidi
	case 0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E:
		return zeroWidth
	case 0x180B, 0x180C, 0x180D, 0x180F: // Mongolian free variation selectors
		return selector
	default:
		return visible
	}
}

func punctuationClass(r rune) class {
	switch {
	case r == zwnj, r == zwj:
		return joiner
	case r == 0x200B:
		return zeroWidth
	case r == 0x200E, r == 0x200F:
		return bidi
	case r < 0x2028:
		return visible
	case r <= 0x2029:
		return separator
	case r <= 0x202E:
		return bidi
	case r < 0x2060:
		return visible
	case r <= 0x2065:
		return zeroWidth
	case r <= 0x2069:
		return bidi
	default: // deprecated format characters
		return zeroWidth
	}
}

func formsClass(r rune) class {
	switch {
	case r <= 0xFDEF, r >= 0xFFFE: // noncharacters
		return control
	case r < 0xFE00:
		return visible
	case r <= emojiStyle:
		return selector
	case r == 0xFEFF, r == 0xFFA0:
		return zeroWidth
	case r < 0xFFF0:
		return visible
	case r <= 0xFFF8: // reserved as default ignorable
		return zeroWidth
	case r <= 0xFFFB: // interlinear annotation
		return control
	default:
		return visible
	}
}

func supplementaryClass(r rune) class {
	switch {
	case r&0xFFFE == 0xFFFE: // noncharacters at the end of each plane
		return control
	case r >= 0xE0000 && r <= 0xE007F:
		return tag
	case r >= 0xE0100 && r <= 0xE01EF:
		return selector
	case r >= 0xE0000 && r <= 0xE0FFF, r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A:
		return zeroWidth
	default:
		return visible
	}
}

// joins reports whether joiner r has a visible effect between its neighbours.
func joins(r, before, after rune) bool {
	if r == zwj && unicode.Is(emoji, after) {
		return before == emojiStyle || unicode.Is(emoji, before)
	}
	return cursive(before) && cursive(after)
}

// cursive reports whether r is a letter or mark of a script in which ZWJ and
// ZWNJ change the shape of their neighbours.
func cursive(r rune) bool {
	return unicode.Is(joining, r) && (unicode.IsLetter(r) || unicode.IsMark(r)) && classOf(r) == visible
}

// selects reports whether selector r varies the rune before it. A second one
// in a row never does: runs of them are used to smuggle bytes.
func selects(r, before, after rune) bool {
	switch {
	case r < 0x2000:
		return before >= 0x1820 && before <= 0x18AA && unicode.IsLetter(before)
	case r == emojiStyle && after == keycap:
		return before == '#' || before == '*' || before >= '0' && before <= '9'
	case r == emojiStyle, r == textStyle:
		return unicode.Is(emoji, before)
	default:
		return false
	}
}

// joining holds the blocks of the cursive and the Brahmic scripts. Blocks, not
// scripts: the Arabic vowel signs belong to the script "Inherited".
var joining = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0600, Hi: 0x07FF, Stride: 1}, // Arabic, Syriac, Thaana, N'Ko
		{Lo: 0x0840, Hi: 0x0DFF, Stride: 1}, // Mandaic, Arabic extended, Devanagari to Sinhala
		{Lo: 0x0F00, Hi: 0x109F, Stride: 1}, // Tibetan, Myanmar
		{Lo: 0x1780, Hi: 0x18AF, Stride: 1}, // Khmer, Mongolian
		{Lo: 0x1A20, Hi: 0x1BFF, Stride: 1}, // Tai Tham, Balinese, Sundanese, Batak
		{Lo: 0x1CD0, Hi: 0x1CFF, Stride: 1}, // Vedic extensions
		{Lo: 0xA800, Hi: 0xA8FF, Stride: 1}, // Syloti Nagri, Phags-pa, Saurashtra, Devanagari extended
		{Lo: 0xA980, Hi: 0xAA7F, Stride: 1}, // Javanese, Cham, Myanmar extended
		{Lo: 0xFB50, Hi: 0xFDFF, Stride: 1}, // Arabic presentation forms A
		{Lo: 0xFE70, Hi: 0xFEFC, Stride: 1}, // Arabic presentation forms B
	},
	R32: []unicode.Range32{
		{Lo: 0x10D00, Hi: 0x10D3F, Stride: 1}, // Hanifi Rohingya
		{Lo: 0x11000, Hi: 0x1197F, Stride: 1}, // Brahmi to Dives Akuru
		{Lo: 0x1E900, Hi: 0x1E95F, Stride: 1}, // Adlam
	},
}

// emoji holds what emoji sequences are made of: Unicode's Extended_Pictographic
// (with the unassigned rest of its blocks) and the regional indicators.
var emoji = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00A9, Hi: 0x00AE, Stride: 5},
		{Lo: 0x203C, Hi: 0x2049, Stride: 13},
		{Lo: 0x2122, Hi: 0x2139, Stride: 23},
		{Lo: 0x2194, Hi: 0x2199, Stride: 1},
		{Lo: 0x21A9, Hi: 0x21AA, Stride: 1},
		{Lo: 0x231A, Hi: 0x231B, Stride: 1},
		{Lo: 0x2328, Hi: 0x2328, Stride: 1},
		{Lo: 0x23CF, Hi: 0x23CF, Stride: 1},
		{Lo: 0x23E9, Hi: 0x23FA, Stride: 1},
		{Lo: 0x24C2, Hi: 0x24C2, Stride: 1},
		{Lo: 0x25AA, Hi: 0x25AB, Stride: 1},
		{Lo: 0x25B6, Hi: 0x25C0, Stride: 10},
		{Lo: 0x25FB, Hi: 0x25FE, Stride: 1},
		{Lo: 0x2600, Hi: 0x27BF, Stride: 1},
		{Lo: 0x2934, Hi: 0x2935, Stride: 1},
		{Lo: 0x2B05, Hi: 0x2B07, Stride: 1},
		{Lo: 0x2B1B, Hi: 0x2B1C, Stride: 1},
		{Lo: 0x2B50, Hi: 0x2B55, Stride: 5},
		{Lo: 0x3030, Hi: 0x303D, Stride: 13},
		{Lo: 0x3297, Hi: 0x3299, Stride: 2},
	},
	R32:         []unicode.Range32{{Lo: 0x1F000, Hi: 0x1FAFF, Stride: 1}},
	LatinOffset: 1,
}
