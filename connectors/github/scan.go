package github

import (
	"context"
	"encoding/base64"
	"maps"
	"path"
	"slices"
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

// through is what a search by reading goes through.
type through struct {
	files  []wireEntry     // that can hold text, and symlinks, for where they lead
	covers map[string]bool // paths of the tree: whether all text there is read
	fits   func(path string) bool
	closed map[string]int // what may hold text and cannot be looked into
	notes  []string       // what holds none by its name
}

// through takes apart a tree. GH-48.
func (s codeSearch) through(t tree) through {
	w := through{files: filesOf(t, s.fits), covers: map[string]bool{}, fits: s.fits, closed: map[string]int{}}
	notes := map[string]bool{}
	for _, e := range t.entries {
		switch kind := e.kind(); {
		case kind == "submodule" && overlaps(e.Path, s.Path):
			w.closed["submodules"]++
		case kind == "symlink" && overlaps(e.Path, s.Path):
			w.files = append(w.files, e)
		case kind == "dir":
			w.covers[e.Path] = s.Path == ""
		case kind == "file":
			w.covers[e.Path] = s.fits(e.Path)
			if s.fits(e.Path) && media(e.Path) {
				notes[noteOf(e.Path)] = true
			}
		}
	}
	for note := range notes {
		w.notes = append(w.notes, note)
	}
	slices.Sort(w.notes)
	return w
}

// leadsTo reports whether a symlink leads to something that is read anyway, or to
// a file that is none of those in question under either name.
func (w through) leadsTo(link, target string) bool {
	if path.IsAbs(target) {
		return false
	}
	to := path.Join(path.Dir(link), target)
	read, there := w.covers[to]
	return read || there && path.Ext(to) != "" && !w.fits(link)
}

// overlaps reports whether something at the path at, or below it, may lie where a
// prefix or glob looks.
func overlaps(at, pattern string) bool {
	fixed, _, glob := strings.Cut(pattern, "*")
	if glob {
		fixed = fixed[:strings.LastIndexByte(fixed, '/')+1]
	}
	fixed = strings.Trim(path.Clean("/"+fixed), "/")
	return fixed == "" || at == fixed || strings.HasPrefix(at, fixed+"/") || strings.HasPrefix(fixed, at+"/")
}

// Notes on files that are not read, because files of that name hold no text to
// look for: pictures, sound and fonts, or archives and machine code.
const (
	noteMedia  = "media_files"
	noteBinary = "binary_files"
)

func noteOf(name string) string {
	if packed(strings.ToLower(path.Ext(name))) {
		return noteBinary
	}
	return noteMedia
}

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
	ext := strings.ToLower(path.Ext(name))
	switch ext {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".bmp", ".tiff", ".psd",
		".mp3", ".mp4", ".wav", ".ogg", ".webm", ".mov", ".avi",
		".woff", ".woff2", ".ttf", ".otf", ".eot":
		return true
	}
	return packed(ext)
}

// packed reports whether files with that ending are archives or machine code.
func packed(ext string) bool {
	switch ext {
	case ".zip", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".jar", ".exe", ".dll", ".so", ".dylib", ".a", ".o", ".class", ".wasm":
		return true
	}
	return false
}

// content is one file that was read. A nil exchange means that it was not.
type content struct {
	entry wireEntry
	text  string
	odd   bool   // it is not what its hash names
	skip  string // why it could not be searched: binary, git_lfs, symlink
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

// scanned is what came of reading a tree.
type scanned struct {
	t       tree
	read    []content
	failure *status.Failure
	hits    int
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
	case e.kind() == "symlink":
		got.skip = "symlink"
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
		return nil, x, x.Misshapen("encoding")
	}
	if int64(len(raw)) < *w.Size {
		short := status.Fail(status.TruncatedBody, status.SizeBytes.Is(int64(len(raw))), status.HTTPStatus.Is(x.Status))
		return nil, x, &short
	}
	if int64(len(raw)) > *w.Size || e.Size > 0 && int64(len(raw)) != e.Size {
		return nil, x, x.Contradicts("the size does not fit the content")
	}
	return raw, x, nil
}

func unbase64(x *upstream.Exchange, text string) ([]byte, *status.Failure) {
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
	if err != nil {
		return nil, x.Misshapen("content")
	}
	return data, nil
}

// scanAudit adds to the audit of a tree that its files were read, and how many of
// them are hits. What cannot be looked into is a gap where nothing was found, and
// a note beside hits.
func (c *client) scanAudit(ctx context.Context, a *status.Audit, w through, s scanned) {
	skipped, closed := map[string]int{}, maps.Clone(w.closed)
	for _, got := range s.read {
		c.hear(ctx, a, got.x)
		if got.odd {
			a.Unprovable(noteHash)
		}
		switch {
		case got.skip == "symlink" && w.leadsTo(got.entry.Path, got.text):
		case got.skip == "symlink":
			closed["symlinks"]++
		case got.skip != "":
			skipped[got.skip]++
		}
	}
	for _, note := range w.notes {
		a.Unprovable(note)
	}
	for kind := range closed {
		if s.hits > 0 {
			a.Unprovable(kind + "_not_searched")
		}
	}
	if len(closed) > 0 && s.hits == 0 {
		a.Fail(status.Effectiveness, status.Fail(status.ContentNotIncluded, status.Skipped.Is(closed), status.Part.Is(strings.Join(slices.Sorted(maps.Keys(closed)), " and "))))
	}
	read := s.read
	switch {
	case s.failure != nil:
		a.Unmade(status.Effectiveness, *s.failure)
	case len(w.files) == 0: // a tree without such a file has no such text
		a.Hold(s.t.x.Proof(), status.Effectiveness)
	case len(skipped) > 0:
		a.Fail(status.Effectiveness, status.Fail(status.ContentNotIncluded, status.Skipped.Is(skipped), status.Part.Is("binary files or Git LFS")))
	case len(read) > 0:
		a.Hold(read[len(read)-1].x.Proof(), status.Effectiveness)
	}
}
