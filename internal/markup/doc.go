// Package markup treats text that other people wrote: it decodes bytes, removes
// what a reader cannot see, matches without regard to case or normal form, and
// finds the headings and sections of documents.
//
// It never does I/O, never renders Markdown to HTML, never decides a status,
// and never removes anything without counting it.
package markup
