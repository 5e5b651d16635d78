package office

import (
	"encoding/xml"

	"polaris/advisor/ingest/form"
)

// An odtCount is how far a list has come.
type odtCount struct {
	n     [odtLevels]int
	begun [odtLevels]bool
}

// An odtList is a text:list, with those that it stands in.
type odtList struct {
	style  string
	level  int // from 0
	count  *odtCount
	number bool // the next paragraph bears the item's label
	header bool
}

// heading counts a heading in the outline.
func (d *odt) heading(e xml.StartElement, level int) string {
	if level < 1 || level > odtLevels || d.styles.outline == nil {
		return ""
	}
	at := level - 1
	l := d.styles.outline[at]
	if l == nil || l.format == "" && l.pattern == "" {
		return ""
	}
	for i := range at {
		if up := d.styles.outline[i]; d.heads[i] == 0 && up != nil {
			d.heads[i] = up.start
		}
	}
	d.heads[at]++
	if d.heads[at] == 1 {
		d.heads[at] = l.start
	}
	if n := number(attr(e, "start-value"), unset); n != unset && attr(e, "restart-numbering") == "true" {
		d.heads[at] = n
	}
	for i := level; i < odtLevels; i++ {
		d.heads[i] = 0
	}
	return odtLabel(d.styles.outline, at, &d.heads)
}

// listOf reads a text:list. One without a style of its own goes on with that of
// the list it stands in.
func (s *odtStory) listOf(e xml.StartElement) error {
	d := s.d
	l := &odtList{style: attr(e, "style-name")}
	if up := s.list; up != nil {
		l.level, l.count = up.level+1, up.count
		if l.style == "" {
			l.style = up.style
		}
	} else {
		id := attr(e, "continue-list")
		switch {
		case id != "" && d.lists["#"+id] != nil:
			l.count = d.lists["#"+id]
		case attr(e, "continue-numbering") == "true" && d.lists[l.style] != nil:
			l.count = d.lists[l.style]
		default:
			l.count = &odtCount{}
		}
		d.lists[l.style] = l.count
		if id := attr(e, "id"); id != "" {
			d.lists["#"+id] = l.count
		}
	}
	if l.level < odtLevels && s.list != nil {
		l.count.begun[l.level] = false
	}
	up := s.list
	defer func() { s.list = up }()
	return d.w.children(func(e xml.StartElement) error {
		s.list = l
		switch e.Name.Local {
		case "list-header":
			l.header, l.number = true, false
		case "list-item":
			l.header, l.number = false, true
			if n := number(attr(e, "start-value"), unset); n != unset && l.level < odtLevels {
				l.count.n[l.level], l.count.begun[l.level] = n-1, true
			}
		default:
			return nil
		}
		return d.w.children(s.block)
	})
}

// item gives the first paragraph of a list's item its label.
func (s *odtStory) item(b *form.Block, st odtStyle) {
	l := s.list
	b.Kind, b.Level = form.Item, l.level+1
	if !l.number || l.level >= odtLevels {
		return
	}
	l.number = false
	name := l.style
	if name == "" {
		name = st.list
	}
	levels := s.d.styles.lists[name]
	if levels == nil {
		if name != "Outline" || s.d.styles.outline == nil {
			return
		}
		levels = s.d.styles.outline
	}
	c := l.count
	for i := range l.level + 1 {
		switch {
		case !c.begun[i]:
			c.n[i], c.begun[i] = 1, true
			if levels[i] != nil {
				c.n[i] = levels[i].start
			}
		case i == l.level:
			c.n[i]++
		}
	}
	for i := l.level + 1; i < odtLevels; i++ {
		c.begun[i] = false
	}
	b.Number = odtLabel(levels, l.level, &c.n)
}
