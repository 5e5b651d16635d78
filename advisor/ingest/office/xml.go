package office

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"

	"polaris/models/fault"
)

// maxDepth bounds the nesting of elements, and with it the recursion of what
// walks them. Word itself stops far below.
const maxDepth = 400

// A walker goes through one XML part, token by token: the part is never held as
// a tree. Entities that the part declares are not expanded: encoding/xml knows
// the five of XML.
type walker struct {
	d     *xml.Decoder
	part  string
	depth int // of open elements
}

// walk opens a part. It returns nil where the container has none of that name.
func (c *container) walk(part string) (*walker, func(), error) {
	r, err := c.open(part)
	if r == nil || err != nil {
		return nil, func() {}, err
	}
	return newWalker(r, part), func() { _ = r.Close() }, nil
}

func newWalker(r io.Reader, part string) *walker {
	b := bufio.NewReader(r)
	wide := false
	if head, _ := b.Peek(2); len(head) == 2 && (head[0] == 0xFF && head[1] == 0xFE || head[0] == 0xFE && head[1] == 0xFF) {
		wide = true
		b = bufio.NewReader(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(b))
	}
	d := xml.NewDecoder(b)
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if wide {
			return in, nil
		}
		return charset.NewReaderLabel(label, in)
	}
	return &walker{d: d, part: part}
}

// next returns the next token, its element's name space shortened.
func (w *walker) next() (xml.Token, error) {
	t, err := w.d.Token()
	if err != nil {
		if errors.Is(err, io.EOF) && w.depth == 0 {
			return nil, io.EOF
		}
		if f, ok := errors.AsType[*fault.Error](err); ok {
			return nil, f
		}
		line, _ := w.d.InputPos()
		return nil, damaged(w.part+", line "+strconv.Itoa(line)+",", err)
	}
	switch e := t.(type) {
	case xml.StartElement:
		if w.depth++; w.depth > maxDepth {
			return nil, fault.New(fault.Unreadable, "%s nests elements more than %d deep: that is no document.", w.part, maxDepth)
		}
		e.Name.Space = short(e.Name.Space)
		return e, nil
	case xml.EndElement:
		w.depth--
	case xml.Directive:
		if bytes.Contains(e, []byte("<!ENTITY")) {
			return nil, fault.New(fault.Unreadable, "%s declares entities: that is no document.", w.part)
		}
	}
	return t, nil
}

// children calls f for each child of the element that was entered last, or of
// the document. f may go through the child with children, text or each; what it
// leaves is skipped.
func (w *walker) children(f func(e xml.StartElement) error) error {
	return w.content(f, nil)
}

// content is children, and calls text for the characters between them.
func (w *walker) content(f func(e xml.StartElement) error, text func(s string)) error {
	at := w.depth
	for {
		t, err := w.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := f(t); err != nil {
				return err
			}
			for w.depth > at {
				if _, err := w.next(); err != nil {
					return err
				}
			}
		case xml.EndElement:
			if w.depth < at {
				return nil
			}
		case xml.CharData:
			if text != nil {
				text(string(t))
			}
		}
	}
}

// text returns the characters of the element that was entered last, those of
// its children included.
func (w *walker) text() (string, error) {
	var sb strings.Builder
	var in func(xml.StartElement) error
	add := func(s string) { sb.WriteString(s) }
	in = func(xml.StartElement) error { return w.content(in, add) }
	err := w.content(in, add)
	return sb.String(), err
}

// find calls f for each element of that name below the one entered last, however
// deep, but not below itself.
func (w *walker) find(space, local string, f func(e xml.StartElement) error) error {
	return w.children(func(e xml.StartElement) error {
		if e.Name.Space == space && e.Name.Local == local {
			return f(e)
		}
		return w.find(space, local, f)
	})
}

// short names the name spaces that are looked at, transitional and strict alike.
// All others are "?".
func short(space string) string {
	switch space {
	case "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main":
		return "w"
	case "http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main":
		return "a"
	case "http://schemas.openxmlformats.org/presentationml/2006/main", "http://purl.oclc.org/ooxml/presentationml/main":
		return "p"
	case "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main":
		return "s"
	case "http://schemas.openxmlformats.org/officeDocument/2006/math", "http://purl.oclc.org/ooxml/officeDocument/math":
		return "m"
	case "http://schemas.openxmlformats.org/officeDocument/2006/relationships", "http://purl.oclc.org/ooxml/officeDocument/relationships":
		return "r"
	case "http://schemas.openxmlformats.org/markup-compatibility/2006":
		return "mc"
	case "urn:oasis:names:tc:opendocument:xmlns:text:1.0":
		return "text"
	case "urn:oasis:names:tc:opendocument:xmlns:table:1.0":
		return "table"
	case "urn:oasis:names:tc:opendocument:xmlns:office:1.0":
		return "office"
	case "urn:oasis:names:tc:opendocument:xmlns:style:1.0":
		return "style"
	case "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0":
		return "draw"
	case "http://purl.org/dc/elements/1.1/":
		return "dc"
	}
	return "?"
}

// attr returns an attribute by its local name, "" where there is none.
func attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// attrOf returns an attribute of one name space.
func attrOf(e xml.StartElement, space, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local && short(a.Name.Space) == space {
			return a.Value
		}
	}
	return ""
}

// on returns the value of a switch of OOXML: present means yes, unless its val
// says no.
func on(e xml.StartElement) bool {
	switch attr(e, "val") {
	case "0", "false", "off":
		return false
	}
	return true
}

// number returns the number in s, or otherwise.
func number(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < -1<<30 || n > 1<<30 {
		return otherwise
	}
	return n
}
