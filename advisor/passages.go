package advisor

import (
	"fmt"
	"strings"

	"polaris/advisor/retrieve"
	"polaris/models"
)

// Bounds of what is quoted, in bytes.
const (
	longest   = 2000 // up to this it is quoted whole
	longClaim = 1000 // a sentence beyond this is quoted in parts
	textMost  = 29_000
	wholeMost = 96_000 // of the envelope as JSON; the rest is for the serving fields
)

// passages returns the ranked passages as retrieve quotes them: an item with
// its list where both are short, a long one cut to the part that bears on the
// question, none inside another.
func (e *Engine) passages(ev *evidence) []retrieve.Found {
	var out []retrieve.Found
	cut := 0
	for _, f := range ev.ranked {
		if len(out) == rankedMost {
			break
		}
		f = e.assemble(f)
		if covered(ev.exact, f) || covered(out, f) {
			continue
		}
		if f.End-f.Start > longest {
			f = e.cutToBest(ev, f)
			cut++
		}
		out = append(out, f)
	}
	ev.cut = cut
	return out
}

// assemble widens an item to the list that it is of, where that is short.
func (e *Engine) assemble(f retrieve.Found) retrieve.Found {
	parent, ok := e.find.Parent(f.Ref)
	row := e.find.Passage(f.Ref).Kind == models.Table && !strings.HasPrefix(e.find.Text(f.Ref), "|") // which carries its header
	if !ok || row || e.isHeading(parent) || complete(e.find.Text(parent)) {
		return f
	}
	if p := e.find.Passage(parent); p.SpanEnd-p.Start <= retrieve.Assembled {
		f.Ref, f.Start, f.End = parent, p.Start, p.SpanEnd
	}
	return f
}

func (e *Engine) isHeading(r retrieve.Ref) bool { return e.find.Passage(r).Kind == models.Section }

// cutToBest narrows a long passage to its best sentence and as many of those
// around it as fit.
func (e *Engine) cutToBest(ev *evidence, f retrieve.Found) retrieve.Found {
	all := e.sentences(ev, f, []retrieve.Ref{f.Ref}, 0)
	best := 0
	for i, c := range all {
		if c.worth > all[best].worth {
			best = i
		}
	}
	lo, hi := best, best
	for grown := true; grown; {
		grown = false
		if hi+1 < len(all) && all[hi+1].end-all[lo].start <= longest {
			hi++
			grown = true
		}
		if lo > 0 && all[hi].end-all[lo-1].start <= longest {
			lo--
			grown = true
		}
	}
	f.Start, f.End = all[lo].start, all[hi].end
	return f
}

// fit drops citations that words led to, the last first, until the envelope is
// within its bounds, and notes what was cut and dropped. The first exact ones
// always stay. It returns the entries of those that do.
func (b *builder) fit(exact, cut int) (entries []string) {
	env := b.env
	whole, rendered := jsonSize(env.Query)+jsonSize(env.Result), len(env.Result)
	entries = make([]string, len(env.Citations))
	for i := range env.Citations {
		whole += citationSize(&env.Citations[i])
		entries[i] = entry(&env.Citations[i], true)
		rendered += len(entries[i])
	}
	dropped := 0
	for n := len(env.Citations) - 1; n >= exact && (rendered > textMost || whole+min(rendered, textMost) > wholeMost); n-- {
		rendered -= len(entries[n])
		whole -= citationSize(&env.Citations[n])
		env.Citations = env.Citations[:n]
		dropped++
	}
	if cut > 0 {
		env.Notices = append(env.Notices, fmt.Sprintf("%s cut to the part that bears on the question.", counted(cut, "long passage was", "long passages were")))
	}
	if dropped > 0 {
		env.Notices = append(env.Notices, fmt.Sprintf("%s left out to keep the answer short.", counted(dropped, "passage was", "passages were")))
	}
	return entries[:len(env.Citations)]
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// bound keeps exact provisions within what an envelope can hold. None is cut
// that could be quoted whole: those at the end are left out and named; only a
// provision that is too large by itself ends where a passage of it does.
func (e *Engine) bound(ev *evidence, env *models.Envelope) {
	room := max(16_000, wholeMost-textMost-16_000-jsonSize(env.Query))
	var keep []retrieve.Found
	for _, f := range ev.exact {
		key := e.find.Passage(f.Ref).Key
		size := jsonSize(e.find.Doc(f.Ref).Revision.Text[f.Start:f.End]) + 800
		switch {
		case size <= room:
		case len(keep) > 0:
			env.Notices = append(env.Notices, fmt.Sprintf("%s (%d bytes) did not fit and was left out: ask for it alone.", key, f.End-f.Start))
			continue
		default:
			f = e.shorten(f, room)
			size = room
			env.Notices = append(env.Notices, fmt.Sprintf("%s is too large to be quoted whole: it is quoted up to byte %d. Ask for a part of it.", key, f.End))
		}
		room -= size
		keep = append(keep, f)
	}
	ev.exact = keep
}

// shorten ends a provision with the last of its passages that fits.
func (e *Engine) shorten(f retrieve.Found, room int) retrieve.Found {
	text := e.find.Doc(f.Ref).Revision.Text
	end := f.Start
	for _, r := range e.find.Below(f.Ref) {
		p := e.find.Passage(r)
		if jsonSize(text[f.Start:p.End])+800 > room {
			break
		}
		end = p.End
	}
	if end == f.Start { // its own text alone is too much
		for end = f.Start + room/8; !boundary(text, end); end-- {
		}
	}
	f.End = end
	return f
}

// jsonSize returns how many bytes s takes as a JSON string, as Go writes it.
func jsonSize(s string) int {
	n := len(s) + 2
	for i := range len(s) {
		n += int(escapes[s[i]])
	}
	return n
}

// escapes is how many bytes a byte takes beyond its own in a JSON string.
var escapes = func() (t [256]uint8) {
	for c := range ' ' {
		t[c] = 5
	}
	for _, c := range "<>&" {
		t[c] = 5
	}
	for _, c := range "\"\\\n\r\t" {
		t[c] = 1
	}
	return t
}()

// citationSize estimates a citation's size as JSON, from above.
func citationSize(c *models.Citation) int {
	n := 700 + jsonSize(c.Quote) + 2*jsonSize(c.SourceID) + jsonSize(c.Key) + jsonSize(c.Locator) + jsonSize(c.Provenance.OriginURL) + jsonSize(c.Why)
	for _, w := range c.Wiki {
		n += 2*jsonSize(w.Entity) + jsonSize(w.Ref) + 40
	}
	return n
}
