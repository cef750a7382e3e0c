package lab

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// The elements of JUnit's XML, as the usual readers of it take them.
type (
	suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Time     seconds  `xml:"time,attr"`
		Suites   []*suite `xml:"testsuite"`
	}
	suite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     seconds     `xml:"time,attr"`
		Start    string      `xml:"timestamp,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Time    seconds  `xml:"time,attr"`
		Failure *trouble `xml:"failure"`
		Error   *trouble `xml:"error"`
		Skipped *trouble `xml:"skipped"`
		Out     string   `xml:"system-out,omitempty"`
	}
	trouble struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

type seconds time.Duration

// MarshalXMLAttr writes seconds with a point.
func (s seconds) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("%.3f", time.Duration(s).Seconds())}, nil
}

// WriteJUnit writes the results as JUnit XML. A refused case is an error, one that
// was not reached is skipped.
func WriteJUnit(w io.Writer, all []Result, start time.Time) error {
	root := &suites{}
	bySuite := map[string]*suite{}
	for _, r := range all {
		s := bySuite[r.Suite]
		if s == nil {
			s = &suite{Name: legible(r.Suite), Start: start.UTC().Format("2006-01-02T15:04:05")}
			bySuite[r.Suite] = s
			root.Suites = append(root.Suites, s)
		}
		s.add(r)
	}
	for _, s := range root.Suites {
		root.Tests, root.Failures, root.Errors, root.Skipped = root.Tests+s.Tests, root.Failures+s.Failures, root.Errors+s.Errors, root.Skipped+s.Skipped
		root.Time += s.Time
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(root); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *suite) add(r Result) {
	c := junitCase{Name: legible(r.Name), Class: legible(r.Tool), Time: seconds(r.Took), Out: legible(strings.TrimSpace(r.Got + "\n" + r.Summary))}
	s.Tests++
	s.Time += c.Time
	if r.State != Passed {
		t := &trouble{Message: legible(strings.Join(r.Problems, "; ")), Type: string(r.State)}
		t.Text = legible(strings.TrimSpace("want " + r.Want + "\n" + got(r) + strings.Join(r.Problems, "\n")))
		switch r.State {
		case Skipped:
			c.Skipped = t
			s.Skipped++
		case Refused:
			c.Error = t
			s.Errors++
		case Passed, Failed:
			c.Failure = t
			s.Failures++
		}
	}
	s.Cases = append(s.Cases, c)
}

// got is the line of what came; a case that was not run has none.
func got(r Result) string {
	if r.Got == "" {
		return ""
	}
	return "got " + r.Got + "\n"
}

// legible replaces what XML cannot hold.
func legible(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 {
			return r
		}
		return utf8.RuneError
	}, text)
}
