package verify

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"polaris/advisor/index"
)

// governed reports whether every place where the quote has the claim is an item
// of a list whose opening turns it: "ask about income" of "A creditor shall not:
// (a) ask about income". Without its opening such an item says the opposite, or
// says for every case what holds in one.
func governed(claim, quote string) bool {
	q := apostrophes.Replace(norm.NFKC.String(quote))
	var words []string
	var starts, ends []int
	index.Words(q, func(w []byte, start, end int) {
		words = append(words, string(w))
		starts, ends = append(starts, start), append(ends, end)
	})
	var c []string
	index.Words(apostrophes.Replace(norm.NFKC.String(claim)), func(w []byte, _, _ int) { c = append(c, string(w)) })
	found := false
	for i := range words {
		if len(c) == 0 || i+len(c) > len(words) || !same(words[i:i+len(c)], c) {
			continue
		}
		before := q[:starts[i]]
		if m := strings.LastIndexAny(before, "\n "); len(words[i]) <= 4 && m >= 0 && strings.Trim(before[m+1:], "(") == "" && m+1 < len(before) {
			before = before[:m+1] + q[m+1:ends[i]] + ")" // the claim begins with its marker
		}
		at := strings.LastIndex(before, "\n") + 1
		alone := at > 0 && strings.TrimSpace(before[at:]) == "" && !strings.HasSuffix(strings.TrimSpace(before), ":") && !strings.HasSuffix(strings.TrimSpace(before), "—")
		if found = true; alone || !turnedBefore(before) { // alone: a paragraph that is no item
			return false
		}
	}
	return found
}

// turnedBefore reports whether one of the lists within each other in which a text
// breaks off has an opening that turns its items.
func turnedBefore(before string) bool {
	for range maxLists {
		lead := opening(before)
		if lead == "" {
			return false
		}
		if Turns(lead) {
			return true
		}
		before = before[:strings.LastIndex(before, lead)]
	}
	return false
}

// maxLists is how many lists within each other are looked at.
const maxLists = 6

func same(a, b []string) bool {
	for i := range b {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// opening returns the sentence that opens the list in which a text breaks off,
// or "" where it breaks off in none.
func opening(before string) string {
	at := max(strings.LastIndex(before, ":\n"), strings.LastIndex(before, ": "), strings.LastIndex(before, ":("), strings.LastIndex(before, "—\n"), strings.LastIndex(before, "— "), strings.LastIndex(before, "—("))
	if at < 0 {
		return ""
	}
	lines := strings.Split(strings.TrimLeft(before[at:], ":—"), "\n")
	kind := byte(0) // of the markers of this list's items
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l == "" {
			continue
		}
		k := marker(l)
		if kind == 0 {
			kind = k
		}
		if k == 0 || k != kind {
			return "" // what is no item, or one of a list above, ends the list
		}
	}
	lead := before[:at]
	if i := strings.LastIndexAny(lead, "\n"); i >= 0 {
		lead = lead[i+1:]
	}
	for i := len(lead) - 3; i > 0; i-- {
		if strings.ContainsRune(".!?", rune(lead[i])) && lead[i+1] == ' ' && unicode.IsUpper(rune(lead[i+2])) && i > 8 {
			return lead[i+1:]
		}
	}
	return lead
}

// marker returns the kind of the marker that a line begins with as an item of a
// list does: a number, a letter, a capital or a bullet; 0 for none. Roman numbers
// are taken for letters, i and v alone excepted.
func marker(line string) byte {
	first, _, _ := strings.Cut(line, " ")
	if first == "-" || first == "*" || first == "•" {
		return '-'
	}
	bare := strings.Trim(first, "().")
	if bare == first || len(first) > 8 || bare == "" || strings.ContainsAny(bare, "()") && len(bare) > 6 {
		return 0
	}
	switch c := bare[0]; {
	case c >= '0' && c <= '9' && strings.Trim(bare, "0123456789") == "":
		return '1'
	case strings.Trim(bare, "ivx") == "":
		return 'i'
	case len(bare) <= 2 && strings.Trim(bare, "abcdefghijklmnopqrstuvwxyz") == "":
		return 'a'
	case len(bare) <= 2 && strings.Trim(bare, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
		return 'A'
	}
	return 0
}

// Turns reports whether the opening of a list negates its items, excepts them,
// or says when they hold, so that none can be said without it.
func Turns(opening string) bool {
	if opening == "" {
		return false
	}
	for _, t := range read(opening).all {
		switch cues[t.word] {
		case negation, exception, condition, only:
			return true
		}
	}
	return false
}
