package office

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// maxGroups bounds how deep the groups of an RTF file nest.
const maxGroups = 1000

// A destination is what the text of a group is for.
type destination uint8

const (
	toText destination = iota
	toNothing
	toFonts
	toColors
	toStyles
	toInfo
	toTitle
	toLabel // of a list's item
	toMargin
	toNote
	toComment
	toAuthor
)

// rtfState is what a group inherits and gives back at its end.
type rtfState struct {
	to      destination
	skip    int // characters after a \u that stand for it elsewhere
	font    int
	hidden  bool
	deleted bool
	revised bool
	color   int
	shaded  bool
	tiny    bool
	raised  bool
	begins  bool // nothing but the brace has been read of the group
	starred bool // its destination may be ignored by who does not know it
}

// rtf is one file while it is read.
type rtf struct {
	data []byte
	at   int
	doc  *form.Document

	state rtfState
	stack []rtfState

	page    encoding.Encoding // of the file
	fonts   map[int]rtfFont
	font    int   // of text that names none
	colors  []int // as 0xRRGGBB; -1: automatic
	rgb     int
	styles  map[int]*rtfStyle
	style   *rtfStyle // that is being defined
	pending []byte    // bytes of an encoding, not yet decoded
	units   []uint16  // of UTF-16, not yet decoded
	skip    int       // characters still to be skipped

	flow  *rtfFlow
	flows []*rtfFlow // those that the current one interrupts
	ends  []int      // the depth at which it ends

	title             strings.Builder
	author            string
	notes, endnotes   int
	inserted, deleted int
	images, tables    int
	margins           map[string]bool
}

// RTF reads a document in the Rich Text Format.
func RTF(data []byte, _ form.Limits) (*form.Document, error) {
	r := &rtf{
		data: data, doc: &form.Document{MediaType: MediaRTF}, fonts: map[int]rtfFont{}, styles: map[int]*rtfStyle{},
		page: codePage(1252), state: rtfState{skip: 1}, flow: newFlow(true), margins: map[string]bool{},
	}
	if err := r.read(); err != nil {
		return nil, err
	}
	for len(r.ends) > 0 { // a note or box that the file does not close
		r.leave()
	}
	blocks := r.flow.finish(r)
	if title := tidy(r.title.String()); title != "" {
		r.doc.Title = title
	}
	r.doc.Blocks = numberTables(blocks)
	r.doc.Warnings = append(r.doc.Warnings, changes(r.inserted, r.deleted)...)
	if len(r.doc.Blocks) == 0 {
		return nil, nothing(r.images)
	}
	if r.images > 0 && r.doc.Found < 200*r.images {
		r.doc.Warnings = append(r.doc.Warnings, pictures(r.images))
	}
	return r.doc, nil
}

// read goes through the file once.
func (r *rtf) read() error {
	for r.at < len(r.data) {
		c := r.data[r.at]
		r.at++
		switch c {
		case '{':
			r.decode()
			if len(r.stack) == maxGroups {
				return fault.New(fault.Unreadable, "The file nests groups more than %d deep: that is no document.", maxGroups)
			}
			r.stack = append(r.stack, r.state)
			r.state.begins, r.state.starred = true, false
		case '}':
			r.decode()
			if len(r.stack) == 0 {
				return nil // what follows the document is none of it
			}
			r.close()
			if len(r.stack) == 0 {
				return nil
			}
		case '\\':
			r.control()
		case '\r', '\n', 0:
		default:
			r.state.begins = false
			r.char(c)
		}
	}
	r.decode()
	if len(r.stack) > 1 {
		return fault.New(fault.Unreadable, "The file is damaged: it ends in the middle, after %d bytes. Save it again in its own program.", len(r.data))
	}
	return nil
}

// close ends a group, and the flow that it held.
func (r *rtf) close() {
	if n := len(r.ends); n > 0 && r.ends[n-1] == len(r.stack) {
		r.leave()
	}
	r.state, r.stack = r.stack[len(r.stack)-1], r.stack[:len(r.stack)-1]
	r.skip = 0
}

// char takes one byte of text.
func (r *rtf) char(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	r.flushUnits()
	r.pending = append(r.pending, c)
}

// control reads a control word or symbol; the backslash is read.
func (r *rtf) control() {
	if r.at >= len(r.data) {
		return
	}
	c := r.data[r.at]
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		r.word()
		return
	}
	r.at++
	if c == '*' {
		r.state.starred = true
		return
	}
	r.state.begins = false
	switch c {
	case '\'':
		if r.at+2 <= len(r.data) {
			n, err := strconv.ParseUint(string(r.data[r.at:r.at+2]), 16, 8)
			r.at += 2
			if err == nil {
				r.char(byte(n))
			}
		}
		return
	case '\\', '{', '}':
		r.char(c)
		return
	case '\r', '\n':
		r.decode()
		r.command("par", 0, false)
		return
	}
	if r.skip > 0 {
		r.skip--
		return
	}
	r.decode()
	switch c {
	case '~':
		r.write(" ")
	case '_':
		r.write("-")
	}
}

// word reads a control word with its number and the space that ends it.
func (r *rtf) word() {
	start := r.at
	for r.at < len(r.data) && (r.data[r.at]|0x20 >= 'a' && r.data[r.at]|0x20 <= 'z') {
		r.at++
	}
	name := string(r.data[start:min(r.at, start+32)])
	start = r.at
	if r.at < len(r.data) && r.data[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' {
		r.at++
	}
	n, err := strconv.Atoi(string(r.data[start:min(r.at, start+12)]))
	given := err == nil
	if r.at < len(r.data) && r.data[r.at] == ' ' {
		r.at++
	}
	switch {
	case name == "u" && given:
		r.unicode(n)
		return
	case name == "bin" && given:
		r.at = min(len(r.data), r.at+max(n, 0))
		return
	case r.skip > 0:
		r.skip--
		return
	}
	r.decode()
	begins := r.state.begins
	r.state.begins = false
	if begins && r.destination(name) {
		return
	}
	r.command(name, n, given)
}

// unicode takes a character of UTF-16; what stands for it elsewhere follows.
func (r *rtf) unicode(n int) {
	r.decodeBytes()
	r.state.begins = false
	r.units = append(r.units, uint16(n)) //nolint:gosec // negative numbers are the upper half
	r.skip = r.state.skip
}

// flushUnits writes the characters of UTF-16.
func (r *rtf) flushUnits() {
	if len(r.units) > 0 {
		s := string(utf16.Decode(r.units))
		r.units = r.units[:0]
		r.write(s)
	}
}

// decodeBytes writes the bytes of the file's encoding or the font's.
func (r *rtf) decodeBytes() {
	if len(r.pending) == 0 {
		return
	}
	b := r.pending
	r.pending = r.pending[:0]
	font := r.fonts[r.state.font]
	if font.symbol && r.state.to != toFonts {
		var sb strings.Builder
		for _, c := range b {
			if c < 0x80 && r.state.to != toLabel {
				sb.WriteByte(c)
			} else {
				sb.WriteString(symbol("symbol", strconv.FormatUint(uint64(c), 16)))
			}
		}
		r.write(sb.String())
		return
	}
	enc := r.page
	if font.page != nil && r.state.to != toFonts {
		enc = font.page
	}
	s, err := enc.NewDecoder().Bytes(b)
	if err != nil {
		s = []byte(strings.ToValidUTF8(string(b), ""))
	}
	r.write(string(s))
}

func (r *rtf) decode() {
	r.decodeBytes()
	r.flushUnits()
}
