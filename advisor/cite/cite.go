// Package cite knows how people cite provisions. It parses the ways in which
// they write a citation, gives each one canonical form, puts citations in
// document order, says which contains which, and finds them in running text.
//
// A canonical citation is the key of a passage:
//
//	12 CFR 1002                         a part
//	12 CFR 1002.9(a)(1)                 a provision of a regulation
//	12 CFR 1002 comment 9(a)(1)-1.iii   an official comment, or a group of them: comment 9(a)(1)
//	12 CFR 1002 supplement I            all the comments of a part
//	12 CFR 1002 appendix C              an appendix
//	12 CFR 1002 appendix A item 2.a     a numbered item of one
//	12 CFR 1002 appendix C form C-1     a form in one
//	15 U.S.C. 1681c-1(a)(2)             a provision of a statute
//	HB 4.2(a)                           a numbered rule of the source whose code is HB
//	HB § Lending › Fees                 an unnumbered heading, by its path
//	HB p. 12                            a page
//
// Any of them may end in ¶n, the n-th unnumbered block under it, and in #n,
// where a document gives the same number to several things, or the block is a
// table: its header is #1 of it, its rows are #2 and those after.
//
// What people write is often less: "§ 1002.9(a)(1)", "comment 9(a)(1)-1". A
// [Ref] keeps only what was written, and [Ref.Matches] says whether that names
// a given key. To find the keys of a reference among many, file each key under
// its [Ref.Tail], look up the reference's own Tail, and keep what matches.
package cite

import (
	"strconv"
	"strings"
)

// A Kind says what a citation names.
type Kind uint8

// The kinds of citations.
const (
	Provision  Kind = iota // a section or a paragraph; also a heading, a page or a block of a source
	Part                   // a whole part of a regulation
	Appendix               // an appendix, or an item or form in one
	Supplement             // the official comments of a part together
	Comment                // an official comment, or a group of them
)

// The two systems of law whose citations have forms of their own.
const (
	CFR = "CFR"
	USC = "U.S.C."
)

// A Ref is a parsed citation. What was not written is empty, so "§ 1002.9" has
// a Number and nothing else. Refs are comparable.
type Ref struct {
	Kind   Kind
	Title  string // of the system of law: "12"
	System string // CFR or USC; set if and only if Title is
	Code   string // of a house source: "HB"

	Number string // part "1002", section "1002.9", "1681c-1", "4.2"; of a comment without its part: "9"
	Paras  string // "(a)(1)(i)"
	Path   string // of a comment after the dash: "1.iii"

	Letter string // of an appendix or a supplement, or "Intro" for the comments that introduce the others
	Unit   string // "item" or "form" where it is known which
	Item   string // of an appendix: "2.a"; of Form C-1: "1"

	Heading string // path of headings, joined by Separator
	Page    string
	Block   int // ¶n, 0 if none
	Nth     int // #n, 0 if none
}

// Separator stands between the headings of a path.
const Separator = " › "

// String returns the canonical form. [Parse] reads it back as the same Ref.
func (r Ref) String() string {
	var b strings.Builder
	switch r.Kind {
	case Part:
		if r.Title == "" {
			b.WriteString("part ")
		}
		r.writeSource(&b)
		b.WriteString(r.Number)
	case Appendix, Supplement, Comment:
		r.writeAnnex(&b)
	case Provision:
		r.writeSource(&b)
		b.WriteString(r.place())
	}
	return strings.TrimSpace(strings.TrimSuffix(b.String(), " ") + r.suffix())
}

// writeSource writes what comes before a number, with a space after it.
func (r Ref) writeSource(b *strings.Builder) {
	switch {
	case r.Title != "":
		b.WriteString(r.Title + " " + r.System + " ")
	case r.Code != "":
		b.WriteString(r.Code + " ")
	}
}

// place returns the part of a provision's canonical form between the source and
// the suffix.
func (r Ref) place() string {
	switch {
	case r.Heading != "":
		return "§ " + r.Heading
	case r.Page != "":
		return "p. " + r.Page
	}
	return r.Number + r.Paras
}

// writeAnnex writes the forms that hang off a part.
func (r Ref) writeAnnex(b *strings.Builder) {
	part, section := r.split()
	inline := r.Kind == Comment && section != "" && r.Title == "" // "comment 1002.9(a)-1"
	if part != "" && !inline {
		if r.Title == "" {
			b.WriteString("part ")
		}
		r.writeSource(b)
		b.WriteString(part + " ")
	}
	switch r.Kind {
	case Supplement:
		b.WriteString("supplement " + r.Letter)
	case Comment:
		b.WriteString("comment ")
		if inline {
			section = r.Number
		}
		b.WriteString(r.Letter + section + r.Paras)
		if r.Path != "" {
			b.WriteString("-" + r.Path)
		}
	default:
		b.WriteString("appendix " + r.Letter)
		switch {
		case r.Item == "":
		case r.Unit == "form":
			b.WriteString(" form " + r.Letter + "-" + r.Item)
		case r.Unit == "item":
			b.WriteString(" item " + r.Item)
		default:
			b.WriteString("-" + r.Item)
		}
	}
}

func (r Ref) suffix() string {
	s := ""
	if r.Block > 0 {
		s = " ¶" + strconv.Itoa(r.Block)
	}
	if r.Nth > 0 {
		s += " #" + strconv.Itoa(r.Nth)
	}
	return s
}

// split returns the part and the section of what a citation of a regulation
// names. Comments may name a section without its part.
func (r Ref) split() (part, section string) {
	part, section, dotted := strings.Cut(r.Number, ".")
	if !dotted && r.Kind == Comment && r.Letter == "" {
		return "", part
	}
	return part, section
}

// Locator returns the citation as a reader of its document would write it,
// without naming the document: "§ 1002.9(a)(1)", "comment 9(a)(1)-1",
// "Appendix C", "4.2(a)", "Lending › Fees ¶2".
func (r Ref) Locator() string {
	var s string
	switch {
	case r.Kind == Part:
		s = "Part " + r.Number
	case r.Kind == Appendix && r.Unit == "form":
		s = "Form " + r.Letter + "-" + r.Item
	case r.Kind == Appendix && r.Item != "":
		s = "Appendix " + r.Letter + ", item " + r.Item
	case r.Kind == Appendix:
		s = "Appendix " + r.Letter
	case r.Kind == Supplement:
		s = "Supplement " + r.Letter
	case r.Kind == Comment:
		s = r.comment()
	case r.Heading != "":
		s = r.Heading
	case r.Title != "":
		s = "§ " + r.place()
	default:
		s = r.place()
	}
	return strings.TrimSpace(s + r.suffix())
}

// comment returns a comment without its part: "comment 9(a)(1)-1.iii".
func (r Ref) comment() string {
	_, section := r.split()
	s := "comment " + r.Letter + section + r.Paras
	if r.Path != "" {
		s += "-" + r.Path
	}
	return s
}

// Tail returns the part of a citation that is written even where the document
// is not named, folded. A reference can match a key only if their Tails are
// equal, so a map from Tail to keys is all the index that citations need.
func (r Ref) Tail() string {
	var s string
	switch {
	case r.Kind == Part:
		s = "part " + r.Number
	case r.Kind == Appendix:
		s = "appendix " + r.Letter
		if r.Item != "" {
			s += "-" + r.Item
		}
	case r.Kind == Supplement:
		s = "supplement " + r.Letter
	case r.Kind == Comment:
		s = r.comment()
	case r.Heading != "":
		s = "§ " + foldHeading(r.Heading)
	default:
		s = r.place()
	}
	if r.Block > 0 {
		s += " ¶" + strconv.Itoa(r.Block)
	}
	return strings.ToLower(strings.TrimSpace(s))
}

// Bare returns r without the system of law or the source that it names. A text
// may name a document in a way that its keys do not ("FCRA 1681m(a)"); who
// knows what FCRA stands for can look up the rest.
func (r Ref) Bare() Ref {
	r.Title, r.System, r.Code = "", "", ""
	return r
}
