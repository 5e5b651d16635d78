package office

import (
	"encoding/xml"
	"strings"
)

// An odtLevel says how one level of a list is numbered.
type odtLevel struct {
	bullet         string
	format         string // style:num-format
	pattern        string // "%1%.%2%", where it is given
	prefix, suffix string
	start          int
	show           int // levels that the label shows
	sync           bool
}

// An odtStyle is one style of paragraphs or characters.
type odtStyle struct {
	parent, list string
	listed       bool // it says which list, be it none
	title        string
	look         look
	outline      int
}

// odtStyles are the styles of a document.
type odtStyles struct {
	byName  map[string]*odtStyle
	lists   map[string]*[odtLevels]*odtLevel
	outline *[odtLevels]*odtLevel
}

// odtLevels is how many levels a list of OpenDocument has.
const odtLevels = 10

// readOdtStyle takes in a style:style; the walker has just entered it.
func (s *odtStyles) read(w *walker, e xml.StartElement) error {
	switch e.Name.Space + ":" + e.Name.Local {
	case "style:style":
		st := &odtStyle{parent: attr(e, "parent-style-name"), outline: number(attr(e, "default-outline-level"), unset)}
		for _, a := range e.Attr {
			if a.Name.Local == "list-style-name" {
				st.list, st.listed = a.Value, true
			}
		}
		s.byName[attr(e, "family")+" "+attr(e, "name")] = st
		return w.children(func(e xml.StartElement) error {
			if e.Name.Local == "text-properties" {
				st.look = odtLook(e)
			}
			if bg := attr(e, "background-color"); bg != "" && bg != "transparent" {
				st.look.shaded = yes
			}
			return nil
		})
	case "text:list-style":
		levels := &[odtLevels]*odtLevel{}
		s.lists[attr(e, "name")] = levels
		return readOdtLevels(w, levels)
	case "text:outline-style":
		s.outline = &[odtLevels]*odtLevel{}
		return readOdtLevels(w, s.outline)
	}
	return w.children(func(e xml.StartElement) error { return s.read(w, e) })
}

func odtLook(e xml.StartElement) (l look) {
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "display":
			l.vanish = off
			if a.Value == "none" {
				l.vanish = yes
			}
		case "color":
			l.white = off
			if strings.EqualFold(a.Value, "#ffffff") {
				l.white = yes
			}
		case "text-position":
			l.raised = off
			if v := a.Value; strings.HasPrefix(v, "super") || v != "" && v[0] >= '1' && v[0] <= '9' {
				l.raised = yes
			}
		case "font-size":
			l.tiny = off
			if a.Value == "1pt" || a.Value == "0pt" || a.Value == "0.5pt" {
				l.tiny = yes
			}
		}
	}
	return l
}

func readOdtLevels(w *walker, into *[odtLevels]*odtLevel) error {
	return w.children(func(e xml.StartElement) error {
		i := number(attr(e, "level"), 0) - 1
		if i < 0 || i >= odtLevels {
			return nil
		}
		l := &odtLevel{
			format: attrOf(e, "style", "num-format"), prefix: attr(e, "num-prefix"), suffix: attr(e, "num-suffix"), pattern: attr(e, "num-list-format"),
			start: number(attr(e, "start-value"), 1), show: number(attr(e, "display-levels"), 1), sync: attr(e, "num-letter-sync") == "true",
		}
		if strings.HasSuffix(e.Name.Local, "-bullet") || strings.HasSuffix(e.Name.Local, "-image") {
			l.bullet = bulletSign(attr(e, "bullet-char"))
		}
		into[i] = l
		return nil
	})
}

// of returns a style with what it inherits.
func (s *odtStyles) of(family, name string) odtStyle {
	out := odtStyle{outline: unset}
	at := s.byName[family+" "+name]
	for n := 0; at != nil && n < 50; n++ {
		if !out.listed && at.listed {
			out.list, out.listed = at.list, true
		}
		if out.outline == unset {
			out.outline = at.outline
		}
		out.look = out.look.over(at.look)
		if name == "Title" {
			out.title = name
		}
		name = at.parent
		at = s.byName[family+" "+name]
	}
	if name == "Title" {
		out.title = name
	}
	return out
}

// label writes the label of a level, whose counts and those above it are given.
func odtLabel(levels *[odtLevels]*odtLevel, at int, counts *[odtLevels]int) string {
	l := levels[at]
	if l == nil {
		return ""
	}
	if l.bullet != "" {
		return l.bullet
	}
	one := func(i int) string {
		if levels[i] == nil || levels[i].format == "" {
			return ""
		}
		return odtNumber(levels[i], counts[i])
	}
	if l.pattern != "" {
		s := l.pattern
		for i := range at + 1 {
			s = strings.ReplaceAll(s, "%"+itoa(i+1)+"%", one(i))
		}
		return tidy(s)
	}
	if l.format == "" {
		return tidy(l.prefix + l.suffix)
	}
	var parts []string
	for i := max(0, at-max(l.show, 1)+1); i <= at; i++ {
		if s := one(i); s != "" {
			parts = append(parts, s)
		}
	}
	return tidy(l.prefix + strings.Join(parts, ".") + l.suffix)
}

// odtNumber writes one count.
func odtNumber(l *odtLevel, n int) string {
	first, _, more := strings.Cut(l.format, ",")
	switch {
	case more && strings.HasPrefix(first, "0"):
		return padded(n, l.format)
	case l.format == "1":
		return ordinal("decimal", n)
	case l.format == "i":
		return ordinal("lowerRoman", n)
	case l.format == "I":
		return ordinal("upperRoman", n)
	case l.format == "a" && l.sync:
		return ordinal("lowerLetter", n)
	case l.format == "A" && l.sync:
		return ordinal("upperLetter", n)
	case l.format == "a":
		return columns(n, 'a')
	case l.format == "A":
		return columns(n, 'A')
	case strings.HasPrefix(l.format, "1st"):
		return ordinal("ordinal", n)
	case strings.HasPrefix(l.format, "One"):
		return ordinal("cardinalText", n)
	case strings.HasPrefix(l.format, "First"):
		return ordinal("ordinalText", n)
	}
	return itoa(n)
}
