package advisor

import "polaris/advisor/index"

// From what on evidence answers a question. A passage may be about its very
// subject and not say what is asked: the nearer the corpus is to the question,
// the more words they share by chance.
const (
	perUnknown  = 0.15 // more that is asked for each word of the question that no passage has
	unknownMost = 2    // of them that count
	otherKind   = 0.9  // asked for where the nearest sentence lacks the kind of answer that is wanted
	mostlyNew   = 0.97 // where a third of the question's words is in no passage
	looked      = 6    // passages that are looked at
)

// answers reports whether what the words of a question led to is strong enough
// to be said.
func (e *Engine) answers(ev *evidence) bool {
	if len(ev.exact) > 0 {
		return true
	}
	best, most := 0.0, 0.0
	var kind index.Kind
	for _, f := range ev.ranked[:min(looked, len(ev.ranked))] {
		best = max(best, f.Score)
		for _, c := range e.sentences(ev, f, e.within(f), 0) {
			if v := f.Score * ev.query.Coverage(c.terms); v > most {
				most, kind = v, c.kind
			}
		}
	}
	each := perUnknown
	if kind != 0 {
		each /= 2 // it has at least what sort of thing was asked for
	}
	floor := minScore + each*float64(min(unknownMost, ev.query.Len()-ev.query.Known()))
	if unknown := ev.query.Len() - ev.query.Known(); kind == 0 && unknown > 0 && 3*unknown >= ev.query.Len() {
		floor = max(floor, mostlyNew)
	}
	if ev.query.Wants() != 0 && kind == 0 {
		floor = max(floor, otherKind)
	}
	return best >= floor
}
