package retrieve

import (
	"strings"

	"polaris/advisor/index"
	"polaris/models"
)

// definedScore is how surely the definition of a term bears on the question
// what it is.
const definedScore = 0.95

// Bounds of what counts as a definition: its size in bytes, and how many of one
// term are of use.
const (
	maxDefinition  = 4000
	maxDefinitions = 3
)

// definitions leads from a term, as index.Subject writes it, to the passages
// that define it.
type definitions map[string][]Ref

func newDefinitions(c *models.Corpus) definitions {
	m := definitions{}
	for d := range c.Docs {
		for _, t := range c.Docs[d].Terms {
			if s := index.Subject(t.Name); s != "" && t.Ordinal >= 0 && t.Ordinal < len(c.Docs[d].Passages) {
				m[s] = append(m[s], Ref{d, t.Ordinal})
			}
		}
	}
	return m
}

// Defined returns the definitions of the term that a question is about, where
// it is about nothing else: "Who counts as a creditor?", "What does prohibited
// basis mean?". What a document defines is known from its structure, so this
// does not depend on how the words rank.
func (f *Finder) Defined(question string) (out []Found) {
	if len(f.defined) == 0 || !definitional(question) {
		return nil
	}
	for _, ref := range f.defined[index.Subject(question)] {
		if d := f.Provision(ref, ByWords, definedScore); d.End-d.Start <= maxDefinition && len(out) < maxDefinitions {
			out = append(out, d)
		}
	}
	return out
}

// definitional reports whether a question asks what or who something is, or is
// nothing but the name of it.
func definitional(question string) bool {
	w := strings.Fields(strings.ToLower(question))
	if len(w) == 0 {
		return false
	}
	switch w[0] {
	case "how", "when", "where", "why", "can", "may", "must", "should", "do", "does", "did", "is", "are":
		return false
	}
	return true
}
