package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"polaris/advisor"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// Bounds of what is refused.
const (
	mostRefused   = 50  // topics
	mostPhrases   = 20  // of one
	allPhrases    = 200 // of all
	longestPhrase = 100 // characters, of a label too
)

// policy returns what the brain asks of an answer, as it was when the credential
// was looked up, which was for this request.
func (e *Env) policy(ctx context.Context) (p models.Policy, err error) {
	if e.Call.By.Kind != models.KindSystem && e.Call.By.Kind != models.KindTerminal {
		return e.Call.By.Policy, nil
	}
	err = e.Store().InBrain(ctx, e.Call.Brain, func(tx *store.Tx) error { // a terminal's principal may be older
		b, err := tx.ThisBrain(false)
		if err == nil {
			p = b.Policy
		}
		return err
	})
	return p, err
}

// question adds to a question what the brain asks of its answer.
func (e *Env) question(ctx context.Context, q advisor.Question) (advisor.Question, error) {
	p, err := e.policy(ctx)
	q.Threshold, q.Blocked = p.VerifyThreshold, p.RefusedTopics
	return q, err
}

// borne is what of a brain's policy bears on a question, for its row in the log:
// what replays the answer asks under the same. The default leaves no trace.
func borne(q advisor.Question) *models.Policy {
	var p models.Policy
	if q.Threshold != advisor.DefaultThreshold {
		p.VerifyThreshold = q.Threshold
	}
	if t := q.Refused(); t != nil {
		p.RefusedTopics = []models.RefusedTopic{*t}
	}
	if p.VerifyThreshold == 0 && p.RefusedTopics == nil {
		return nil
	}
	return &p
}

// policyOf returns what a brain asks of an answer, with defaults filled in.
func policyOf(b *models.Brain) models.Policy {
	p := b.Policy
	if p.VerifyThreshold == 0 {
		p.VerifyThreshold = advisor.DefaultThreshold
	}
	if p.RefusedTopics == nil {
		p.RefusedTopics = []models.RefusedTopic{}
	}
	return p
}

// settlePolicy puts what is asked for into next.
func settlePolicy(in SaveSettingsIn, next *BrainSettings) error {
	if in.VerifyThreshold != nil {
		if t := *in.VerifyThreshold; !(t >= 0.5 && t <= 1) {
			return fault.Field("verify_threshold", "The score from which a sentence counts as verified is from 0.5 to 1.")
		}
		next.VerifyThreshold = *in.VerifyThreshold
	}
	if in.RefusedTopics == nil {
		return nil
	}
	refused, err := checkRefused(*in.RefusedTopics)
	next.RefusedTopics = refused
	return err
}

// checkRefused returns the topics as they are kept.
func checkRefused(in []models.RefusedTopic) ([]models.RefusedTopic, error) {
	out := []models.RefusedTopic{}
	if len(in) > mostRefused {
		return out, fault.Field("refused_topics", "A brain refuses at most %d topics.", mostRefused)
	}
	n := 0
	for _, t := range in {
		kept := models.RefusedTopic{Label: line(t.Label), Phrases: []string{}}
		if !fits(kept.Label) || slices.ContainsFunc(out, func(o models.RefusedTopic) bool { return o.Label == kept.Label }) {
			return out, fault.Field("refused_topics", "Each refused topic has a label of its own, of at most %d characters.", longestPhrase)
		}
		for _, p := range t.Phrases {
			p = line(p)
			if !fits(p) || !advisor.IsPhrase(p) {
				return out, fault.Field("refused_topics", "%q is no phrase: it has at most %d characters, and at least one word that is about something.", p, longestPhrase)
			}
			if !slices.Contains(kept.Phrases, p) {
				kept.Phrases = append(kept.Phrases, p)
			}
		}
		if n += len(kept.Phrases); len(kept.Phrases) == 0 || len(kept.Phrases) > mostPhrases || n > allPhrases {
			return out, fault.Field("refused_topics", "A refused topic has 1 to %d phrases, and all of them together at most %d.", mostPhrases, allPhrases)
		}
		out = append(out, kept)
	}
	return out, nil
}

// line makes a text one line.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

func fits(s string) bool {
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= longestPhrase && !strings.ContainsRune(s, 0)
}

// wider reports whether more is answered than before: from less proof, or about
// what was refused. That takes a second person; to answer less may be urgent.
func wider(now, next BrainSettings) bool {
	if next.VerifyThreshold < now.VerifyThreshold {
		return true
	}
	return slices.ContainsFunc(now.RefusedTopics, func(old models.RefusedTopic) bool {
		return !slices.ContainsFunc(next.RefusedTopics, func(t models.RefusedTopic) bool {
			return t.Label == old.Label && !slices.ContainsFunc(old.Phrases, func(p string) bool { return !slices.Contains(t.Phrases, p) })
		})
	})
}

// asks says what is asked of answers, for the audit log.
func (s BrainSettings) asks() (threshold, refused string) {
	var all []string
	for _, t := range s.RefusedTopics {
		all = append(all, t.Label+": "+strings.Join(t.Phrases, "; "))
	}
	return fmt.Sprint(s.VerifyThreshold), strings.Join(all, "\n")
}

func savePolicy(e *Env, now, next BrainSettings) error {
	threshold, refused := now.asks()
	t, r := next.asks()
	if threshold == t && refused == r {
		return nil
	}
	if threshold != t {
		e.changed("verify threshold", threshold, t)
	}
	if refused != r {
		e.changed("refused topics", refused, r)
	}
	return e.Tx.SetPolicy(models.Policy{VerifyThreshold: next.VerifyThreshold, RefusedTopics: next.RefusedTopics})
}
