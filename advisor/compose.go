package advisor

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"polaris/advisor/model"
	"polaris/advisor/retrieve"
	"polaris/advisor/verify"
	"polaris/models"
)

// A Writer is a language model that drafts claims and judges them.
type Writer interface {
	Name() string
	Write(ctx context.Context, question string, passages []model.Passage) ([]model.Claim, error)
	Judge(ctx context.Context, pairs []model.Pair) (map[int]bool, error)
}

// Bounds of an answer that a model writes.
const (
	writingTime  = 30 * time.Second // of the forty seconds after which the sources are quoted instead
	composeTime  = 40 * time.Second
	shownMost    = 10       // passages that it is shown
	shownBytes   = 24 << 10 // of their text, in all
	shownEach    = 6 << 10
	longestClaim = 600 // bytes
	judgedFloor  = 0.8 // what a claim scores that a judge grants, beside its share of the quote's words
)

// Notices on answers in which a model had a part, or was to have.
const (
	noticeModel   = "%s wrote these sentences; each was held against the quote that it cites."
	noticeTimeout = "model_timeout: the model took too long, so the sources are quoted."
	noticeFailed  = "model_failed: the model could not be used, so the sources are quoted."
	noticeUnheard = "judge_failed: the model that checks could not be used, so only sentences are kept whose words the quotes have."
	noticeMisled  = "judge_misled: the model that checks granted what nothing carries, so the sources are quoted."
	noticeNothing = "model_unproved: nothing that the model wrote could be proved, so the sources are quoted."
)

// writtenBy is what the name of an engine has before that of the model that wrote.
const writtenBy = " with "

// Written reports whether a model wrote an answer of the engine with this name.
func Written(engine string) bool { return strings.Contains(engine, writtenBy) }

// judgeFailed is the reason where what was written could not be judged.
const judgeFailed = "judge_failed"

// Compose answers a question in sentences that a model writes. What the model is
// asked for are claims with a quote each; a claim stays only if its quote is in
// the passage to the byte, if nothing in the two rules it out
// ([verify.Veto]), and if the quote has it verbatim or the judge grants it.
// Whether there is enough to answer from is never the model's to say: where
// [Engine.Answer] declines, the model is not asked. Where it fails, takes too
// long or proves nothing, that is the answer which is given.
func (e *Engine) Compose(ctx context.Context, q Question, w Writer) *models.Envelope {
	plain := e.Answer(ctx, q)
	if plain.Guardrail.Status != models.GuardrailPass {
		return plain
	}
	instead := func(notice string) *models.Envelope {
		plain.Notices = append(plain.Notices, notice)
		plain.Rendered = render(plain, nil)
		return plain
	}
	env, ev := e.open(q, asAnswer)
	d := e.toBeShown(ev, q.Suspended)
	if len(d.passages) == 0 {
		return plain
	}
	ctx, cancel := context.WithTimeout(ctx, composeTime)
	defer cancel()
	writing, done := context.WithTimeout(ctx, writingTime)
	defer done()
	wrote, err := w.Write(writing, env.Query, d.passages)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return instead(noticeTimeout)
	case err != nil:
		return instead(noticeFailed)
	}
	drafts := e.provable(d, wrote)
	err = judge(ctx, w, env.Query, drafts)
	if errors.Is(err, errMisled) {
		return instead(noticeMisled)
	}
	heard := err == nil
	if env = e.compose(env, ev, drafts, heard); env == nil {
		return instead(noticeNothing)
	}
	env.Engine += writtenBy + clean(w.Name())
	env.Notices = append(env.Notices, fmt.Sprintf(noticeModel, clean(w.Name())))
	if !heard {
		env.Notices = append(env.Notices, noticeUnheard)
		env.Guardrail = models.Guardrail{Status: models.GuardrailDisclaim, Reasons: append([]string{judgeFailed}, env.Guardrail.Reasons...)}
	}
	env.Rendered = render(env, nil)
	return e.withhold(env, q.Suspended, false)
}

// A display is what a model is shown, and what of it was found where.
type display struct {
	passages []model.Passage
	shown    []shownPassage
}

// A shownPassage is where a passage is from.
type shownPassage struct {
	retrieve.Found      // all of it
	exact          bool // a provision that was asked for, which is cited whole
	start          int  // of what is shown
}

// toBeShown chooses what a model reads: the evidence, the strongest first, within
// bounds, and nothing that is suspended.
func (e *Engine) toBeShown(ev *evidence, off []models.Withheld) *display {
	hidden := func(retrieve.Found) bool { return false }
	if len(off) > 0 {
		s := e.Without(off)
		hidden = func(f retrieve.Found) bool { return s.overlaps(f.Doc, f.Start, f.End) }
	}
	d, room := &display{}, shownBytes
	for i, f := range append(ev.exact[:len(ev.exact):len(ev.exact)], ev.ranked...) {
		doc := e.find.Doc(f.Ref)
		start, end := trimmed(doc.Revision.Text, f.Start, f.End)
		if end-start > shownEach {
			for end = start + shownEach; !boundary(doc.Revision.Text, end); end-- {
			}
		}
		if with := e.carried(claim{ref: f.Ref, start: start, end: end}); i >= len(ev.exact) && len(with) == 1 && end-with[0].start <= shownEach {
			start = with[0].start // an item is shown with the opening that turns it
			f.Start = start
		}
		if len(d.passages) == shownMost || start == end || end-start > room || hidden(f) {
			continue
		}
		room -= end - start
		d.shown = append(d.shown, shownPassage{f, i < len(ev.exact), start})
		d.passages = append(d.passages, model.Passage{
			N: len(d.shown), From: clean(doc.Source.Title) + ", " + clean(e.find.Passage(f.Ref).Locator), Text: doc.Revision.Text[start:end],
		})
	}
	return d
}

// A draft is a claim of a model whose quote stands where it says.
type draft struct {
	text       string
	from       shownPassage
	start, end int // of the quote
	quote      string
	lexical    float64
	granted    bool // by the judge
}

// proved reports whether the quote has the claim verbatim.
func (d *draft) proved() bool { return d.lexical == 1 }

// provable returns of what a model wrote what may yet be proved: sentences whose
// quote is in the passage to the byte, and which nothing rules out.
func (e *Engine) provable(d *display, wrote []model.Claim) []draft {
	var out []draft
	said := map[string]bool{}
	for _, c := range wrote {
		text := sentenceOf(c.Text)
		if c.Passage < 1 || c.Passage > len(d.shown) || text == "" || said[text] || strings.TrimSpace(c.Quote) == "" {
			continue
		}
		f := d.shown[c.Passage-1]
		at := strings.Index(d.passages[c.Passage-1].Text, c.Quote)
		if at < 0 || leads(text, c.Quote) || verify.Veto(text, c.Quote) != "" {
			continue
		}
		start, end := trimmed(e.find.Doc(f.Ref).Revision.Text, f.start+at, f.start+at+len(c.Quote))
		if !e.whole(f.Ref, start, end) {
			continue
		}
		said[text] = true
		out = append(out, draft{
			text: text, from: f, start: start, end: end, quote: c.Quote,
			lexical: verify.Lexical(text, c.Quote, nil).Score,
		})
	}
	return out
}

var marks = regexp.MustCompile(`\s*\[\d+\]`)

// sentenceOf makes what a model wrote one line without reference marks; "" of
// what cannot be a sentence of an answer.
func sentenceOf(s string) string {
	if !utf8.ValidString(s) || len(s) > 2*longestClaim {
		return ""
	}
	s = strings.Join(strings.FieldsFunc(marks.ReplaceAllString(s, ""), unprintable), " ")
	if len(s) > longestClaim {
		return ""
	}
	return s
}

// leads reports whether a sentence would lead a reader, or what draws it, to
// somewhere that its quote does not name, or is markup that the quote lacks.
func leads(text, quote string) bool {
	for _, sign := range []string{"://", "](", "![", "<", "`", "www."} {
		if strings.Contains(text, sign) && !strings.Contains(quote, sign) {
			return true
		}
	}
	for _, w := range strings.Fields(text) {
		if strings.Contains(w, "://") && !strings.Contains(quote, strings.TrimRightFunc(w, unicode.IsPunct)) {
			return true
		}
	}
	return false
}

// errMisled is what comes of a judge whose verdicts are worth nothing.
var errMisled = errors.New("advisor: the judge grants what is known to be false")

// judge has those claims judged that their quotes do not have verbatim. Among
// them are two whose verdict is known, one way and the other, with a quote of
// these: a judge that grants everything, because it is no good or because the
// quotes told it to, is not heard.
func judge(ctx context.Context, w Writer, question string, drafts []draft) error {
	var pairs []model.Pair
	var of []int
	for i := range drafts {
		if !drafts[i].proved() {
			pairs = append(pairs, model.Pair{N: len(pairs) + 1, Claim: drafts[i].text, Quote: drafts[i].quote})
			of = append(of, i)
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(question))
	sample := pairs[int(h.Sum32()%uint32(len(pairs)))].Quote //nolint:gosec // a dozen at most
	never, always := len(pairs)+1, len(pairs)+2
	pairs = append(pairs,
		model.Pair{N: never, Claim: "Every rule about this was repealed yesterday, and nobody has to follow it any more.", Quote: sample},
		model.Pair{N: always, Claim: sample, Quote: sample})
	if h.Sum32()&(1<<16) != 0 { // not always the last ones
		pairs[0], pairs[len(pairs)-2] = pairs[len(pairs)-2], pairs[0]
	}
	carried, err := w.Judge(ctx, pairs)
	switch {
	case err != nil:
		return err
	case carried[never]:
		return errMisled
	case !carried[always]:
		return fmt.Errorf("%w: the judge denies what is there to the letter", model.ErrUnusable)
	}
	for k, i := range of {
		drafts[i].granted = carried[k+1]
	}
	return nil
}

// compose writes the answer of those claims that are proved, nil where none is.
func (e *Engine) compose(env *models.Envelope, ev *evidence, drafts []draft, heard bool) *models.Envelope {
	b := builder{engine: e, env: env, numbers: map[span]int{}}
	for _, f := range ev.exact {
		b.cite(f)
	}
	var said []string
	sum := 0.0
	for i := range drafts {
		d := &drafts[i]
		v := d.verdict(heard, ev.threshold)
		if v.Method == models.Unverified {
			continue
		}
		f := d.from.Found
		if !d.from.exact {
			f.Start, f.End = d.start, d.end
		}
		n := b.cite(f)
		cited := &env.Citations[n-1]
		if cited.Verification.Method == models.Unverified || v.Score < cited.Verification.Score {
			cited.Verification = v // of several sentences the one that it carries least
		}
		cited.Verified = cited.Verification.Method != models.VerifiedFallback && cited.Verification.Score >= ev.threshold
		sum += cited.Score * v.Score
		said = append(said, fmt.Sprintf("%s [%d]", d.text, n))
	}
	if len(said) == 0 {
		return nil
	}
	env.Result = strings.Join(said, " ")
	env.Confidence = round(sum / float64(len(said)))
	e.disagree(&b, ev)
	return env
}

// whole reports whether a quote has the openings of the lists that it stands in,
// where they turn what it says. "Tell others who has borrowed what." is no quote
// of "Staff shall not: (a) tell others who has borrowed what."
func (e *Engine) whole(ref retrieve.Ref, start, end int) bool {
	for _, r := range e.find.Below(ref) {
		p := e.find.Passage(r)
		if p.Start >= end || start >= p.End {
			continue // nothing of the quote is in it
		}
		with := e.carried(claim{ref: r, start: max(start, p.Start), end: min(end, p.End)})
		if len(with) == 0 || with[0].start < start {
			return false
		}
	}
	return true
}

// disagree tells of sources that contradict what is quoted, or each other, among
// those that would be quoted without a model. Their quotes are cited as well.
func (e *Engine) disagree(b *builder, ev *evidence) {
	e.choose(ev)
	numbers := map[span]int{}
	for _, x := range ev.conflicts {
		for _, c := range []claim{x.a, x.b} {
			f := retrieve.Found{Ref: c.ref, Start: c.start, End: c.end, Score: c.score}
			if c.found < len(ev.exact) {
				f = ev.exact[c.found]
			}
			n := b.cite(f)
			cited := &b.env.Citations[n-1]
			if cited.Verification.Method == models.Unverified {
				cited.Verification = verify.Lexical(e.textOf(c), cited.Quote, nil)
				cited.Verified = cited.Verification.Score >= ev.threshold
			}
			numbers[spanOf(c)] = n
		}
	}
	e.report(b.env, ev.conflicts, numbers)
}

// verdict is how a claim came through; what falls below the brain's threshold
// did not.
func (d *draft) verdict(heard bool, threshold float64) models.Verification {
	granted := round(judgedFloor + (1-judgedFloor)*d.lexical)
	switch {
	case d.proved():
		return models.Verification{Method: models.VerifiedLexical, Score: 1}
	case heard && d.granted && granted >= threshold:
		return models.Verification{Method: models.VerifiedEntailment, Score: granted}
	case !heard && d.lexical >= threshold:
		return models.Verification{Method: models.VerifiedFallback, Score: round(d.lexical)}
	}
	return models.Verification{Method: models.Unverified}
}
