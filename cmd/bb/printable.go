package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A printable is a terminal's way out. Titles, file names and quotes are other
// people's text, and a terminal obeys what it is sent: characters that move the
// cursor, colour, rename the window or turn the reading direction go out as
// \u001b and the like, which JSON reads back as what they were.
type printable struct {
	w    io.Writer
	rest []byte // the beginning of a character whose end has not come yet
}

// Write writes b with its controls escaped.
func (p *printable) Write(b []byte) (int, error) {
	n := len(b)
	if len(p.rest) > 0 {
		b = append(p.rest, b...)
		p.rest = nil
	}
	var out bytes.Buffer
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && size == 1 && !utf8.FullRune(b):
			p.rest = bytes.Clone(b)
			size = len(b)
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, b[0])
		case commands(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.Write(b[:size])
		}
		b = b[size:]
	}
	if _, err := p.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return n, nil
}

// end writes what is left of a character that was never completed.
func (p *printable) end() {
	for _, b := range p.rest {
		fmt.Fprintf(p.w, `\x%02x`, b)
	}
	p.rest = nil
}

// commands reports whether r is one that terminals act on. Marks of direction
// that right-to-left text needs stay; those that turn other text around do not.
func commands(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// oneLine keeps what others named from looking like lines of ours.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", `\u000a`) }
