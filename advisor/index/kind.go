package index

import "strings"

// A Kind is what sort of thing a question asks for, or which sorts a text has.
// A rule on late payments that names no time does not say when a payment is
// late, however many words it shares with the question.
type Kind uint8

// The kinds. What a provision is numbered with and the year of a date are no
// numbers: they count nothing.
const (
	Duration Kind = 1 << iota // 30 days, a 5-year period, 1 May
	Moment                    // time in other words: before, promptly, at once
	Repeated                  // every 6 months, once a year, monthly
	Amount                    // $500, 6 percent
	Number                    // any other count
)

// What a word is to the search for kinds.
type wordClass uint16

const (
	isNumber  wordClass = 1 << iota
	isOne               // may be a time's number, and else counts nothing: one or more, a third party
	isUnit              // of time
	isBetween           // may stand between a number and its unit
	isMoment
	isEvery  // makes a unit something that comes back
	isRepeat // says by itself that something comes back
	isAmount
	isMonth
	isNaming // the number after it is a provision's
)

var kindWords = map[wordClass]string{
	isNumber:  "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty sixty ninety hundred",
	isOne:     "one half third",
	isUnit:    "day days week weeks month months quarter quarters year years hour hours minute minutes",
	isBetween: "business working calendar full consecutive additional further recent st nd rd th",
	isMoment:  "until till before promptly immediately when once deadline expiration midnight",
	isEvery:   "every each per once twice",
	isRepeat:  "daily weekly monthly quarterly yearly annually regularly periodically",
	isAmount:  "percent percentage dollars cents euros pounds none",
	isMonth:   "january february march april june july august september october november december",
	isNaming:  "section sections paragraph paragraphs subparagraph subsection subchapter clause cfr usc title part appendix form regulation chapter item comment supplement rule",
}

var wordClasses = classes(kindWords)

func classes(lists map[wordClass]string) map[string]wordClass {
	m := map[string]wordClass{}
	for c, list := range lists {
		for w := range strings.FieldsSeq(list) {
			m[w] |= c
		}
	}
	return m
}

// reach is how many words after a number, or after "every", a unit of time
// still belongs to it: those between are no unit's.
const reach = 3

// Kinds returns the kinds that a text has.
func Kinds(text string) Kind {
	s := kindScan{number: reach, every: reach}
	Words(text, func(word []byte, start, end int) {
		class := wordClasses[string(word)]
		if digitAt(text, start) && s.before&isNaming == 0 && !numbering(text, start, end) {
			class |= isNumber
		}
		s.word(class)
		if class&(isNumber|isOne) != 0 {
			s.count(text, start, end)
			s.one = class&isNumber == 0
		}
		s.before = class
	})
	for s.number < reach {
		s.word(0)
	}
	return s.found
}

// A kindScan reads a text word by word.
type kindScan struct {
	found         Kind
	before        wordClass // of the last word
	number, every int       // words since a number that may be a time's, and since "every"
	one           bool      // that number is only one
}

func (s *kindScan) word(class wordClass) {
	switch {
	case class&isUnit != 0 && s.number < reach:
		s.found |= Duration
		s.number = reach
	case class&isAmount != 0:
		s.found |= Amount
		s.number = reach
	case class&isBetween == 0 && s.number < reach:
		if s.number++; s.number == reach || class&(isNumber|isOne) != 0 {
			s.number = reach
			if !s.one {
				s.found |= Number // of nothing that has a kind of its own
			}
		}
	}
	if class&isUnit != 0 && s.every < reach || class&isRepeat != 0 {
		s.found |= Repeated
	}
	if class&isEvery != 0 {
		s.every = 0
	} else if class&isBetween == 0 {
		s.every++
	}
	if class&isMoment != 0 {
		s.found |= Moment
	}
}

// count notes the number at start:end.
func (s *kindScan) count(text string, start, end int) {
	head := text[:start]
	switch {
	case s.before&isMonth != 0:
		s.found |= Duration
	case strings.HasSuffix(head, "$") || strings.HasSuffix(head, "€") || strings.HasSuffix(head, "£") ||
		strings.HasPrefix(text[end:], "%") || strings.HasPrefix(text[end:], " %"):
		s.found |= Amount
	case end-start == 4 && (strings.HasPrefix(text[start:], "19") || strings.HasPrefix(text[start:], "20")): // a year
	default:
		s.number = 0
	}
}

// numbering reports whether the digits at start:end number a provision: they
// stand in or before a bracket, after a sign or capitals, or have a letter.
func numbering(text string, start, end int) bool {
	if end < len(text) && text[end] == '(' || strings.HasPrefix(text[end:], " CFR") || strings.HasPrefix(text[end:], " U.S.C.") {
		return true
	}
	if letters := strings.TrimLeft(text[start:end], "0123456789.,"); letters != "" && wordClasses[letters]&isBetween == 0 {
		return true // 1681g, and not the 15th
	}
	head := strings.TrimRight(text[:start], " \u00a0")
	if head == "" {
		return end < len(text) && (text[end] == '.' || text[end] == ' ') // "1. Applications", "4.1 Records"
	}
	if strings.HasSuffix(head, "§") || strings.HasSuffix(head, "(") && end < len(text) && text[end] == ')' {
		return true
	}
	capital := func(i int) bool { return i >= 0 && head[i] >= 'A' && head[i] <= 'Z' }
	return strings.HasSuffix(head, "U.S.C.") || capital(len(head)-1) && capital(len(head)-2)
}
