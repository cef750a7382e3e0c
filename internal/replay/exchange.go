package replay

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Exchange is one recorded request and its answer.
type Exchange struct {
	Section string // its name in the file, for messages
	Method  string
	Path    string // escaped
	Query   string // parameters in the order of their names

	has   []header // of the request
	lacks []string
	body  []string // texts in the request's body

	times   int // 0: any number
	ordered bool

	fault  string // how the connection fails; empty if there is an answer
	status int
	header []header
	text   string
	cut    int // bytes sent of what is declared; -1: all
	end    int // bytes sent as if they were all; -1: all
}

type header struct{ name, value string }

var faults = map[string]bool{"reset": true, "refused": true, "closed": true, "dns": true, "tls": true, "hang": true}

func parseExchange(section, text string) (Exchange, error) {
	x := Exchange{Section: section, times: 1, cut: -1, end: -1}
	head, body, _ := strings.Cut(text, "\n\n")
	// The file's last line end belongs to the archive, not to the body.
	x.text = strings.TrimSuffix(body, "\n")
	for _, line := range strings.Split(strings.TrimRight(head, "\n"), "\n") {
		var err error
		switch {
		case strings.HasPrefix(line, ">"):
			err = x.request(strings.TrimSpace(line[1:]))
		case strings.HasPrefix(line, "<"):
			err = x.answer(strings.TrimSpace(line[1:]))
		case strings.HasPrefix(line, "times:"):
			err = x.repeat(strings.TrimSpace(strings.TrimPrefix(line, "times:")))
		default:
			err = errors.New("neither request, answer nor times")
		}
		if err != nil {
			return Exchange{}, fmt.Errorf("line %q: %w", line, err)
		}
	}
	if x.Method == "" || x.status == 0 && x.fault == "" {
		return Exchange{}, errors.New("request or answer is missing")
	}
	return x, nil
}

func (x *Exchange) request(line string) error {
	switch {
	case x.Method == "":
		method, target, ok := strings.Cut(line, " ")
		u, err := url.Parse(target)
		if !ok || err != nil || !strings.HasPrefix(target, "/") {
			return errors.New("want METHOD /path?query")
		}
		x.Method, x.Path, x.Query = method, u.EscapedPath(), u.Query().Encode()
	case strings.HasPrefix(line, "!"):
		x.lacks = append(x.lacks, strings.TrimSpace(line[1:]))
	case strings.HasPrefix(line, "~"):
		x.body = append(x.body, strings.TrimSpace(line[1:]))
	default:
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return errors.New("want Header: value")
		}
		x.has = append(x.has, header{name, strings.TrimSpace(value)})
	}
	return nil
}

func (x *Exchange) answer(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	number, err := strconv.Atoi(rest)
	switch {
	case x.status == 0 && x.fault == "":
		if faults[line] {
			x.fault = line
			return nil
		}
		if word == "cut" && err == nil && number >= 0 { // of an ordinary answer
			x.status, x.cut = http.StatusOK, number
			x.header = append(x.header, header{"Content-Type", "application/json"})
			return nil
		}
		code, err := strconv.Atoi(word)
		if err != nil || code < 100 || code > 999 {
			return errors.New("want a status or a fault")
		}
		x.status = code
		return nil
	case x.fault != "":
		return errors.New("nothing follows a fault")
	case word == "cut" && err == nil && number >= 0:
		x.cut = number
		return nil
	case word == "end" && err == nil && number >= 0:
		x.end = number
		return nil
	}
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return errors.New("want Header: value")
	}
	x.header = append(x.header, header{http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)})
	return nil
}

func (x *Exchange) repeat(text string) error {
	if text == "any" {
		x.times = 0
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("want a number or any")
	}
	x.times = n
	return nil
}

// target is how an exchange or request is named in messages.
func target(method, path, query string) string {
	if query != "" {
		path += "?" + query
	}
	return method + " " + path
}
