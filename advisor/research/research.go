// Package research answers what one passage cannot: it takes a large question
// apart, asks the advisor about each part, and makes one report of what it was
// told.
//
// It works in steps that each take a moment and whose results are values, so
// that whoever runs them can write one down, stop, and go on elsewhere:
// [MakePlan], [Read] for each part, then [Write]. Nothing in a report is of its
// own making but headings, the names of the parts and sentences that say what
// was not found: everything else is quoted to the byte from a citation, which
// [Check] holds it to.
package research

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"polaris/advisor"
	"polaris/models"
)

// An Asker is what is asked about each part: an engine, or what stands for one.
type Asker interface {
	Answer(ctx context.Context, q advisor.Question) *models.Envelope
	Retrieve(ctx context.Context, q advisor.Question) *models.Envelope
}

// A Quote is a sentence or passage of a source that bears on a part.
type Quote struct {
	Text string          `json:"text"` // in the citation's quote to the byte
	From models.Citation `json:"from"`
}

// A Finding is what the sources say about one part of a plan.
type Finding struct {
	Part     int      `json:"part"`
	Answer   []Quote  `json:"answer"`             // sentences, as the advisor said them
	Evidence []Quote  `json:"evidence"`           // passages that bear on it besides, best first
	Gap      string   `json:"gap,omitempty"`      // why there is no answer
	Notices  []string `json:"notices,omitempty"`  // what was ignored or cut
	Disputes []string `json:"disputes,omitempty"` // what the sources contradict each other in
}

// How much of a part is kept.
const (
	evidenceMost = 6
	evidenceLong = 700 // bytes of a passage, cut at the end of a sentence
)

// Read asks about one part. It takes milliseconds.
func Read(ctx context.Context, a Asker, p Plan, part int, off []models.Withheld) Finding {
	q := advisor.Question{Text: p.Parts[part].Ask, TopicIDs: p.Topics, Suspended: off}
	f := Finding{Part: part}
	env := a.Answer(ctx, q)
	f.Answer = sentences(env)
	f.Notices = env.Notices
	if env.Guardrail.Status != models.GuardrailPass {
		f.Answer, f.Gap = nil, strings.Join(env.Guardrail.Reasons, ", ")
	}
	said := map[string]bool{}
	for _, s := range f.Answer {
		said[s.Text] = true
	}
	found := a.Retrieve(ctx, q)
	for _, c := range found.Citations {
		if len(f.Evidence) == evidenceMost {
			break
		}
		text := shortened(c.Quote)
		if !said[text] && !within(text, f.Answer) {
			f.Evidence = append(f.Evidence, Quote{text, c})
			said[text] = true
		}
	}
	return f
}

var mark = regexp.MustCompile(` \[(\d+)\]`)

// sentences takes an answer apart into what it says and where that is from.
func sentences(env *models.Envelope) (out []Quote) {
	rest := env.Result
	for rest != "" {
		at := mark.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		n, err := strconv.Atoi(rest[at[2]:at[3]])
		text := strings.TrimSpace(rest[:at[0]])
		rest = rest[at[1]:]
		if err != nil || n < 1 || n > len(env.Citations) || !strings.Contains(env.Citations[n-1].Quote, text) {
			continue // a mark of the source's own
		}
		out = append(out, Quote{text, env.Citations[n-1]})
	}
	return out
}

// shortened cuts a long passage at the end of a sentence.
func shortened(s string) string {
	if len(s) <= evidenceLong {
		return s
	}
	cut := s[:evidenceLong]
	if i := strings.LastIndex(cut, ". "); i > 0 {
		return cut[:i+1]
	}
	if i := strings.LastIndexAny(cut, ";\n"); i > 0 {
		return strings.TrimSpace(cut[:i])
	}
	return strings.ToValidUTF8(cut, "")
}

func within(text string, quotes []Quote) bool {
	for _, q := range quotes {
		if strings.Contains(q.Text, text) {
			return true
		}
	}
	return false
}

// Check returns what of a report is not in its citations: nothing, unless the
// program is wrong.
func Check(r *Report) error {
	for _, s := range r.Said {
		if s.N < 1 || s.N > len(r.Citations) {
			return fmt.Errorf("research: a sentence cites %d of %d", s.N, len(r.Citations))
		}
		if !strings.Contains(r.Citations[s.N-1].Quote, s.Text) {
			return fmt.Errorf("research: citation %d has not what is quoted from it", s.N)
		}
	}
	return nil
}
