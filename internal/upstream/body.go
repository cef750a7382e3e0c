package upstream

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/frank-mcp/frank/status"
)

const (
	firstBuffer = 32 << 10
	keptBuffer  = 1 << 20  // a larger scratch buffer is not kept
	validUpTo   = 16 << 10 // bytes of JSON that are checked in full
	lookAt      = 64 << 10 // bytes of a page that are searched for signs
)

// scratch holds buffers for answers that do not say how long they are.
type scratch struct{ pool sync.Pool }

// readAll reads a body to its end, within the limit. The failure says why it is
// not whole.
func (c *Client) readAll(resp *http.Response, limit int64) ([]byte, *status.Failure) {
	var from io.Reader = resp.Body
	size := resp.ContentLength
	if resp.Uncompressed || size == 0 && resp.Header.Get("Content-Length") == "" {
		size = -1
	}
	coding := ""
	if !resp.Uncompressed && size != 0 {
		coding = strings.ToLower(strings.TrimSpace(strings.Join(resp.Header.Values("Content-Encoding"), ",")))
	}
	switch coding {
	case "", "identity":
	case "gzip", "x-gzip":
		// Not asked for by us but sent all the same, or by a transport that does not decode.
		z, err := gzip.NewReader(resp.Body)
		if err != nil {
			return nil, failed(status.TruncatedBody, status.ErrorClass.Is("encoding"))
		}
		from, size = z, -1
	default: // not asked for; read as it is, it would be something else
		return nil, failed(status.NotJSON, status.MediaType.Is("in the encoding "+coding))
	}
	if size > limit {
		return nil, failed(status.OwnCap, status.Limit.Is(int(limit)), status.SizeBytes.Is(size))
	}
	if size >= 0 {
		return readSized(from, int(size))
	}
	return c.readOpen(from, limit)
}

// readSized reads a body that says how long it is: exactly that, and no more.
func readSized(from io.Reader, size int) ([]byte, *status.Failure) {
	body := make([]byte, size)
	if n, err := io.ReadFull(from, body); err != nil {
		return nil, cut(err, n)
	}
	var more [1]byte
	if n, err := io.ReadFull(from, more[:]); n > 0 || err != io.EOF {
		return nil, cut(err, size+n)
	}
	return body, nil
}

// readOpen reads a body of unknown length in a buffer that is used again, and
// returns an exact copy.
func (c *Client) readOpen(from io.Reader, limit int64) ([]byte, *status.Failure) {
	buf, _ := c.scratch.pool.Get().(*[]byte)
	if buf == nil {
		b := make([]byte, firstBuffer)
		buf = &b
	}
	defer func() {
		if cap(*buf) <= keptBuffer {
			c.scratch.pool.Put(buf)
		}
	}()
	n := 0
	for {
		if n == len(*buf) {
			bigger := make([]byte, 2*len(*buf))
			copy(bigger, *buf)
			*buf = bigger
		}
		m, err := from.Read((*buf)[n:])
		n += m
		switch {
		case int64(n) > limit:
			return nil, failed(status.OwnCap, status.Limit.Is(int(limit)))
		case err == io.EOF:
			return bytes.Clone((*buf)[:n]), nil
		case err != nil:
			return nil, cut(err, n)
		}
	}
}

// cut is the failure of a body that ended before its end.
func cut(err error, read int) *status.Failure {
	class := "closed"
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		class, _ = errorClass(err)
	}
	if class == "timeout" {
		return failed(status.Timeout)
	}
	return failed(status.TruncatedBody, status.ErrorClass.Is(class), status.SizeBytes.Is(int64(read)))
}

// checkBody reads an answer with a wanted status.
func (s *sending) checkBody(x *Exchange) *status.Failure {
	bodiless := s.req.Method == http.MethodHead || x.Status == http.StatusNoContent || x.Status == http.StatusResetContent
	switch {
	case x.Cached, s.want.Media == NoBody, bodiless && len(x.Body) == 0, x.Status >= 300:
		return nil
	case s.want.Media == Bytes:
		if isHTML(x) && !strings.Contains(s.req.Header.Get("Accept"), "html") {
			return s.page(x)
		}
		return nil
	case len(bytes.TrimSpace(x.Body)) == 0: // Go decodes that to "nothing there"
		return failed(status.ShapeError, status.MissingKey.Is("body"), status.SizeBytes.Is(int64(len(x.Body))))
	case isHTML(x):
		return s.page(x)
	case !isJSON(x.Header):
		return failed(status.NotJSON)
	}
	extent, members := wholeness(x.Body)
	switch extent {
	case whole:
		x.Markers = markersOf(members)
		return inBand(members)
	case short:
		return failed(status.TruncatedBody, status.ErrorClass.Is("json"), status.SizeBytes.Is(int64(len(x.Body))))
	default:
		return failed(status.ShapeError, status.MissingKey.Is("one JSON value"))
	}
}

type extent uint8

const (
	whole extent = iota
	short        // ends before its end
	other        // not JSON, or more than one value
)

// wholeness tells whether b is one JSON value to its end. Decoders that read a
// stream stop after the first value and see neither a second nor garbage (HT-04).
// Brackets and strings are followed at any size; a small body is also checked in
// full, while a large one is left to the decoder that reads it anyway. On the way
// the keys of an outermost object are collected.
func wholeness(b []byte) (extent, []member) {
	b = bytes.TrimSpace(b)
	bracketed := len(b) > 0 && (b[0] == '{' || b[0] == '[')
	if !bracketed || len(b) <= validUpTo {
		valid := json.Valid(b)
		switch {
		case valid && (!bracketed || b[0] == '['):
			return whole, nil
		case !bracketed && len(b) > 0 && b[0] == '"' && stringEnd(b[1:]) < 0:
			return short, nil
		case !bracketed:
			return other, nil
		}
		e, members := follow(b)
		if !valid && e == whole { // the brackets fit, something between them does not
			e = other
		}
		return e, members
	}
	return follow(b)
}

// follow counts the brackets of b, which begins with one.
func follow(b []byte) (extent, []member) {
	var members []member
	depth, keyed := 0, 0 // the depth at which a string may be a key
	if b[0] == '{' {
		keyed = 1
	}
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end := stringEnd(b[i+1:])
			if end < 0 {
				return short, nil
			}
			if depth == keyed {
				members = withMember(members, b, i+1, i+1+end)
			}
			i += end + 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 && i+1 < len(b) || depth < 0 {
				return other, nil
			}
		}
	}
	if depth > 0 {
		return short, nil
	}
	return whole, members
}

// stringEnd is the index of the quote that ends the string at the start of b.
func stringEnd(b []byte) int {
	for i := range min(len(b), 16) { // most strings are short: no call is quicker
		switch b[i] {
		case '"':
			return i
		case '\\':
			return longEnd(b, i)
		}
	}
	return longEnd(b, 0)
}

// longEnd is stringEnd from a place on that no backslash stands before.
func longEnd(b []byte, at int) int {
	for {
		q := bytes.IndexByte(b[at:], '"')
		if q < 0 {
			return -1
		}
		q += at
		slashes := 0
		for q-slashes > at && b[q-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return q
		}
		at = q + 1
	}
}

// mediaType is the media type of an answer without parameters, in lower case.
func mediaType(h http.Header) string {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}

func isJSON(h http.Header) bool {
	m := mediaType(h)
	return m == "application/json" || strings.HasSuffix(m, "+json")
}

// isHTML reports whether the answer is a page for people, by its media type or,
// where that says nothing, by how it begins.
func isHTML(x *Exchange) bool {
	switch m := mediaType(x.Header); m {
	case "text/html", "application/xhtml+xml":
		return true
	case "", "text/plain", "application/octet-stream":
		if x.Want.Media == Bytes {
			return m == "" && beginsAsPage(x.Body)
		}
		return beginsAsPage(x.Body)
	case "application/json": // a portal that keeps the media type and replaces the body
		return x.Want.Media == JSON && beginsAsPage(x.Body)
	}
	return false
}

func beginsAsPage(body []byte) bool {
	start := strings.ToLower(string(bytes.TrimSpace(body[:min(len(body), 256)])))
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html") || strings.HasPrefix(start, "<head")
}

// page reads an HTML page that came in place of an answer (HT-01).
func (s *sending) page(x *Exchange) *status.Failure {
	lower := strings.ToLower(string(x.Body[:min(len(x.Body), lookAt)]))
	opts := []status.Option{status.MediaType.Is(mediaType(x.Header))}
	if by := challenge(x); by != "" { // HT-08: the edge, not the source
		return failed(status.NotJSON, append(opts, status.Header.Is(by))...)
	}
	if loginSigns(lower, strings.ToLower(title(x.Body))) {
		return failed(status.LoginPage, opts...)
	}
	return failed(status.NotJSON, opts...)
}

// loginSigns looks for what only a sign-in page shows.
func loginSigns(page, name string) bool {
	for _, sign := range [...]string{"<form", "password", "saml", "signin", "sign-in", "sign_in", "/sso", "sso/", "single sign"} {
		if strings.Contains(page, sign) {
			return true
		}
	}
	for _, sign := range [...]string{"sign in", "log in", "login", "sso", "authenticat"} {
		if strings.Contains(name, sign) {
			return true
		}
	}
	return false
}

// title is the title of a page, at most 80 characters. It only tells what kind of
// page it is: like the rest of a body it never enters an answer.
func title(body []byte) string {
	page := string(body[:min(len(body), lookAt)])
	lower := strings.ToLower(page)
	open := strings.Index(lower, "<title")
	if open < 0 || len(lower) != len(page) {
		return ""
	}
	from := strings.IndexByte(lower[open:], '>')
	if from < 0 {
		return ""
	}
	from += open + 1
	end := strings.Index(lower[from:], "</title")
	if end < 0 {
		return ""
	}
	return status.Line(html.UnescapeString(page[from:from+end]), 80)
}
