package advisor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"polaris/models"
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

// A version that is replaced while it is read answers on as a whole: each answer
// is all of one version, in what it says, in what it quotes and in its number.
func TestAnswersAreOfOneVersion(t *testing.T) {
	t.Parallel()
	text := func(n int) string {
		return fmt.Sprintf("# Rules\n\n## 1 Fees\n\n(a) The late fee of edition %d is %d euros.\n\n(b) Edition %d waives the late fee once.\n", n, 10+n, n)
	}
	load := func(v int) *Engine {
		e, _ := written(t, text(v))
		e.corpus.Version = v
		return e
	}
	loading := make(chan struct{})
	s := NewShelf(func(_ context.Context, _ models.BrainID, v int) (*Engine, error) {
		<-loading
		return load(v), nil
	})
	s.Put("own", load(1))
	seen := [3]atomic.Int32{}
	var wg sync.WaitGroup
	var published atomic.Int32
	published.Store(1)
	for i := range 200 {
		wg.Go(func() {
			switch i {
			case 50:
				published.Store(2)
			case 120:
				close(loading)
			}
			e, err := s.Engine(t.Context(), "own", int(published.Load()))
			if err != nil {
				t.Error(err)
				return
			}
			env := e.Answer(t.Context(), Question{Text: "How much is the late fee?"})
			v := env.BrainVersion
			seen[v].Add(1)
			if env.Guardrail.Status != models.GuardrailPass || !strings.Contains(env.Result, fmt.Sprintf("%d euros", 10+v)) || strings.Contains(env.Rendered, fmt.Sprintf("dition %d", 3-v)) {
				t.Errorf("version %d says %q", v, env.Rendered)
			}
			for _, c := range env.Citations {
				if whole := e.corpus.Docs[0].Revision.Text; whole[c.Provenance.Start:c.Provenance.End] != c.Quote {
					t.Errorf("version %d quotes %q", v, c.Quote)
				}
			}
		})
	}
	wg.Wait()
	asked(t, s, 2, 2)
	if seen[1].Load() == 0 || seen[1].Load()+seen[2].Load() != 200 {
		t.Errorf("%d answers of the first version, %d of the second", seen[1].Load(), seen[2].Load())
	}
}

// Served twice, an answer differs in no byte but those of the fields that are
// named for it, and of the line that has them.
func TestServedTwiceItIsTheSame(t *testing.T) {
	t.Parallel()
	e, _ := lawyer(t)
	for _, text := range []string{"How long are records of applications kept?", "12 CFR 1002.9(a)", "Who won the cup final?"} {
		var bodies [2]string
		for i := range bodies {
			env := e.Answer(t.Context(), Question{Text: text})
			id := fmt.Sprintf("ans_%d", i)
			Finish(env, Serving{AnswerID: id, RecordURL: "https://polaris.example/answers/" + id, At: time.Date(2026, 5, 4+i, 1, 2, 3, 0, time.UTC)})
			last := strings.LastIndex(env.Rendered, "\n")
			if !strings.Contains(env.Rendered[last:], id) || env.AnswerID != id || env.AsOf == "" {
				t.Errorf("served as %+v", env)
			}
			served := marshal(t, env)
			env.Rendered = env.Rendered[:last]
			env.AnswerID, env.RecordURL, env.AsOf = "", "", ""
			bodies[i] = marshal(t, env)
			if served == bodies[i] {
				t.Error("the named fields make no difference")
			}
		}
		if bodies[0] != bodies[1] {
			t.Errorf("%q: %s\nand then %s", text, bodies[0], bodies[1])
		}
	}
}
