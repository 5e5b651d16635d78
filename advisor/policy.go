package advisor

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"polaris/advisor/index"
	"polaris/advisor/verify"
	"polaris/models"
)

// refusedTopic is the reason where a brain does not answer about a subject.
const refusedTopic = "refused_topic"

// DefaultThreshold is the score from which a sentence counts as verified where a
// brain says nothing else.
const DefaultThreshold = verify.Threshold

// apart is how many other words may stand among those of a phrase, for a question
// still to be about it.
const apart = 3

// linking are the words that are not looked for.
var linking = map[string]bool{"a": true, "an": true, "the": true, "of": true, "to": true, "in": true, "on": true, "for": true, "and": true, "or": true}

// threshold is the score from which a sentence counts as verified.
func (q *Question) threshold() float64 {
	if q.Threshold > 0 {
		return q.Threshold
	}
	return DefaultThreshold
}

// Refused returns the topic that a question is about and that is not answered,
// nil where there is none. A question that leads back to an earlier one is read
// together with it.
func (q *Question) Refused() *models.RefusedTopic {
	if len(q.Blocked) == 0 {
		return nil
	}
	text, _ := inContext(q.Text, q.Earlier)
	asked := Phrase(text)
	for i, t := range q.Blocked {
		if slices.ContainsFunc(t.Phrases, func(p string) bool { return about(asked, stemmed(p)) }) {
			return &q.Blocked[i]
		}
	}
	return nil
}

// Phrase returns the words of a text by which a topic is recognised, as stems,
// without those that only link others.
func Phrase(text string) (out []string) {
	index.Words(strings.ToValidUTF8(text, " "), func(word []byte, _, _ int) {
		if w := string(word); !linking[w] {
			out = append(out, index.Stem(w))
		}
	})
	return out
}

// mostStemmed bounds how many phrases of all brains are kept as stems.
const mostStemmed = 10_000

var (
	stems    sync.Map // phrase to its stems, which depend on nothing else
	stemsLen atomic.Int64
)

// stemmed is Phrase for what is asked again with each question.
func stemmed(phrase string) []string {
	if v, ok := stems.Load(phrase); ok {
		return v.([]string)
	}
	out := Phrase(phrase)
	if stemsLen.Load() < mostStemmed {
		if _, there := stems.LoadOrStore(phrase, out); !there {
			stemsLen.Add(1)
		}
	}
	return out
}

// IsPhrase reports whether a question can be about a text: it has a word that
// means something.
func IsPhrase(text string) bool { return index.Subject(strings.ToValidUTF8(text, " ")) != "" }

// about reports whether all words of a phrase stand in a question, in their order
// and close together.
func about(asked, phrase []string) bool {
	if len(phrase) == 0 {
		return false
	}
	for from := range asked {
		if asked[from] != phrase[0] {
			continue
		}
		has := 1
		for _, w := range asked[from+1 : min(len(asked), from+len(phrase)+apart)] {
			if has < len(phrase) && w == phrase[has] {
				has++
			}
		}
		if has == len(phrase) {
			return true
		}
	}
	return false
}

// refuse returns the answer to a question that the brain does not answer, nil
// where it may be answered. The version is 0 where none is published.
func refuse(q Question, version int, engine string, says bool) *models.Envelope {
	t := q.Refused()
	if t == nil {
		return nil
	}
	text, _ := inContext(q.Text, q.Earlier)
	env := &models.Envelope{Citations: []models.Citation{}, BrainVersion: version, Query: strings.ToValidUTF8(text, "\uFFFD"), Engine: engine}
	env = decline(env, refusedTopic, "")
	if says {
		env.Result = "This brain does not answer questions about " + clean(t.Label) + "."
	}
	env.Guardrail.Status = models.GuardrailBlock
	env.Rendered = render(env, nil)
	return env
}
