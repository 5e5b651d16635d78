package mcp_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"polaris/advisor/bench"
	"polaris/cmd/bb/demo"
	"polaris/internal/testdata"
	"polaris/internal/wiretest"
	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// bigBrain publishes the 13,012 passages of the set obliqa in the world's first
// brain, with as many topic cards as the demo has, and returns a hundred
// questions to it.
func bigBrain(b *testing.B, w *wiretest.World) []string {
	set, err := bench.Load(filepath.Join(testdata.Dir(b), "bench", "obliqa"))
	if err != nil {
		b.Fatal(err)
	}
	doc := document(set)
	by := models.Principal{Kind: models.KindSystem, Actor: "benchmark"}
	err = w.Desk.Store.InBrain(b.Context(), demo.Brain, func(tx *store.Tx) error {
		if err := tx.SaveSource(&doc.Source); err != nil {
			return err
		}
		return tx.InsertRevision(doc, []byte(doc.Revision.Text))
	})
	call := ops.Call{By: by, Brain: demo.Brain, Via: ops.CLI}
	for i, c := range demo.Cards() {
		if err == nil {
			anchors := []string{doc.Passages[100*i].Key, doc.Passages[100*i+1].Key}
			_, err = ops.Do(b.Context(), w.Desk, call, ops.SaveCard, ops.SaveCardIn{ID: c.ID, Label: c.Label, Covers: c.Covers, Anchors: anchors})
		}
	}
	if err == nil {
		_, err = ops.Do(b.Context(), w.Desk, call, ops.PublishVersion, ops.PublishIn{})
	}
	if err != nil {
		b.Fatal(err)
	}
	var questions []string
	for i := range 100 {
		questions = append(questions, set.Queries[i*len(set.Queries)/100].Text)
	}
	return questions
}

// document makes one document of a retrieval set, each text a passage with its
// title as locator.
func document(set *bench.Set) *models.Doc {
	now := time.Now().UTC()
	d := &models.Doc{Source: models.Source{ID: "src_bench", Code: "SET", Title: "Rulebooks", Head: 1, CreatedAt: now, CreatedBy: "benchmark"}}
	var text strings.Builder
	for i, t := range set.Docs {
		start := text.Len()
		text.WriteString(t.Text)
		d.Passages = append(d.Passages, models.Passage{
			Ordinal: i, Parent: -1, Kind: models.Paragraph, Key: fmt.Sprintf("SET ¶%d", i+1), Locator: t.Title,
			Heading: []string{t.Title}, Start: start, End: text.Len(), SpanEnd: text.Len(),
		})
		text.WriteString("\n\n")
	}
	sum := sha256.Sum256([]byte(text.String()))
	d.Revision = models.Revision{
		SourceID: d.Source.ID, N: 1, SHA256: sum[:], MediaType: "text/plain", Language: "en", Title: d.Source.Title, Name: "rulebooks.txt",
		Text: text.String(), Warnings: []string{}, CreatedAt: now, CreatedBy: "benchmark",
	}
	return d
}
