package ops_test

import (
	"slices"
	"testing"
	"time"

	"polaris/models/store"
	"polaris/ops"
)

// An answer is found again by the words of its question, its time, the key that
// asked and the source that it cites.
func TestAnswersAreFound(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	hr := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "pets.md", Code: "PETS", Data: []byte("# Pets\n\nCats sleep sixteen hours a day.\n")})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	_, one := keyOf(t, d, c)
	_, two := keyOf(t, d, c)
	fee := must(t, d, ops.Call{By: one, Brain: "calliope", Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "How much is the Late Fee?"})
	cats := must(t, d, ops.Call{By: two, Brain: "calliope", Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "How long do cats sleep a day?"})
	if len(fee.Citations) == 0 || len(cats.Citations) == 0 {
		t.Fatalf("nothing is cited: %+v, %+v", fee, cats)
	}
	tomorrow := time.Now().AddDate(0, 0, 1).Format(time.RFC3339)
	for name, q := range map[string]struct {
		in   ops.AnswersIn
		want []string
	}{
		"all":              {ops.AnswersIn{}, []string{cats.AnswerID, fee.AnswerID}},
		"text":             {ops.AnswersIn{Text: "late fee"}, []string{fee.AnswerID}},
		"text of patterns": {ops.AnswersIn{Text: "%"}, []string{}},
		"key":              {ops.AnswersIn{KeyID: two.KeyID}, []string{cats.AnswerID}},
		"source by code":   {ops.AnswersIn{Source: "HR"}, []string{fee.AnswerID}},
		"source by id":     {ops.AnswersIn{Source: hr.SourceID}, []string{fee.AnswerID}},
		"from":             {ops.AnswersIn{From: tomorrow}, []string{}},
		"to":               {ops.AnswersIn{To: tomorrow, Text: "CATS"}, []string{cats.AnswerID}},
	} {
		got := []string{}
		for _, a := range must(t, d, c, ops.ListAnswers, q.in).Answers {
			got = append(got, a.ID)
		}
		if !slices.Equal(got, q.want) {
			t.Errorf("%s: %v, want %v", name, got, q.want)
		}
	}
	_, err := ops.Do(t.Context(), d, c, ops.ListAnswers, ops.AnswersIn{Source: "NONE"})
	refusedAs(t, "a source that never was", err, "no_such_source")
	if _, err := ops.Do(t.Context(), d, c, ops.ListAnswers, ops.AnswersIn{From: "soon"}); err == nil {
		t.Error("from soon is taken")
	}
}
