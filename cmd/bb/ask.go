package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"polaris/advisor"
	"polaris/advisor/bench"
	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

type askFlags struct {
	brainFlag
	Question string   `arg:"" help:"The question."`
	Topic    []string `help:"Topic card to scope it to; at most two."`
	AsOf     int      `name:"as-of" help:"Ask this version instead of the one that is published." placeholder:"N"`
}

type answerCmd struct {
	Ask    answerAskCmd    `cmd:"" default:"withargs" help:"Ask a question: the word may be left out. Example: bb answer ask 'When is a late fee charged?' --brain-id calliope"`
	Expire answerExpireCmd `cmd:"" help:"Let recorded questions and answers go that are older than the brain keeps them. A server does it once an hour. Example: bb answer expire --brain-id calliope"`
}

type answerExpireCmd struct {
	brainFlag
	dryFlag
}

// Run lets them go.
func (a *answerExpireCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, a.BrainID, ops.ExpireAnswers, ops.None{})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "%s expired. The audit log keeps their hashes.\n", counted(int(out.Expired), "recorded answer"))
	})
}

type answerAskCmd struct{ askFlags }

// Run answers the question.
func (a *answerAskCmd) Run(ctx context.Context, c *console) error { return a.ask(ctx, c, ops.Answer) }

type findCmd struct{ askFlags }

// Run shows the passages.
func (f *findCmd) Run(ctx context.Context, c *console) error { return f.ask(ctx, c, ops.Retrieve) }

func (a *askFlags) ask(ctx context.Context, c *console, o *ops.Op[ops.AskIn, *models.Envelope]) error {
	out, err := do(ctx, c, a.BrainID, o, ops.AskIn{Query: a.Question, TopicIDs: a.Topic, Version: a.AsOf})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintln(w, out.Rendered)
		for _, n := range out.Notices {
			c.notice("note: %s", n)
		}
	})
}

type replayCmd struct {
	brainFlag
	ID   string `arg:"" help:"The answer's id."`
	Body string `help:"File with the answer as it was served, the JSON of its envelope, where the brain does not keep it; - for standard input." placeholder:"FILE"`
}

// Run replays the answer. It fails where the answer can no longer be proved.
func (r *replayCmd) Run(ctx context.Context, c *console) error {
	out, err := r.replay(ctx, c)
	if err != nil {
		return err
	}
	err = c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Answer %s, version %d\nbody        %s\nintact      %t\nreproduced  %t\nengine then %s\nengine now  %s\n", out.AnswerID, out.Version, out.Body, out.Intact, out.Reproduced, out.EngineThen, out.EngineNow)
		for _, f := range out.Findings {
			fmt.Fprintln(w, "  "+f)
		}
	})
	if err == nil && !out.Intact {
		err = fault.New(fault.Conflict, "The answer is not intact: %d findings.", len(out.Findings))
	}
	return err
}

func (r *replayCmd) replay(ctx context.Context, c *console) (*ops.Replay, error) {
	if r.Body == "" {
		return do(ctx, c, r.BrainID, ops.ReplayAnswer, ops.AnswerIDIn{ID: r.ID})
	}
	b, err := c.fileOrStdin(r.Body)
	if err != nil {
		return nil, err
	}
	return do(ctx, c, r.BrainID, ops.ProveAnswer, ops.ProveIn{ID: r.ID, Body: string(b)})
}

type evalCmd struct {
	Golden    evalGoldenCmd    `cmd:"" help:"Ask the brain's golden questions of the draft, beside the published version. Exits 1 where an answer lacks a citation that it must have. Example: bb eval golden --brain-id calliope"`
	Retrieval evalRetrievalCmd `cmd:"" help:"Measure retrieval. Example: bb eval retrieval DIR --json"`
	Sentences evalSentencesCmd `cmd:"" help:"Measure how well the sentence is chosen that carries a claim. Example: bb eval sentences FILE --json"`
	Verify    evalVerifyCmd    `cmd:"" help:"Measure how claims are told apart that their evidence supports and that it does not. Example: bb eval verify FILE --json"`
}

type evalVerifyCmd struct {
	File string `arg:"" help:"JSON lines with claim, evidence and label (supported, or anything else); context and kind may be there."`
}

// Run holds every claim against its evidence and prints the measures. It needs
// no database.
func (e *evalVerifyCmd) Run(c *console) error {
	v, err := bench.Verification(e.File)
	if err != nil {
		return err
	}
	return c.print(v, func(w io.Writer) {
		fmt.Fprintf(w, "%d claims, %d supported: AUC %.3f  F1 %.3f  precision %.3f  recall %.3f\n", v.Claims, v.Supported, v.AUC, v.F1, v.Precision, v.Recall)
		for _, k := range slices.Sorted(maps.Keys(v.ByKind)) {
			fmt.Fprintf(w, "  %-32s %5.1f %% accepted\n", k, 100*v.ByKind[k])
		}
	})
}

type evalSentencesCmd struct {
	File string `arg:"" help:"JSON lines with claim, sentences and gold, the places of the sentences that carry the claim."`
}

// Run chooses for every claim and prints the measures. It needs no database.
func (e *evalSentencesCmd) Run(c *console) error {
	v, _, err := bench.Sentences(e.File, advisor.Rank)
	if err != nil {
		return err
	}
	return c.print(v, func(w io.Writer) {
		fmt.Fprintf(w, "%d claims: hit@1 %.3f  hit@3 %.3f\n", v.Claims, v.Hit1, v.Hit3)
	})
}

type evalGoldenCmd struct{ brainFlag }

// Run asks the questions.
func (g *evalGoldenCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, g.BrainID, ops.RunGolden, ops.None{})
	if err != nil {
		return err
	}
	err = c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "%d golden questions asked of the draft, beside %s: %d changed, %d lack a citation that they must have.\n", out.Asked, sideName(out.Published, "nothing"), out.Changed, out.Failed)
		for _, q := range out.Questions {
			fmt.Fprintf(w, "\n%s  %s\n  %s: %s\n", q.ID, q.Question, q.After, strings.Join(q.Cites, "; "))
			for _, part := range []struct {
				name string
				keys []string
			}{{"appeared", q.Appeared}, {"vanished", q.Vanished}, {"reworded", q.Reworded}, {"missing", q.Missing}} {
				if len(part.keys) > 0 {
					fmt.Fprintf(w, "  %s: %s\n", part.name, strings.Join(part.keys, "; "))
				}
			}
			for _, m := range q.Moved {
				fmt.Fprintf(w, "  moved: %s → %s\n", m.From, m.To)
			}
		}
	})
	if err == nil && out.Failed > 0 {
		err = fault.New(fault.Conflict, "%d of %d answers lack a citation that they must have.", out.Failed, out.Asked)
	}
	return err
}

type evalRetrievalCmd struct {
	Dir string `arg:"" help:"Folder with corpus.jsonl, queries.jsonl and qrels.tsv."`
}

// Run builds the index over the corpus, asks every query and prints the
// measures. It needs no database.
func (e *evalRetrievalCmd) Run(c *console) error {
	r, err := bench.Retrieval(e.Dir)
	if err != nil {
		return err
	}
	return c.print(r, func(w io.Writer) {
		fmt.Fprintf(w, "nDCG@10 %.3f  recall@10 %.3f  @20 %.3f  @100 %.3f  MAP@10 %.3f\n", r.NDCG10, r.Recall10, r.Recall20, r.Recall100, r.MAP10)
		fmt.Fprintf(w, "p50 %.3f ms  p99 %.3f ms  build %.0f ms  index %.1f MB\n", r.P50ms, r.P99ms, r.BuildMs, float64(r.IndexBytes)/1e6)
	})
}
