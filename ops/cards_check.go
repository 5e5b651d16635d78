package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"polaris/advisor/cite"
	"polaris/advisor/index"
	"polaris/advisor/retrieve"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// CheckCardIn is a topic card as somebody writes it: unfinished, perhaps.
type CheckCardIn struct {
	ID      string   `json:"id,omitempty"` // of the card that is edited; it does not overlap with itself
	Covers  string   `json:"covers,omitempty" schema:"maxLength=2000"`
	Anchors []string `json:"anchors,omitempty" schema:"maxItems=20"`
}

// Whether a card's anchors have text in the draft.
const (
	CardSupported   = "supported"
	CardPartly      = "partly"
	CardUnsupported = "unsupported"
)

// A CardCheck is what a card's anchors lead to in the draft, and the other cards
// that it overlaps with.
type CardCheck struct {
	Support  string        `json:"support"` // supported: all anchors have text; partly: some; unsupported: none
	Anchors  []AnchorCheck `json:"anchors"`
	Overlaps []CardOverlap `json:"overlaps"`
}

// An AnchorCheck is what one anchor leads to.
type AnchorCheck struct {
	Anchor    string       `json:"anchor"`
	Problem   string       `json:"problem,omitempty"` // why it is no citation key
	Passages  []AnchorText `json:"passages"`          // none: the draft has no text under it
	Suspended bool         `json:"suspended,omitempty"`
	Instead   []AnchorText `json:"instead,omitempty"` // that could replace one without text, the likeliest first
	Moved     bool         `json:"moved,omitempty"`   // the first of them has the very words that the anchor had
}

// An AnchorText is a passage as an anchor leads to it.
type AnchorText struct {
	Key   string `json:"key"`
	Code  string `json:"code"`
	Title string `json:"title"` // of the source
	Text  string `json:"text"`  // its beginning
}

// A CardOverlap is another card that would compete with this one.
type CardOverlap struct {
	ID      string   `json:"id"`
	Label   string   `json:"label"`
	Anchors []string `json:"anchors,omitempty"` // that both have, or of which one is a part of the other's
	Words   []string `json:"words,omitempty"`   // that both cover, where they cover much the same
}

// Bounds of what a check shows.
const (
	anchorShown = 600 // bytes of an anchor's text
	anchorMost  = 5   // passages of one anchor
	insteadMost = 3
	wordsMost   = 8
)

// CheckCard says what a card's anchors lead to and what it overlaps with.
var CheckCard = &Op[CheckCardIn, CardCheck]{
	Name: "topic_cards.check", Title: "Check a topic card", Route: "POST /v1/brains/{brain_id}/draft/topic-cards/check",
	Summary: "Say what the anchors of a topic card lead to in the draft, which passages could replace one that has no text there, and which other cards it overlaps with. The card need not be saved.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | REST,
	HTTP: HTTP{Example: `{"covers":"how long complaints are kept","anchors":["HB 4.2(a)"]}`},
	Run:  checkCardNow,
}

func checkCardNow(_ context.Context, e *Env, in CheckCardIn) (CardCheck, error) {
	out := CardCheck{Support: CardUnsupported, Anchors: []AnchorCheck{}, Overlaps: []CardOverlap{}}
	if len(in.Anchors) > 20 {
		return out, fault.Field("anchors", "Name at most 20 citation keys.")
	}
	refs := make([]string, len(in.Anchors)) // in their canonical form; "" of what is no key
	for i, a := range in.Anchors {
		x := AnchorCheck{Anchor: a, Passages: []AnchorText{}}
		if r, err := cite.Parse(a); err != nil {
			x.Problem = "This is no citation key. Write it as in `12 CFR 1002.9(a)` or `HB 4.2`."
		} else {
			refs[i] = r.String()
			x.Anchor = refs[i]
		}
		out.Anchors = append(out.Anchors, x)
	}
	if err := out.resolve(e.Tx, refs); err != nil {
		return out, err
	}
	with := 0
	for i := range out.Anchors {
		if len(out.Anchors[i].Passages) > 0 {
			with++
		}
	}
	switch {
	case with > 0 && with == len(out.Anchors):
		out.Support = CardSupported
	case with > 0:
		out.Support = CardPartly
	}
	var err error
	out.Overlaps, err = overlaps(e.Tx, in, refs)
	return out, err
}

// resolve finds the passages of the anchors: two queries for all that are there,
// and more only for those that are not.
func (c *CardCheck) resolve(tx *store.Tx, refs []string) error {
	named := slices.DeleteFunc(distinct(refs), func(s string) bool { return s == "" })
	found, err := passagesOf(tx, named)
	if err != nil {
		return err
	}
	for i, a := range refs {
		x := &c.Anchors[i]
		for _, p := range found[a] {
			x.Suspended = x.Suspended || p.Suspended
			if len(x.Passages) < anchorMost {
				x.Passages = append(x.Passages, textOf(p))
			}
		}
		if a != "" && len(x.Passages) == 0 {
			if x.Instead, x.Moved, err = instead(tx, a); err != nil {
				return err
			}
		}
	}
	return nil
}

func textOf(p store.KeyedText) AnchorText {
	return AnchorText{Key: p.Key, Code: p.Code, Title: p.Title, Text: p.Text}
}

// passagesOf returns the passages of the draft that each key names.
func passagesOf(tx *store.Tx, keys []string) (map[string][]store.KeyedText, error) {
	found := map[string][]store.KeyedText{}
	exact, err := tx.PassagesByKeys(keys, anchorShown)
	if err != nil {
		return nil, err
	}
	for _, p := range exact {
		found[p.Key] = append(found[p.Key], p)
	}
	open := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return len(found[k]) > 0 })
	if len(open) == 0 {
		return found, nil
	}
	corpus, err := candidates(tx, open)
	if err != nil {
		return nil, err
	}
	index, meant := retrieve.NewKeys(corpus), map[string][]string{}
	var more []string
	for _, k := range open {
		refs := index.Find(k)
		for _, r := range refs[:min(len(refs), anchorMost)] {
			key := corpus.Docs[r.Doc].Passages[r.Passage].Key
			meant[k] = append(meant[k], key)
			more = append(more, key)
		}
	}
	others, err := tx.PassagesByKeys(distinct(more), anchorShown)
	for k, means := range meant {
		for _, p := range others {
			if slices.Contains(means, p.Key) {
				found[k] = append(found[k], p)
			}
		}
	}
	return found, err
}

// instead returns the passages that could take the place of an anchor without
// text: those with the words that it had, or much of them, and else those whose
// keys begin as it does.
func instead(tx *store.Tx, anchor string) (all []AnchorText, moved bool, err error) {
	src, text, err := tx.LastWithKey(anchor)
	if err != nil {
		return nil, false, err
	}
	if src != nil {
		doc, err := tx.Doc(*src, src.Head)
		if err != nil {
			return nil, false, err
		}
		if all, moved = nearest(doc, text); len(all) > 0 {
			return all, moved, nil
		}
	}
	for stem := anchor; len(all) == 0; {
		cut := strings.LastIndexAny(stem, "(.¶-# ")
		if cut <= 0 || !strings.ContainsAny(stem[:cut], " ") {
			return all, false, nil // what is left names a source at most
		}
		stem = strings.TrimSpace(stem[:cut])
		ps, err := tx.PassagesByBeginning(stem, insteadMost, anchorShown)
		if err != nil {
			return nil, false, err
		}
		for _, p := range ps {
			all = append(all, textOf(p))
		}
	}
	return all, false, nil
}

// nearest returns the passages of a document that have most of a text's words.
func nearest(d *models.Doc, text string) (all []AnchorText, same bool) {
	const least = 0.3 // share of words in common, below which a passage is of something else
	type scored struct {
		i     int
		score float64
	}
	words, plain := meaning(text), unnumbered(text)
	var best []scored
	for i, p := range d.Passages {
		if p.Key == "" || p.Kind == models.Section {
			continue
		}
		has := d.Revision.Text[p.Start:p.SpanEnd]
		score := likeness(words, meaning(has))
		if unnumbered(has) == plain {
			score = 2
		}
		if score >= least {
			best = append(best, scored{i, score})
		}
	}
	slices.SortStableFunc(best, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, s := range best[:min(len(best), insteadMost)] {
		p := d.Passages[s.i]
		has := d.Revision.Text[p.Start:p.SpanEnd]
		all = append(all, AnchorText{Key: p.Key, Code: d.Source.Code, Title: d.Source.Title, Text: strings.ToValidUTF8(has[:min(len(has), anchorShown)], "")})
	}
	return all, len(best) > 0 && best[0].score == 2
}

// meaning returns the stems of a text's longer words.
func meaning(text string) map[string]string {
	stems := map[string]string{}
	index.Words(text, func(word []byte, _, _ int) {
		if w := string(word); len(w) > 3 {
			stems[index.Stem(w)] = w
		}
	})
	return stems
}

// likeness is the share of words that two texts have in common.
func likeness(a, b map[string]string) float64 {
	n := 0
	for w := range a {
		if _, both := b[w]; both {
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return float64(n) / float64(len(a)+len(b)-n)
}

// overlaps returns the cards of the draft that share an anchor with the card, or
// cover much the same.
func overlaps(tx *store.Tx, in CheckCardIn, refs []string) ([]CardOverlap, error) {
	const (
		much   = 0.6 // of the shorter text's words are the longer one's, too
		enough = 3   // words at least
	)
	cards, err := tx.TopicCards()
	if err != nil {
		return nil, err
	}
	out := []CardOverlap{}
	mine := meaning(in.Covers)
	for _, c := range cards {
		if c.ID == in.ID {
			continue
		}
		o := CardOverlap{ID: c.ID, Label: c.Label}
		for _, a := range c.Anchors {
			if slices.ContainsFunc(refs, func(r string) bool { return r != "" && together(r, a) }) {
				o.Anchors = append(o.Anchors, a)
			}
		}
		theirs, both := meaning(c.Covers), []string{}
		for stem := range mine {
			if w, ok := theirs[stem]; ok {
				both = append(both, w)
			}
		}
		if least := min(len(mine), len(theirs)); len(both) >= enough && float64(len(both)) >= much*float64(least) {
			slices.Sort(both)
			o.Words = both[:min(len(both), wordsMost)]
		}
		if len(o.Anchors)+len(o.Words) > 0 {
			out = append(out, o)
		}
	}
	return out, nil
}

// together reports whether two keys are the same, or one is a part of the other.
func together(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := cite.Parse(a)
	y, err2 := cite.Parse(b)
	return err1 == nil && err2 == nil && (x.Contains(y) || y.Contains(x))
}
