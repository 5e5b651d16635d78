package office

import (
	"encoding/xml"
	"strings"
	"unicode/utf8"
)

// levels is how many a list of Word has.
const levels = 9

// A listLevel says how one level of a list is numbered.
type listLevel struct {
	start   int
	format  string // w:numFmt
	custom  string // its pattern where the format is "custom": "001, 002, …"
	text    string // w:lvlText: "%1.%2"
	restart int    // after which level, from 1, it begins anew; 0: never; unset: after any above it
	legal   bool   // all numbers in the text are decimal
	style   string // the paragraph style that is linked to the level
	hidden  bool   // the label is not shown
}

// An abstractList holds the levels and counters that lists share.
type abstractList struct {
	levels [levels]*listLevel
	link   string // numbering style that defines it instead
	count  [levels]int
	begun  [levels]bool
}

// A list is a w:num: an abstract list, with levels and beginnings of its own.
type list struct {
	of       *abstractList
	levels   [levels]*listLevel // of its own; nil: the abstract list's
	override [levels]int        // the count that its first use of the level begins with
	used     [levels]bool
}

// docxLists are a document's lists by id.
type docxLists struct {
	lists    map[int]*list
	abstract map[string]*abstractList
}

func (c *container) lists(part string, styles *docxStyles) (*docxLists, error) {
	ls := &docxLists{lists: map[int]*list{}, abstract: map[string]*abstractList{}}
	w, done, err := c.walk(part)
	defer done()
	if w == nil || err != nil {
		return ls, err
	}
	nums := map[int]string{}
	err = w.children(func(xml.StartElement) error {
		return w.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "abstractNum":
				a, err := readAbstract(w)
				ls.abstract[attr(e, "abstractNumId")] = a
				return err
			case "num":
				l, of, err := readNum(w)
				id := number(attr(e, "numId"), unset)
				ls.lists[id], nums[id] = l, of
				return err
			}
			return nil
		})
	})
	for id, l := range ls.lists {
		l.of = ls.follow(nums[id], nums, styles)
		if l.of == nil {
			delete(ls.lists, id)
		}
	}
	return ls, err
}

// follow returns the abstract list of an id, through the numbering styles that
// stand in for it.
func (ls *docxLists) follow(id string, nums map[int]string, styles *docxStyles) *abstractList {
	for range 10 {
		a := ls.abstract[id]
		if a == nil || a.link == "" {
			return a
		}
		to, ok := nums[styles.lists[a.link]]
		if !ok {
			return a
		}
		id = to
	}
	return ls.abstract[id]
}

func readAbstract(w *walker) (*abstractList, error) {
	a := &abstractList{}
	return a, w.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "numStyleLink":
			a.link = attr(e, "val")
		case "lvl":
			return readLevel(w, e, &a.levels)
		}
		return nil
	})
}

func readNum(w *walker) (l *list, of string, err error) {
	l = &list{}
	for i := range l.override {
		l.override[i] = unset
	}
	err = w.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "abstractNumId":
			of = attr(e, "val")
		case "lvlOverride":
			i := number(attr(e, "ilvl"), unset)
			return w.children(func(e xml.StartElement) error {
				switch {
				case e.Name.Local == "lvl":
					return readLevel(w, e, &l.levels)
				case e.Name.Local == "startOverride" && i >= 0 && i < levels:
					l.override[i] = number(attr(e, "val"), unset)
				}
				return nil
			})
		}
		return nil
	})
	return l, of, err
}

func readLevel(w *walker, e xml.StartElement, into *[levels]*listLevel) error {
	l := &listLevel{format: "decimal", restart: unset}
	if i := number(attr(e, "ilvl"), unset); i >= 0 && i < levels {
		into[i] = l
	}
	var each func(e xml.StartElement) error
	each = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "start":
			l.start = number(attr(e, "val"), 0)
		case "numFmt":
			l.format, l.custom = attr(e, "val"), attr(e, "format")
		case "lvlText":
			l.text = attr(e, "val")
		case "lvlRestart":
			l.restart = number(attr(e, "val"), unset)
		case "isLgl":
			l.legal = on(e)
		case "pStyle":
			l.style = attr(e, "val")
		case "rPr":
			return w.children(func(e xml.StartElement) error {
				if e.Name.Local == "vanish" {
					l.hidden = on(e)
				}
				return nil
			})
		case "AlternateContent": // newer formats are wrapped in one
			return alternate(w, each)
		}
		return nil
	}
	return w.children(each)
}

// alternate goes through the first choice of an mc:AlternateContent, or its
// fallback where it has no choice: the same content is in it once for each.
func alternate(w *walker, f func(e xml.StartElement) error) error {
	taken := false
	return w.children(func(e xml.StartElement) error {
		if taken {
			return nil
		}
		taken = true
		return w.children(f)
	})
}

// level returns the definition of one level of a list.
func (l *list) level(i int) *listLevel {
	if l.levels[i] != nil {
		return l.levels[i]
	}
	return l.of.levels[i]
}

// linked returns the level that a paragraph style is linked to.
func (l *list) linked(style string) int {
	for i := range levels {
		if d := l.level(i); d != nil && d.style != "" && d.style == style {
			return i
		}
	}
	return unset
}

// next counts a paragraph at a level of list id and returns its label. There is
// none where the list or level is not defined.
func (ls *docxLists) next(id, level int) (label string, bullet bool) {
	l := ls.lists[id]
	if l == nil || level < 0 || level >= levels || l.level(level) == nil {
		return "", false
	}
	d, a := l.level(level), l.of
	for i := range level { // a level that was skipped counts as begun
		if !a.begun[i] {
			l.begin(i)
		}
	}
	if !a.begun[level] || !l.used[level] && l.override[level] != unset {
		l.begin(level)
	} else {
		a.count[level]++
	}
	l.used[level] = true
	for i := level + 1; i < levels; i++ {
		if deeper := l.level(i); deeper != nil && (deeper.restart == unset || deeper.restart > level) {
			a.begun[i] = false
		}
	}
	if d.format == "bullet" {
		return bulletSign(d.text), true
	}
	if d.hidden {
		return "", false
	}
	return tidy(l.label(d, level)), false
}

// anew forgets all counts.
func (ls *docxLists) anew() {
	for _, a := range ls.abstract {
		a.begun = [levels]bool{}
	}
	for _, l := range ls.lists {
		l.used = [levels]bool{}
	}
}

// begin sets the count of a level to its first number.
func (l *list) begin(i int) {
	a := l.of
	a.begun[i], a.count[i] = true, 1
	if d := l.level(i); d != nil {
		a.count[i] = d.start
	}
	if !l.used[i] && l.override[i] != unset {
		a.count[i] = l.override[i]
		l.used[i] = true
	}
}

// label fills in the numbers of a level's text.
func (l *list) label(d *listLevel, level int) string {
	var sb strings.Builder
	for i := 0; i < len(d.text); i++ {
		c := d.text[i]
		if c != '%' || i+1 == len(d.text) || d.text[i+1] < '1' || d.text[i+1] > '9' {
			sb.WriteByte(c)
			continue
		}
		i++
		of := int(d.text[i] - '1')
		def := l.level(of)
		if of > level || def == nil {
			continue
		}
		n := l.of.count[of]
		switch {
		case d.legal && def.format != "none" && def.format != "decimalZero":
			sb.WriteString(ordinal("decimal", n))
		case def.format == "custom":
			sb.WriteString(padded(n, def.custom))
		case def.format != "bullet":
			sb.WriteString(ordinal(def.format, n))
		}
	}
	return sb.String()
}

// bulletSign returns the sign of a bullet as text: fonts of symbols put theirs
// at private code points or on letters.
func bulletSign(text string) string {
	r, _ := utf8.DecodeRuneInString(strings.TrimSpace(text))
	switch {
	case r == 'o':
		return "◦"
	case r == '§' || r == '\uf0a7':
		return "▪"
	case r == '-' || r == '–' || r == '—' || r == '*' || r == '+' || r == '>' || r == '→' || r >= '■' && r <= '◿' || r >= '✀' && r <= '➿':
		return string(r)
	}
	return "•"
}
