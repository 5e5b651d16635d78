package office

import (
	"encoding/xml"
	"strings"
)

// unset is a property that a style or paragraph leaves to what it is based on.
const unset = -1

// A setting is a switch that a style may leave to what it is based on.
type setting int8

const (
	inherit setting = iota
	off
	yes
)

// look is what of the properties of a run decides whether its text is seen.
type look struct {
	vanish setting
	white  setting // white characters
	tiny   setting // of a point or less
	shaded setting // on a background of their own
	raised setting // above the line
	style  string  // the character style
}

// over returns what a has, and what it leaves open from below.
func (a look) over(below look) look {
	pick := func(a, b setting) setting {
		if a != inherit {
			return a
		}
		return b
	}
	return look{pick(a.vanish, below.vanish), pick(a.white, below.white), pick(a.tiny, below.tiny), pick(a.shaded, below.shaded), pick(a.raised, below.raised), a.style}
}

// read takes in one property of a run.
func (a *look) read(e xml.StartElement) {
	is := func(b bool) setting {
		if b {
			return yes
		}
		return off
	}
	switch e.Name.Local {
	case "vanish":
		a.vanish = is(on(e))
	case "color":
		a.white = is(strings.EqualFold(attr(e, "val"), "FFFFFF"))
	case "sz":
		a.tiny = is(number(attr(e, "val"), 99) <= 2) // half points
	case "shd":
		fill := attr(e, "fill")
		a.shaded = is(fill != "" && fill != "auto" && !strings.EqualFold(fill, "FFFFFF"))
	case "highlight":
		a.shaded = is(attr(e, "val") != "none")
	case "vertAlign":
		a.raised = is(attr(e, "val") == "superscript")
	case "rStyle":
		a.style = attr(e, "val")
	}
}

// A docxStyle is one style of a document, or all that it inherits.
type docxStyle struct {
	id, name, base string
	outline        int // 0 to 8, 9: body text
	numID, level   int // of a list
	look           look
}

// docxStyles are a document's styles by id.
type docxStyles struct {
	byID     map[string]*docxStyle
	whole    map[string]*docxStyle // with what they inherit
	standard string                // the paragraph style of paragraphs that name none
	lists    map[string]int        // the list of a numbering style
}

func (c *container) styles(part string) (*docxStyles, error) {
	s := &docxStyles{byID: map[string]*docxStyle{}, whole: map[string]*docxStyle{}, lists: map[string]int{}}
	w, done, err := c.walk(part)
	defer done()
	if w == nil || err != nil {
		return s, err
	}
	return s, w.find("w", "style", func(e xml.StartElement) error {
		st := &docxStyle{id: attr(e, "styleId"), outline: unset, numID: unset, level: unset}
		switch kind := attr(e, "type"); {
		case kind == "paragraph" && attr(e, "default") != "" && attr(e, "default") != "0":
			s.standard = st.id
		case kind == "numbering":
			defer func() { s.lists[st.id] = st.numID }()
		}
		s.byID[st.id] = st
		return w.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "name":
				st.name = strings.ToLower(strings.TrimSpace(attr(e, "val")))
			case "basedOn":
				st.base = attr(e, "val")
			case "pPr":
				return w.children(func(e xml.StartElement) error {
					if e.Name.Local == "shd" {
						st.look.read(e)
					}
					return st.read(w, e)
				})
			case "rPr":
				return w.children(func(e xml.StartElement) error { st.look.read(e); return nil })
			}
			return nil
		})
	})
}

// read takes in one property of a paragraph.
func (st *docxStyle) read(w *walker, e xml.StartElement) error {
	switch e.Name.Local {
	case "outlineLvl":
		st.outline = number(attr(e, "val"), unset)
	case "numPr":
		return w.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "numId":
				st.numID = number(attr(e, "val"), unset)
			case "ilvl":
				st.level = number(attr(e, "val"), unset)
			}
			return nil
		})
	}
	return nil
}

// of returns a style with what it inherits. There is one for each id.
func (s *docxStyles) of(id string) *docxStyle {
	if st := s.whole[id]; st != nil {
		return st
	}
	st := &docxStyle{id: id, outline: unset, numID: unset, level: unset}
	s.whole[id] = st
	at := s.byID[id]
	for n := 0; at != nil && n < 50; n++ { // a chain that bites its tail ends too
		if n == 0 {
			st.name = at.name
		}
		if st.outline == unset {
			st.outline = at.outline
			if h := headingName(at.name); st.outline == unset && h > 0 {
				st.outline = h - 1
			}
		}
		if st.numID == unset {
			st.numID = at.numID
		}
		if st.level == unset {
			st.level = at.level
		}
		st.look = st.look.over(at.look)
		at = s.byID[at.base]
	}
	return st
}

// headingName returns the level of a built-in heading style. Word writes these
// names in English whatever its language.
func headingName(name string) int {
	if rest, ok := strings.CutPrefix(name, "heading "); ok && len(rest) == 1 && rest[0] >= '1' && rest[0] <= '9' {
		return int(rest[0] - '0')
	}
	return 0
}
