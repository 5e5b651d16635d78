package ingest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"polaris/models/fault"
)

// An element is one of an XML document. Its text is all the character data in
// it, its children's too.
type element struct {
	name  string
	attrs map[string]string
	text  string
	kids  []*element
}

// readXML reads a document into elements. Documents that declare their own types
// or entities are refused whole: an entity can expand to any size, or name a
// file of ours.
func readXML(text string) (*element, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // decoded before
	root := &element{}
	stack := []*element{root}
	for {
		tok, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, brokenXML(d, err)
		}
		top := stack[len(stack)-1]
		switch tok := tok.(type) {
		case xml.Directive:
			return nil, fault.New(fault.Unreadable, "The XML declares a document type or entities (line %d). Such documents are refused: remove the declaration.", line(d))
		case xml.StartElement:
			if len(stack) > MaxDepth {
				return nil, fault.New(fault.Unreadable, "The XML is nested more than %d elements deep.", MaxDepth)
			}
			e := &element{name: tok.Name.Local, attrs: make(map[string]string, len(tok.Attr))}
			for _, a := range tok.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			top.kids = append(top.kids, e)
			stack = append(stack, e)
		case xml.EndElement:
			if tok.Name.Local != top.name || len(stack) == 1 {
				return nil, fault.New(fault.Unreadable, "The XML is broken in line %d: </%s> closes nothing that is open.", line(d), clip(tok.Name.Local, 40))
			}
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.kids = append(top.kids, &element{text: string(tok)})
		}
	}
	if len(stack) > 1 {
		return nil, fault.New(fault.Unreadable, "The XML ends in the middle: <%s> is not closed.", clip(stack[len(stack)-1].name, 40))
	}
	for _, e := range root.kids {
		if e.name != "" {
			return e, nil
		}
	}
	return nil, fault.New(fault.Unreadable, "The XML has no element.")
}

func line(d *xml.Decoder) int { n, _ := d.InputPos(); return n }

func brokenXML(d *xml.Decoder, err error) error {
	what := "it ends in the middle"
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok && !strings.Contains(syntax.Msg, "EOF") {
		what = syntax.Msg
	}
	if !utf8.ValidString(what) || len(what) > 100 {
		what = "it is not well-formed"
	}
	return fault.New(fault.Unreadable, "The XML is broken in line %d: %s.", line(d), what).Because(fmt.Errorf("reading XML: %w", err))
}

// parseXML reads the kinds of XML that have a structure of provisions, by their
// root.
func parseXML(text string, o Options) (*Document, error) {
	root, err := readXML(text)
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(root.name) {
	case "uscdoc", "lawdoc", "pcdoc", "cfrdoc", "statutesatlarge":
		return build(readUSLM(root), o)
	case "dlpstextclass", "ecfr", "ecfrbrws", "div1", "div2", "div3", "div4", "div5", "div6", "div7", "div8", "div9":
		doc, cites := readECFR(root)
		if o.Cites == "" {
			o.Cites = cites
		}
		return build(doc, o)
	}
	return parseRegML(root, o)
}

// all returns the elements below e that are called name, e's own children only.
func (e *element) all(name string) []*element {
	var out []*element
	for _, k := range e.kids {
		if k.name == name {
			out = append(out, k)
		}
	}
	return out
}

// first returns the first element along a path of names, or an empty one.
func (e *element) first(names ...string) *element {
	for _, name := range names {
		ks := e.all(name)
		if len(ks) == 0 {
			return &element{}
		}
		e = ks[0]
	}
	return e
}

// words returns all the text in e, white space collapsed.
func (e *element) words() string {
	var b strings.Builder
	e.collect(&b)
	return strings.Join(strings.Fields(b.String()), " ")
}

func (e *element) collect(b *strings.Builder) {
	b.WriteString(e.text)
	for _, k := range e.kids {
		k.collect(b)
	}
}
