package advisor

import (
	"slices"

	"polaris/advisor/retrieve"
	"polaris/models"
)

// A Stretch is a part of a source as the version has it: a passage, and what
// stands around it.
type Stretch struct {
	Source   models.Source
	Revision int
	Passages []StretchPassage // in the source's order
	At       int              // which of them was asked for
	Before   bool             // more of the source stands before them
	After    bool             // and after
}

// A StretchPassage is one passage, by itself.
type StretchPassage struct {
	Key     string
	Locator string
	Heading bool
	Depth   int // below the section it is in
	Start   int // of the text in the revision's, in bytes
	Text    string
}

// Around returns the passage with a key and up to so many before and after it,
// without what is suspended. It reports whether there is such a passage.
func (s *Shown) Around(key string, before, after int) (Stretch, bool) {
	refs := slices.DeleteFunc(s.engine.find.Key(key), s.hides)
	if len(refs) == 0 {
		return Stretch{}, false
	}
	at := refs[0]
	if i := slices.IndexFunc(refs, func(r retrieve.Ref) bool { return s.engine.find.Passage(r).Key == key }); i >= 0 {
		at = refs[i]
	}
	doc := s.engine.find.Doc(at)
	from, to := max(0, at.Passage-before), min(len(doc.Passages), at.Passage+after+1)
	out := Stretch{Source: doc.Source, Revision: doc.Revision.N, Before: from > 0, After: to < len(doc.Passages)}
	for i := from; i < to; i++ {
		p := &doc.Passages[i]
		if s.overlaps(at.Doc, p.Start, p.End) {
			continue
		}
		if i == at.Passage {
			out.At = len(out.Passages)
		}
		out.Passages = append(out.Passages, StretchPassage{
			Key: p.Key, Locator: p.Locator, Heading: p.Kind == models.Section, Depth: depthOf(doc, i), Start: p.Start, Text: doc.Revision.Text[p.Start:p.End],
		})
	}
	return out, true
}

// depthOf returns how many passages that are no sections a passage is below.
func depthOf(doc *models.Doc, i int) (n int) {
	for p := doc.Passages[i].Parent; p >= 0 && p < len(doc.Passages) && doc.Passages[p].Kind != models.Section && n < 8; p = doc.Passages[p].Parent {
		n++
	}
	return n
}
