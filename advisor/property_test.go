package advisor

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Whatever is asked, every quote is the source's own bytes, every sentence
// stands on one, and asking again gives the same.
func TestAnyQuestionKeepsThePromises(t *testing.T) {
	t.Parallel()
	e, c := lawyer(t)
	r := rand.New(rand.NewPCG(1, 2))
	topics := []string{"denying-an-application-the-notices-we-owe", "half", "none"}
	passed := 0
	for range 400 {
		text := c.Docs[r.IntN(len(c.Docs))].Revision.Text
		at := r.IntN(len(text))
		q := Question{Text: text[at:min(len(text), at+1+r.IntN(300))]} // may begin within a character
		if r.IntN(3) == 0 {
			q.TopicIDs = topics[:1+r.IntN(3)]
		}
		a, b := e.Answer(t.Context(), q), e.Retrieve(t.Context(), q)
		checkEnvelope(t, c, a)
		checkEnvelope(t, c, b)
		if marshal(t, a) != marshal(t, e.Answer(t.Context(), q)) {
			t.Errorf("%q: two answers differ", q.Text)
		}
		if len(a.Citations) > 0 {
			passed++
		}
	}
	if passed < 200 {
		t.Errorf("only %d of 400 questions made of the sources' words were answered", passed)
	}
}

func TestLongAndStrangeQuestions(t *testing.T) {
	t.Parallel()
	e, c := lawyer(t)
	for _, q := range []string{
		strings.Repeat("notification ", 10_000), strings.Repeat("🦀", 2000), strings.Repeat("§ 1002.9 ", 800),
		strings.Repeat("a1b2 ", 1600), "\x00\x1b[31m", strings.Repeat("(", 8000), "\u202eتقرير المستهلك\u202c",
	} {
		if len(q) > 8000 {
			q = q[:8000]
		}
		checkEnvelope(t, c, e.Answer(t.Context(), Question{Text: q}))
		checkEnvelope(t, c, e.Retrieve(t.Context(), Question{Text: q}))
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"How long are records kept?", "HB 4.2(a), § 4.1 and 9", "What is a declined application?", "\xff§"} {
		f.Add(s, "declines")
	}
	c := handbook()
	e := handbookEngine(f)
	f.Fuzz(func(t *testing.T, q, topic string) {
		if len(q) > 8000 {
			return
		}
		checkEnvelope(t, c, e.Answer(t.Context(), Question{Text: q, TopicIDs: []string{topic}}))
		checkEnvelope(t, c, e.Retrieve(t.Context(), Question{Text: q, TopicIDs: []string{topic}}))
	})
}
