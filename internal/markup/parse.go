package markup

import (
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Goldmark needs time that grows with the square of the text for emphasis and
// for containers inside containers, and cannot be interrupted. So the texts of
// strangers are parsed in parts, each with no more of the grammar than it needs.
// The parsers are CommonMark's, made once and safe for concurrent use.
var (
	// blockParser leaves the insides of paragraphs and headings alone.
	blockParser = sync.OnceValue(func() parser.Parser { return newParser(parser.DefaultBlockParsers()) })
	// rawParser tells raw HTML from code spans, which takes precedence over all other inlines.
	rawParser = sync.OnceValue(func() parser.Parser {
		return newParser(parser.DefaultBlockParsers(),
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewRawHTMLParser(), 400))
	})
	// inlineParser reads all of its text as one paragraph.
	inlineParser = sync.OnceValue(func() parser.Parser {
		paragraph := util.Prioritized(parser.NewParagraphParser(), 1000)
		return newParser([]util.PrioritizedValue{paragraph}, parser.DefaultInlineParsers()...)
	})
)

func newParser(blocks []util.PrioritizedValue, inlines ...util.PrioritizedValue) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
}

func parse(p parser.Parser, src string) ast.Node {
	return p.Parse(text.NewReader(flatten([]byte(src))))
}

// maxDepth is how many quotes and list items one line may open.
const maxDepth = 32

// flatten overwrites, in place and without moving anything, the container
// markers that a line has beyond maxDepth.
func flatten(src []byte) []byte {
	for at := 0; at < len(src); {
		depth := 0
		for ; at < len(src) && inMargin(src[at]); at++ {
			if !opensContainer(src, at) {
				continue
			}
			if depth++; depth > maxDepth {
				src[at] = 'x'
			}
		}
		for at < len(src) && src[at] != '\n' {
			at++
		}
		at++
	}
	return src
}

// inMargin reports whether b may stand before the text of a line in containers.
func inMargin(b byte) bool {
	switch b {
	case ' ', '\t', '>', '-', '+', '*', '.', ')':
		return true
	default:
		return b >= '0' && b <= '9'
	}
}

func opensContainer(src []byte, at int) bool {
	switch src[at] {
	case '>':
		return true
	case '-', '+', '*', '.', ')':
		return at+1 < len(src) && (src[at+1] == ' ' || src[at+1] == '\t')
	default:
		return false
	}
}
