package github

import (
	"context"
	"encoding/base64"
	"path"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// What one call reads of a repository, file by file, to be sure. Beyond this
// only the index is asked.
const (
	scanFiles  = 50
	scanBytes  = 1 << 20
	scanFlight = 4 // requests at a time
	// scanAnonymous spares the 60 requests an hour that nobody in particular has.
	scanAnonymous = 15
)

// scannable reports whether so many files can be read one by one.
func (c *client) scannable(files []wireEntry) bool {
	size, limit := int64(0), scanFiles
	if c.anonymous() {
		limit = scanAnonymous
	}
	for _, f := range files {
		size += f.Size
	}
	return len(files) <= limit && size <= scanBytes
}

// filesOf takes the files out of a tree that fit and can hold text.
func filesOf(t tree, fits func(path string) bool) []wireEntry {
	var out []wireEntry
	for _, e := range t.entries {
		if e.kind() == "file" && fits(e.Path) && !media(e.Path) {
			out = append(out, e)
		}
	}
	return out
}

// media reports whether a file of that name holds pictures, sound or the like
// by common agreement. Nobody looks for text in them.
func media(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".bmp", ".tiff", ".psd",
		".mp3", ".mp4", ".wav", ".ogg", ".webm", ".mov", ".avi",
		".woff", ".woff2", ".ttf", ".otf", ".eot",
		".zip", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".jar", ".exe", ".dll", ".so", ".dylib", ".a", ".o", ".class", ".wasm":
		return true
	}
	return false
}

// content is one file that was read. A nil exchange means that it was not.
type content struct {
	entry wireEntry
	text  string
	odd   bool   // it is not what its hash names
	skip  string // why it could not be searched: binary, git_lfs
	x     *upstream.Exchange
}

// scan reads the files, a few at a time. The failure is the first one; the files
// that were read stand beside it. HT-10.
func (c *client) scan(ctx context.Context, r repoName, files []wireEntry) ([]content, *status.Failure) {
	status.CallFrom(ctx).Report("reading " + strconv.Itoa(len(files)) + " files of " + r.String())
	out := make([]content, len(files))
	failures := make([]*status.Failure, len(files))
	var refused atomic.Bool
	var g errgroup.Group
	g.SetLimit(scanFlight)
	for i, e := range files {
		g.Go(func() error {
			if refused.Load() || ctx.Err() != nil {
				return nil
			}
			out[i], failures[i] = c.readBlob(ctx, r, e)
			if failures[i] != nil {
				refused.Store(true) // one refusal, such as a rate limit, will meet the others too
			}
			return nil
		})
	}
	_ = g.Wait() // the functions return no error
	var first *status.Failure
	var read []content
	for i := range out {
		switch {
		case out[i].x != nil:
			read = append(read, out[i])
		case failures[i] != nil && (first == nil || echoes(*first)):
			first = failures[i]
		}
	}
	if first == nil && len(read) < len(files) {
		f := status.Fail(status.Cancelled, status.By(c.source), status.Examined.Is(len(read)), status.Total.Is(len(files)))
		first = &f
	}
	return read, first
}

// echoes reports whether a failure only follows from another one beside it.
func echoes(f status.Failure) bool {
	return f.Reason() == status.Cancelled || f.Reason() == status.CircuitOpen
}

func (c *client) readBlob(ctx context.Context, r repoName, e wireEntry) (content, *status.Failure) {
	raw, x, f := c.blobOf(ctx, r, e)
	if f != nil {
		return content{entry: e}, f
	}
	got := content{entry: e, x: x}
	got.odd = misnamed(e.SHA, raw)
	text, _, ok := markup.Decode(raw)
	switch {
	case !ok:
		got.skip = "binary"
	case markup.IsLFSPointer(raw): // GH-48
		got.skip = "git_lfs"
	}
	got.text = text
	return got, nil
}

// blobOf is the content of a blob. It is asked for as JSON, not raw: the size
// beside it shows that it is whole, and no page of something in between can be
// taken for it. GH-47.
func (c *client) blobOf(ctx context.Context, r repoName, e wireEntry) ([]byte, *upstream.Exchange, *status.Failure) {
	k := repoCall(r, "/git/blobs/{sha}", "git", "blobs", e.SHA)
	k.maxBody, k.asked = maxTree, names{sha: e.SHA}
	w, x, f := one[wireBlob](ctx, c, k)
	if f != nil {
		return nil, x, f
	}
	raw := []byte(*w.Content)
	switch *w.Encoding {
	case "utf-8":
	case "base64":
		if raw, f = unbase64(x, *w.Content); f != nil {
			return nil, x, f
		}
	default:
		return nil, x, misshapen(x, "encoding")
	}
	if int64(len(raw)) < *w.Size {
		short := status.Fail(status.TruncatedBody, status.SizeBytes.Is(int64(len(raw))), status.HTTPStatus.Is(x.Status))
		return nil, x, &short
	}
	if int64(len(raw)) > *w.Size || e.Size > 0 && int64(len(raw)) != e.Size {
		return nil, x, contradicts(x, "the size does not fit the content")
	}
	return raw, x, nil
}

func unbase64(x *upstream.Exchange, text string) ([]byte, *status.Failure) {
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
	if err != nil {
		return nil, misshapen(x, "content")
	}
	return data, nil
}

// scanAudit adds to the audit of a tree that its files were read.
func (c *client) scanAudit(ctx context.Context, a *status.Audit, read []content, f *status.Failure) {
	skipped := map[string]int{}
	for _, got := range read {
		c.hear(ctx, a, got.x)
		if got.odd {
			a.Unprovable(noteHash)
		}
		if got.skip != "" {
			skipped[got.skip]++
		}
	}
	switch {
	case f != nil:
		a.Unmade(status.Effectiveness, *f)
	case len(skipped) > 0:
		a.Fail(status.Effectiveness, status.Fail(status.ContentNotIncluded, status.Skipped.Is(skipped), status.Part.Is("binary files or Git LFS")))
	case len(read) > 0:
		a.Hold(read[len(read)-1].x.Proof(), status.Effectiveness)
	}
}
