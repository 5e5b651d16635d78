package advisor

import (
	"slices"
	"strings"
	"unicode"

	"polaris/advisor/index"
	"polaris/advisor/retrieve"
)

// withLeadIns makes the items of lists readable, which say little without the
// sentence that opens the list: "A creditor shall notify an applicant within:".
// A short list is said whole; of a longer one the opening is said before the
// item, and an opening before the item that goes best with it.
func (e *Engine) withLeadIns(q *index.Query, cs []claim) []claim {
	var out []claim
	for _, c := range cs {
		if whole, ok := e.list(c.ref, c); ok {
			out = append(out, whole)
			continue
		}
		if parent, ok := e.find.Parent(c.ref); ok && e.opensList(parent, c) {
			if whole, ok := e.list(parent, c); ok {
				out = append(out, whole)
				continue
			}
			if lead, ok := e.opening(parent, c); ok {
				out = append(out, lead)
			}
		}
		out = append(out, c)
		if item, ok := e.item(q, c); ok {
			out = append(out, item)
		}
	}
	return outermost(out)
}

// item returns, for the opening of a list, the item that has most of the
// question, and the kind of answer that it asks for.
func (e *Engine) item(q *index.Query, c claim) (best claim, found bool) {
	p, text := e.find.Passage(c.ref), e.find.Doc(c.ref).Revision.Text
	if p.SpanEnd == p.End || complete(text[c.start:c.end]) || strings.TrimSpace(text[c.end:p.End]) != "" || e.isHeading(c.ref) {
		return claim{}, false
	}
	most := 0.0
	for _, r := range e.find.Below(c.ref)[1:] {
		if parent, _ := e.find.Parent(r); parent != c.ref {
			continue
		}
		i := c
		child := e.find.Passage(r)
		i.ref = r
		if i.start, i.end = trimmed(text, child.Start, child.SpanEnd); i.end-i.start > shortList || !says(text[i.start:i.end]) {
			continue
		}
		i.terms = e.find.Index().Match(q, text[i.start:i.end])
		has := q.Coverage(i.terms) * fit(q.Wants(), index.Kinds(text[i.start:i.end])&q.Wants())
		if has > most {
			best, found, most = i, true, has
		}
	}
	return best, found
}

// list returns the claim that says all of the list that a passage opens, from
// its opening sentence on, if c is that sentence or an item and the list is short.
func (e *Engine) list(r retrieve.Ref, c claim) (claim, bool) {
	p := e.find.Passage(r)
	lead, ok := e.opening(r, c)
	if !ok || p.SpanEnd == p.End || p.SpanEnd-lead.start > shortList || complete(e.find.Text(r)) || c.ref == r && c.start != lead.start {
		return claim{}, false
	}
	_, lead.end = trimmed(e.find.Doc(r).Revision.Text, lead.start, p.SpanEnd)
	return lead, true
}

// opening returns the last sentence of a passage, as a claim of c's worth.
func (e *Engine) opening(r retrieve.Ref, c claim) (claim, bool) {
	text := e.find.Text(r)
	spans := heading(text, retrieve.Sentences(text))
	if len(spans) == 0 || e.isHeading(r) {
		return claim{}, false
	}
	last := spans[len(spans)-1]
	for i := len(spans) - 2; i >= 0 && !says(text[last.Start:last.End]); i-- {
		last.Start = spans[i].Start // "Information requests. —"
	}
	base := e.find.Passage(r).Start
	c.ref, c.start, c.end = r, base+last.Start, base+last.End
	return c, says(text[last.Start:last.End])
}

// outermost leaves out the claims that stand inside another.
func outermost(cs []claim) (out []claim) {
	for i, c := range cs {
		inside := slices.ContainsFunc(cs[:i], func(o claim) bool { return o.ref.Doc == c.ref.Doc && o.start <= c.start && c.end <= o.end })
		for _, o := range cs[i+1:] {
			inside = inside || o.ref.Doc == c.ref.Doc && o.start <= c.start && c.end <= o.end && (o.end-o.start) > (c.end-c.start)
		}
		if !inside {
			out = append(out, c)
		}
	}
	return out
}

// opensList reports whether the passage above a claim opens a list that the
// claim is an item of: it ends as such a sentence does, or breaks off where the
// item goes on in small letters.
func (e *Engine) opensList(parent retrieve.Ref, item claim) bool {
	text := strings.TrimSpace(e.find.Text(parent))
	if complete(text) || e.isHeading(parent) || words(text) < 4 {
		return false
	}
	if strings.HasSuffix(text, ":") || strings.HasSuffix(text, "—") {
		return true
	}
	return unicode.IsLower(firstLetter(e.find.Text(item.ref)))
}

// firstLetter returns the first letter of a text after its numbering.
func firstLetter(text string) rune {
	for w := range strings.FieldsSeq(text) {
		if strings.HasSuffix(w, ".") || strings.HasPrefix(w, "(") && strings.HasSuffix(w, ")") {
			continue
		}
		for _, r := range w {
			if unicode.IsLetter(r) {
				return r
			}
		}
	}
	return 0
}

// complete reports whether a text ends where a sentence does.
func complete(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"')]”’", r) })
	return text == "" || strings.ContainsRune(".!?", rune(text[len(text)-1]))
}
