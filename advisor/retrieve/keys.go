package retrieve

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"polaris/advisor/cite"
	"polaris/models"
)

// Keys finds the passages of a corpus by citation key. It files each key under
// the part that is written even where the document is not named.
type Keys struct {
	all    []keyed          // those that parse, in the order of the corpus
	byTail map[string][]int // places in all
	exact  map[string][]Ref // keys as they are, for those that do not parse
	codes  []string         // by document: its source's
	names  []string         // by document: what may stand before its numbers, folded
	titles []string         // by document, folded
	laws   map[string]bool  // the parts and acts that there are sections of
	above  func() map[string][]int
}

type keyed struct {
	key cite.Ref
	ref Ref
}

// NewKeys reads the keys of a corpus. It looks at no text.
func NewKeys(c *models.Corpus) *Keys {
	m := &Keys{byTail: map[string][]int{}, exact: map[string][]Ref{}, laws: map[string]bool{}}
	m.above = sync.OnceValue(m.byAbove) // few questions cite what is not there
	for d := range c.Docs {
		doc := &c.Docs[d]
		m.codes = append(m.codes, doc.Source.Code)
		m.names = append(m.names, initials(doc.Source.Title))
		m.titles = append(m.titles, foldTitle(doc.Source.Title))
		for p := range doc.Passages {
			key := doc.Passages[p].Key
			m.exact[key] = append(m.exact[key], Ref{d, p})
			if k, err := cite.Parse(key); err == nil {
				tail := k.Tail()
				m.byTail[tail] = append(m.byTail[tail], len(m.all))
				m.all = append(m.all, keyed{k, Ref{d, p}})
				if k.Title != "" {
					m.laws[law(k)] = true
				}
			}
		}
	}
	return m
}

// initials returns the first letters of a title's words, "fcra" for the Fair
// Credit Reporting Act, and "" for a title of one word.
func initials(title string) string {
	var b strings.Builder
	for w := range strings.FieldsSeq(title) {
		if r := rune(w[0]); unicode.IsUpper(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	if b.Len() < 2 {
		return ""
	}
	return b.String()
}

// lookup returns the passages that r names: all of them, where r does not say
// which source it means.
func (m *Keys) lookup(r cite.Ref) []Ref {
	var out []Ref
	for _, i := range m.byTail[r.Tail()] {
		if k := &m.all[i]; r.Matches(k.key) {
			out = append(out, k.ref)
		}
	}
	if len(out) > 0 || r.Code == "" {
		return out
	}
	// "FCRA 1681m(a)": the code says which document, whose keys say it otherwise.
	bare := r.Bare()
	for _, i := range m.byTail[bare.Tail()] {
		k := &m.all[i]
		if bare.Matches(k.key) && (strings.EqualFold(r.Code, m.codes[k.ref.Doc]) || strings.EqualFold(r.Code, m.names[k.ref.Doc])) {
			out = append(out, k.ref)
		}
	}
	return out
}

// isCode reports whether s is the code of one of the sources.
func (m *Keys) isCode(s string) bool { return s != "" && slices.Contains(m.codes, s) }

// Find returns the passages that a citation key names.
func (m *Keys) Find(key string) []Ref {
	if refs := m.exact[key]; len(refs) > 0 {
		return refs
	}
	r, err := cite.Parse(key)
	if err != nil {
		return nil
	}
	return m.lookup(r)
}

// Key returns the passages that a citation key names.
func (f *Finder) Key(key string) []Ref { return f.keys.Find(key) }

// byAbove files each key that has a number under every number that it may lie
// below: 702.6a.1 under 702, 702.6, 702.6a and itself.
func (m *Keys) byAbove() map[string][]int {
	above := map[string][]int{}
	for i := range m.all {
		n := strings.ToLower(m.all[i].key.Number)
		for end := 1; end <= len(n); end++ {
			if end == len(n) || n[end] == '.' || n[end] >= 'a' && n[end] <= 'z' {
				above[n[:end]] = append(above[n[:end]], i)
			}
		}
	}
	return above
}

// PartOf returns the first key that stands below a citation which is none
// itself, or "".
func (f *Finder) PartOf(citation string) string {
	r, err := cite.Parse(citation)
	if err != nil {
		return ""
	}
	if i := f.keys.firstBelow(r); i >= 0 {
		return f.Passage(f.keys.all[i].ref).Key
	}
	return ""
}

// firstBelow returns the place of the first key that r contains, or -1.
func (m *Keys) firstBelow(r cite.Ref) int {
	if r.Kind != cite.Provision || r.Number == "" || r.Heading != "" || r.Page != "" || !ascii(r.Number) {
		return slices.IndexFunc(m.all, func(k keyed) bool { return r.Contains(k.key) })
	}
	for _, i := range m.above()[strings.ToLower(r.Number)] {
		if r.Contains(m.all[i].key) {
			return i
		}
	}
	return -1
}

// ascii reports whether s has no characters whose cases are more than two.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Named returns the passages whose keys the question names, in its order, the
// citations in it that name nothing here, and the question without all of
// these: its words. A number that could be an amount, or capitals that are no
// source's code, are a citation only if there is such a key.
func (f *Finder) Named(question string) (found []Found, missing []string, rest string) {
	seen := map[Ref]bool{}
	var words strings.Builder
	end := 0
	for _, m := range cite.Find(question) {
		refs := f.keys.lookup(m.Ref)
		if len(refs) == 0 && m.Strength != cite.Named && !f.keys.isCode(m.Ref.Code) {
			continue
		}
		if len(refs) == 0 {
			missing = append(missing, strings.Join(strings.Fields(question[m.Start:m.End]), " "))
		}
		for _, ref := range refs {
			if !seen[ref] {
				seen[ref] = true
				found = append(found, f.Provision(ref, ByKey, 1))
			}
		}
		if m.Start >= end {
			words.WriteString(question[end:m.Start] + " ")
			end = m.End
		}
	}
	words.WriteString(question[end:])
	return found, missing, words.String()
}

// Provision returns a passage with all that stands below it.
func (f *Finder) Provision(ref Ref, why string, score float64) Found {
	p := f.Passage(ref)
	return Found{Ref: ref, Start: p.Start, End: p.SpanEnd, Why: why, Score: score}
}
