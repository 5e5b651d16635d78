package main

import (
	"context"
	"fmt"
	"io"

	"polaris/advisor/bench"
	"polaris/models"
	"polaris/ops"
)

type askFlags struct {
	brainFlag
	Question string   `arg:"" help:"The question."`
	Topic    []string `help:"Topic card to scope it to; at most two."`
}

type answerCmd struct{ askFlags }

// Run answers the question.
func (a *answerCmd) Run(ctx context.Context, c *console) error { return a.ask(ctx, c, ops.Answer) }

type findCmd struct{ askFlags }

// Run shows the passages.
func (f *findCmd) Run(ctx context.Context, c *console) error { return f.ask(ctx, c, ops.Retrieve) }

func (a *askFlags) ask(ctx context.Context, c *console, o *ops.Op[ops.AskIn, *models.Envelope]) error {
	out, err := do(ctx, c, a.BrainID, o, ops.AskIn{Query: a.Question, TopicIDs: a.Topic})
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

type evalCmd struct {
	Retrieval evalRetrievalCmd `cmd:"" help:"Measure retrieval. Example: bb eval retrieval DIR --json"`
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
