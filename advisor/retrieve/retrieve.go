// Package retrieve finds the passages of one published version that bear on a
// question.
//
// Three ways lead to a passage, and each passage found says which did: a
// citation key that the question names, an anchor of a topic card, and the
// question's words. The first two go through a map of keys, which cannot miss
// and cannot be nearly right; only the third ranks, and only its scores are
// estimates. The package does not choose sentences or judge an answer: package
// advisor does.
package retrieve

import (
	"os"
	"path/filepath"
	"strings"

	"polaris/advisor/index"
	"polaris/models"
)

// A Ref names a passage of a corpus by its places in Docs and Passages.
type Ref struct{ Doc, Passage int }

// What brought a passage, as a citation's "why" says it.
const (
	ByKey   = "key"
	ByWords = "words"
)

// A Found is a passage that bears on the question.
type Found struct {
	Ref
	Start, End int     // of the text found, in the revision's text
	Anchor     bool    // of a topic card; the question does not name it
	Why        string  // ByKey, ByWords, or what an anchor belongs to
	Score      float64 // 0 to 1: how surely it bears on the question
	About      float64 // the same, whatever kind of answer it has
}

// A Finder is a corpus prepared for retrieval. It is immutable.
type Finder struct {
	corpus  *models.Corpus
	words   *index.Index
	refs    []Ref // by number in the index
	number  map[Ref]int32
	keys    *Keys
	defined definitions
}

// New prepares a corpus, which must not change afterwards.
func New(c *models.Corpus) *Finder { return NewKept(c, "") }

// NewKept is New with a file in which the index is kept, or none. Where the file
// has the index of these very passages it is read, and else written. That it
// cannot be is no reason not to answer.
func NewKept(c *models.Corpus, file string) *Finder {
	f := &Finder{corpus: c, number: map[Ref]int32{}, keys: NewKeys(c), defined: newDefinitions(c)}
	var docs []index.Doc
	for d := range c.Docs {
		doc := &c.Docs[d]
		for p := range doc.Passages {
			if !searchable(doc, p) {
				continue
			}
			ref := Ref{d, p}
			f.number[ref] = int32(len(f.refs))
			f.refs = append(f.refs, ref)
			docs = append(docs, index.Doc{Title: title(doc, p), Text: doc.Revision.Text[doc.Passages[p].Start:f.end(ref)], English: English(doc)})
		}
	}
	f.words = kept(docs, file)
	return f
}

func kept(docs []index.Doc, file string) *index.Index {
	if file == "" {
		return index.Build(docs)
	}
	key := index.KeyOf(docs)
	if x, err := index.Load(file, key); err == nil {
		return x
	}
	x := index.Build(docs)
	if os.MkdirAll(filepath.Dir(file), 0o700) == nil && x.Save(file, key) == nil {
		if y, err := index.Load(file, key); err == nil {
			return y // what lies in the file need not lie in memory too
		}
	}
	return x
}

// English reports whether a document's words are to be stemmed as English:
// where its language is English or not known.
func English(d *models.Doc) bool {
	l := strings.ToLower(d.Revision.Language)
	return l == "" || l == "und" || l == "en" || strings.HasPrefix(l, "en-") || l == "english"
}

// searchable reports whether a passage is ranked: not a heading that others
// stand below, since each of them carries it as its title.
func searchable(d *models.Doc, i int) bool {
	p := &d.Passages[i]
	if strings.TrimSpace(d.Revision.Text[p.Start:p.End]) == "" {
		return false
	}
	return p.Kind != models.Section || p.SpanEnd <= p.End
}

// title is what a passage is searched by beside its text.
func title(d *models.Doc, i int) string {
	return strings.Join(d.Passages[i].Heading, " > ")
}

// Assembled is the size in bytes up to which a passage is read together with
// what is below it: a list, whose items alone say little.
const Assembled = 1500

// end returns where the text ends by which a passage is ranked.
func (f *Finder) end(r Ref) int {
	p := f.Passage(r)
	if p.Kind == models.Section || p.SpanEnd-p.Start > Assembled {
		return p.End
	}
	return p.SpanEnd
}

// Index returns the words of the corpus.
func (f *Finder) Index() *index.Index { return f.words }

// Passage returns the passage that r names.
func (f *Finder) Passage(r Ref) *models.Passage { return &f.corpus.Docs[r.Doc].Passages[r.Passage] }

// Doc returns the document that r is in.
func (f *Finder) Doc(r Ref) *models.Doc { return &f.corpus.Docs[r.Doc] }

// Text returns the passage's own text.
func (f *Finder) Text(r Ref) string {
	p := f.Passage(r)
	return f.Doc(r).Revision.Text[p.Start:p.End]
}

// Parent returns the passage above r, and whether there is one.
func (f *Finder) Parent(r Ref) (Ref, bool) {
	p := f.Passage(r).Parent
	if p < 0 || p >= len(f.Doc(r).Passages) {
		return Ref{}, false
	}
	return Ref{r.Doc, p}, true
}

// Below returns r and the passages below it, in the order of the document.
func (f *Finder) Below(r Ref) []Ref {
	end := f.Passage(r).SpanEnd
	out := []Ref{r}
	for i := r.Passage + 1; i < len(f.Doc(r).Passages) && f.Doc(r).Passages[i].Start < end; i++ {
		out = append(out, Ref{r.Doc, i})
	}
	return out
}

// Kinds returns the kinds that a passage has, with the list that it opens if
// that is short.
func (f *Finder) Kinds(r Ref) index.Kind {
	if n, ok := f.number[r]; ok {
		return f.words.Kinds(n)
	}
	return index.Kinds(f.Text(r))
}

// Match returns the terms of q that a passage and its headings have.
func (f *Finder) Match(q *index.Query, r Ref) index.Matched {
	if n, ok := f.number[r]; ok {
		return f.words.MatchPassage(q, n)
	}
	return f.words.Match(q, f.Text(r))
}
