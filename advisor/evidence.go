package advisor

import (
	"fmt"
	"strings"

	"polaris/advisor/index"
	"polaris/advisor/retrieve"
	"polaris/models"
)

// How far the search goes, and from where on what it finds is evidence.
const (
	rankedDepth = 20
	rankedMost  = 10   // passages that retrieve returns by words
	minScore    = 0.5  // the best passage below this: the question is declined
	minShare    = 0.6  // of the best passage's score, for another to be of use
	anchorScore = 0.75 // of an anchored provision, whatever its words
	exactMost   = 24   // provisions by key or anchor in one answer
	missingMost = 24   // citations that name nothing and are told of one by one: each costs a look at every key
)

// The reasons for which an answer is declined.
const (
	noEvidence   = "no_evidence"
	weakEvidence = "weak_evidence"
)

// Evidence is what was found for a question.
type evidence struct {
	query     *index.Query
	exact     []retrieve.Found // by key, then by anchor, then definitions; quoted whole
	ranked    []retrieve.Found // by words, outside of what exact quotes
	cut       int              // ranked passages that were cut
	conflicts []conflict       // among the sentences chosen
	threshold float64          // from which a sentence counts as verified
	unproved  bool             // a sentence was left out that falls below it
	reason    string           // why it is too little to answer from; empty if it is not
}

// A weigher says how much a ranked passage is worth, 0 to 1.
type weigher func(retrieve.Found) float64

// asAnswer weighs a passage by whether it answers, asPassage by what it is
// about: that it lacks the kind of answer asked for takes nothing from it.
func asAnswer(f retrieve.Found) float64  { return f.Score }
func asPassage(f retrieve.Found) float64 { return max(f.Score, f.About) }

// gather finds the evidence for a question, and notes in env what it could not
// use.
func (e *Engine) gather(q Question, env *models.Envelope, weigh weigher) *evidence {
	named, missing, words := e.find.Named(q.Text)
	for _, m := range missing[:min(len(missing), missingMost)] {
		env.Notices = append(env.Notices, e.lacks(m))
	}
	if over := len(missing) - missingMost; over > 0 {
		env.Notices = append(env.Notices, fmt.Sprintf("The sources lack %d further citations of the question.", over))
	}
	ev := &evidence{query: e.find.Index().Query(words), threshold: q.threshold()}
	for _, f := range named {
		ev.addExact(f)
	}
	e.addAnchors(ev, e.route(q.TopicIDs, env))
	for _, f := range e.find.Defined(words) {
		ev.addExact(f)
	}
	if over := len(ev.exact) - exactMost; over > 0 {
		ev.exact = ev.exact[:exactMost]
		env.Notices = append(env.Notices, fmt.Sprintf("%d further provisions were named and left out.", over))
	}
	e.bound(ev, env)
	e.addRanked(ev)
	ev.judge(len(missing), weigh)
	return ev
}

// lacks says that a citation names nothing here, or only what others are part
// of.
func (e *Engine) lacks(citation string) string {
	if key := e.find.PartOf(citation); key != "" {
		return fmt.Sprintf("%s is not quoted as a whole: name a part of it, such as %s.", clean(citation), key)
	}
	return fmt.Sprintf("The sources have no %s.", clean(citation))
}

// addExact adds a provision, unless the same span is there already.
func (ev *evidence) addExact(f retrieve.Found) {
	for _, x := range ev.exact {
		if x.Doc == f.Doc && x.Start == f.Start && x.End == f.End {
			return
		}
	}
	ev.exact = append(ev.exact, f)
}

func (e *Engine) addAnchors(ev *evidence, cards []*card) {
	for _, c := range cards {
		for _, ref := range c.anchors {
			f := e.find.Provision(ref, "anchor of "+clean(c.topic.Label), anchorScore)
			f.Anchor = true
			m := index.Matched{}
			for _, r := range e.find.Below(ref) {
				m.Add(e.find.Match(ev.query, r))
			}
			f.Score += (1 - anchorScore) * ev.query.Coverage(m)
			ev.addExact(f)
		}
	}
}

// addRanked searches by words. What an exact provision quotes anyway is not
// found a second time.
func (e *Engine) addRanked(ev *evidence) {
	found := e.find.Ranked(ev.query, rankedDepth)
	ev.ranked = make([]retrieve.Found, 0, len(found))
	for _, f := range found {
		if !covered(ev.exact, f) && !covered(ev.ranked, f) {
			ev.ranked = append(ev.ranked, f)
		}
	}
}

// covered reports whether one of the passages quotes all of f.
func covered(in []retrieve.Found, f retrieve.Found) bool {
	for _, x := range in {
		if x.Doc == f.Doc && x.Start <= f.Start && f.End <= x.End {
			return true
		}
	}
	return false
}

// judge keeps of what the words led to only what is strong enough, and says
// whether all of it together is too little. Missing is how many citations of
// the question name nothing: then a few words in common do not answer it.
func (ev *evidence) judge(missing int, weigh weigher) {
	best := 0.0
	for _, f := range ev.ranked {
		best = max(best, weigh(f))
	}
	floor := minScore
	if missing > 0 && len(ev.exact) == 0 && ev.query.Known() < 3 {
		floor = 1
	}
	hits := len(ev.ranked)
	keep := ev.ranked[:0]
	for _, f := range ev.ranked {
		if weigh(f) >= floor && weigh(f) >= minShare*best {
			keep = append(keep, f)
		}
	}
	ev.ranked = keep
	switch {
	case len(ev.exact) > 0 || len(ev.ranked) > 0:
	case hits == 0 || ev.query.Known() == 0:
		ev.reason = noEvidence
	default:
		ev.reason = weakEvidence
	}
}

// noVersion is the reason where there is nothing to answer from.
const noVersion = "no_published_version"

// declined is what is said instead of an answer, by reason.
var declined = map[string]string{
	noEvidence:      "Nothing in the published sources bears on this question.",
	weakEvidence:    "The published sources do not answer this question well enough to quote them.",
	sourceSuspended: "The answer would need a source that a curator has suspended.",
	refusedTopic:    "This brain does not answer questions about this subject.",
	noVersion:       "This brain has no published version yet, so there is nothing to answer from.",
}

// clean makes a string one line without control or formatting characters, fit
// for a notice or a label.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "")
	s = strings.Join(strings.FieldsFunc(s, unprintable), " ")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return s
}

// isClean reports whether clean has nothing to do, which is nearly always: a
// short line of ASCII with single spaces.
func isClean(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return false
		}
	}
	return len(s) <= 200
}
