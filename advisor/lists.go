package advisor

import (
	"slices"
	"strings"
	"unicode"

	"polaris/advisor/index"
	"polaris/advisor/retrieve"
	"polaris/advisor/verify"
)

// withLeadIns makes the items of lists readable, which say little without the
// sentence that opens the list: "A creditor shall notify an applicant within:".
// A short list is said whole; of a longer one the opening is said before the
// item, and an opening before the item that goes best with it. Where the opening
// turns what its items say, as "shall not:" does, the item's own quote has it,
// or the item is not said.
func (e *Engine) withLeadIns(q *index.Query, cs []claim) []claim {
	var out []claim
	for _, c := range cs {
		if whole, ok := e.list(c.ref, c); ok {
			out = append(out, e.carried(whole)...)
			continue
		}
		if lead, ok := e.lead(c); ok {
			if whole, ok := e.list(lead, c); ok {
				out = append(out, e.carried(whole)...)
				continue
			}
			if l, ok := e.opening(lead, c); ok && !e.turned(l) {
				out = append(out, e.carried(l)...)
			}
		}
		out = append(out, e.carried(c)...)
		if item, ok := e.item(q, c); ok {
			out = append(out, e.carried(item)...)
		}
	}
	return outermost(out)
}

// lead returns the passage that opens the list that a claim is an item of: the
// one above it, or one before it that only items stand between.
func (e *Engine) lead(c claim) (retrieve.Ref, bool) {
	parent, ok := e.find.Parent(c.ref)
	if ok && e.opensList(parent, c) {
		return parent, true
	}
	if ok && !e.isHeading(parent) || !isItem(e.find.Text(c.ref)) {
		return retrieve.Ref{}, false
	}
	for r := c.ref; r.Passage > 0; {
		r.Passage--
		above, has := e.find.Parent(r)
		if has != ok || above != parent {
			if r == parent || above.Passage < parent.Passage {
				return retrieve.Ref{}, false
			}
			continue // below an item
		}
		text := strings.TrimSpace(e.find.Text(r))
		if strings.HasSuffix(text, ":") || strings.HasSuffix(text, "—") {
			return r, !isItem(text) && words(text) >= 3
		}
		if !isItem(text) {
			return retrieve.Ref{}, false
		}
	}
	return retrieve.Ref{}, false
}

// listEnd returns where the list ends that a passage opens: with what is below
// it, or with the items that follow it.
func (e *Engine) listEnd(r retrieve.Ref) int {
	p := e.find.Passage(r)
	end := p.SpanEnd
	if end > p.End {
		return end
	}
	parent, _ := e.find.Parent(r)
	for i := r.Passage + 1; i < len(e.find.Doc(r).Passages); i++ {
		next := retrieve.Ref{Doc: r.Doc, Passage: i}
		if above, _ := e.find.Parent(next); above == parent && !isItem(e.find.Text(next)) || above != parent && e.find.Passage(next).Start >= end {
			break
		}
		end = max(end, e.find.Passage(next).SpanEnd)
	}
	return end
}

// carried returns the claim with the openings of the lists that it is in, from
// the outermost one on that turns what is said, or nothing where that would be
// too long to quote.
func (e *Engine) carried(c claim) []claim {
	from := c
	for at, depth := c, 0; depth < maxLeads; depth++ {
		r, ok := e.lead(at)
		if !ok {
			break
		}
		l, ok := e.opening(r, at)
		if !ok {
			break
		}
		if e.turned(l) {
			from = l
		}
		at = l
	}
	if from.start >= c.start {
		return []claim{c}
	}
	if c.end-from.start > longest {
		return nil
	}
	c.start, c.ref = from.start, from.ref
	return []claim{c}
}

// maxLeads is how many lists within each other are looked at.
const maxLeads = 6

// turned reports whether the opening of a list turns what its items say.
func (e *Engine) turned(opening claim) bool {
	return verify.Turns(e.find.Doc(opening.ref).Revision.Text[opening.start:opening.end])
}

// isItem reports whether a text begins as an item of a list does: "(a)", "1.",
// "-".
func isItem(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch {
	case first == "-", first == "*", first == "•":
		return true
	case strings.HasPrefix(first, "("):
		return len(first) <= 8 && strings.HasSuffix(first, ")")
	}
	return len(first) > 1 && len(first) <= 5 && (strings.HasSuffix(first, ".") || strings.HasSuffix(first, ")"))
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
	end := e.listEnd(r)
	if !ok || end == p.End || end-lead.start > shortList || complete(e.find.Text(r)) || c.ref == r && c.start != lead.start {
		return claim{}, false
	}
	_, lead.end = trimmed(e.find.Doc(r).Revision.Text, lead.start, end)
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
