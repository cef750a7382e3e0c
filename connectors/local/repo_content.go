package local

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/status"
)

// contents hands out the contents of files one after the other, from the disk
// or from a commit. Each has to be read, or left, before the next is asked for.
type contents struct {
	s       *search
	names   []string
	current *diskFile
	batch   *batch
}

// openAll prepares to read these files.
func (s *search) openAll(names []string) *contents { return &contents{s: s, names: names} }

// next opens the next file; without a reader there are no more. A file that
// cannot be read is a failure of its own.
func (c *contents) next() (string, io.Reader, *status.Failure) {
	for len(c.names) > 0 {
		if c.s.ctx.Err() != nil {
			f := ended(c.s.ctx)
			return "", nil, &f
		}
		if c.s.atCommit() {
			return c.nextStored()
		}
		c.close()
		name := c.names[0]
		c.names = c.names[1:]
		f, failure := c.s.onDisk(name)
		switch {
		case failure != nil:
			return name, nil, failure
		case f == nil: // LD-13: git has just found it
			return name, nil, goneMeanwhile(name)
		case f.info.Mode().IsRegular():
			c.current = f
			return name, f, nil
		}
		f.Close()
	}
	return "", nil, nil
}

// goneMeanwhile is a file that was there when it was listed.
func goneMeanwhile(name string) *status.Failure {
	f := changedMeanwhile().With(pathFact(name))
	return &f
}

// close ends what is open.
func (c *contents) close() {
	if c.current != nil {
		c.current.Close()
		c.current = nil
	}
	if c.batch != nil {
		c.batch.close()
		c.batch = nil
	}
}

// nextStored reads one file of a commit.
func (c *contents) nextStored() (string, io.Reader, *status.Failure) {
	name := c.names[0]
	c.names = c.names[1:]
	if c.batch == nil {
		c.batch = c.s.newBatch()
	}
	r, failure := c.batch.object(c.s.rev.commit + ":" + name)
	if failure != nil && c.batch.broken {
		c.names = nil // one gap stands for all that could not be read
	}
	return name, r, failure
}

// batch is a running git cat-file --batch.
type batch struct {
	ask    *io.PipeWriter
	answer *bufio.Reader
	pipe   *io.PipeReader
	left   *io.LimitedReader // of the object that was handed out last
	done   chan output
	broken bool
	// missing is what it means that git has no such object.
	missing func() status.Failure
}

// newBatch starts git cat-file; close has to be called.
func (s *search) newBatch() *batch {
	questions, ask := io.Pipe()
	pipe, answers := io.Pipe()
	b := &batch{ask: ask, pipe: pipe, answer: bufio.NewReaderSize(pipe, 64<<10), done: make(chan output, 1)}
	if b.missing = corrupt; s.facts.partial {
		b.missing = notFetched
	}
	// A cancelled call must not wait for git to notice that nobody asks any more.
	release := context.AfterFunc(s.ctx, func() { ask.Close() })
	go func() {
		defer release()
		out := s.run(command{args: []string{"cat-file", "--batch"}, input: questions, read: func(r io.Reader) error {
			_, err := io.Copy(answers, r)
			if err != nil {
				return errEnough // the asker has closed its end
			}
			return nil
		}})
		questions.Close()
		answers.CloseWithError(io.ErrUnexpectedEOF)
		b.done <- out
	}()
	return b
}

// object asks for one object by name and returns its content.
func (b *batch) object(name string) (io.Reader, *status.Failure) {
	if strings.ContainsRune(name, '\n') {
		f := status.Fail(status.OperationUnsupported, status.Feature.Is("paths with a line end at a revision"))
		return nil, &f
	}
	if b.left != nil { // the end of the former object, and the line end after it
		b.left.N++
		if _, err := io.Copy(io.Discard, b.left); err != nil {
			return nil, b.cutShort()
		}
	}
	b.left = nil
	if _, err := io.WriteString(b.ask, name+"\n"); err != nil {
		return nil, b.cutShort()
	}
	head, err := b.answer.ReadString('\n')
	if err != nil {
		return nil, b.cutShort()
	}
	f := strings.Fields(head)
	if len(f) != 3 || f[1] != "blob" {
		failure := b.missing().With(pathFact(name))
		return nil, &failure
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return nil, b.cutShort()
	}
	b.left = &io.LimitedReader{R: b.answer, N: size}
	return b.left, nil
}

// close ends git and waits for it.
func (b *batch) close() {
	b.ask.Close()
	b.pipe.CloseWithError(errEnough)
	out := <-b.done
	b.done <- out
}

// cutShort is why git stopped to answer.
func (b *batch) cutShort() *status.Failure {
	b.broken = true
	b.close()
	out := <-b.done
	b.done <- out
	if out.fault != nil {
		return out.fault
	}
	f := status.Fail(status.TruncatedBody, status.Part.Is("git cat-file"))
	return &f
}
