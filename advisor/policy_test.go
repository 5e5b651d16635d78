package advisor

import (
	"strings"
	"testing"

	"polaris/models"
)

// refusedForTest is what a house like those of the test corpora may refuse.
var refusedForTest = []models.RefusedTopic{
	{Label: "Legal advice on a case of one's own", Phrases: []string{"give me legal advice", "legal advice about my", "sue the bank", "my own case"}},
	{Label: "Staff pay", Phrases: []string{"salary of staff", "employees' salaries", "executive bonuses"}},
	{Label: "Investments", Phrases: []string{"which shares to buy", "stock tips", "crypto investment"}},
	{Label: "Medical matters", Phrases: []string{"medical diagnosis", "drug dosage"}},
}

// A question is refused where it has the words of a phrase, in order and close
// together, however they are inflected, and not where it merely has some.
func TestRefusedTopics(t *testing.T) {
	t.Parallel()
	e := handbookEngine(t)
	for q, label := range map[string]string{
		"Can you give me legal advice about my loan?":           "Legal advice",
		"Please give me some LEGAL advice.":                     "Legal advice",
		"Should I sue the bank over this?":                      "Legal advice",
		"What about my own cases?":                              "Legal advice",
		"What are the salaries of the staff?":                   "Staff pay",
		"How high are executive bonuses this year?":             "Staff pay",
		"Which share should I buy?":                             "Investments",
		"Is a crypto investment safe?":                          "Investments",
		"What dosage of this drug is safe?":                     "", // the other order
		"Give a diagnosis that is medical":                      "",
		"Must the letter advise of legal rights?":               "",
		"Which applicants may buy or share?":                    "",
		"Do staff record the salary of the applicant?":          "",
		"Who owns the shares, and which branch lets people buy": "",
		"Who advises the legal team?":                           "",
		"Is income from investments counted?":                   "",
		"Which drug dosages are safe?":                          "Medical matters",
		"drug of a kind that nobody ever had to give a dosage":  "", // too far apart
	} {
		env := e.Answer(t.Context(), Question{Text: q, Blocked: refusedForTest})
		blocked := env.Guardrail.Status == models.GuardrailBlock
		if blocked != (label != "") {
			t.Errorf("%q: %+v", q, env.Guardrail)
			continue
		}
		if !blocked {
			continue
		}
		got := e.Retrieve(t.Context(), Question{Text: q, Blocked: refusedForTest})
		if !strings.Contains(env.Result, label) || strings.Count(env.Result, ".") != 1 || len(env.Citations)+len(got.Citations) != 0 || env.Confidence != 0 || env.BrainVersion != e.Version() ||
			got.Guardrail.Status != models.GuardrailBlock || got.Result != "" || len(got.Guardrail.Reasons) != 1 || got.Guardrail.Reasons[0] != "refused_topic" || !strings.Contains(got.Rendered, "does not answer") {
			t.Errorf("%q: %+v, %+v", q, env, got)
		}
	}
	env := e.Answer(t.Context(), Question{Text: "And what of that?", Earlier: []string{"Can you give me legal advice on denials?"}, Blocked: refusedForTest})
	if env.Guardrail.Status != models.GuardrailBlock {
		t.Errorf("in a conversation: %+v", env)
	}
	if env := NoVersion(Question{Text: "Give me legal advice.", Blocked: refusedForTest}); env.Guardrail.Status != models.GuardrailBlock {
		t.Errorf("with nothing published: %+v", env)
	}
}

// None of the questions that the corpora answer is about what such a house
// refuses.
func TestRefusesNothingElse(t *testing.T) {
	t.Parallel()
	var all []string
	for _, name := range []string{"answerable.tsv", "ontopic.tsv", "shapes.tsv", "choice.tsv", "nearmiss.tsv"} {
		all = append(all, questions(t, name)...)
	}
	if len(all) < 200 {
		t.Fatalf("only %d questions", len(all))
	}
	for _, text := range all {
		if topic := (&Question{Text: text, Blocked: refusedForTest}).Refused(); topic != nil {
			t.Errorf("%q is refused as %s", text, topic.Label)
		}
	}
}

// What falls below the threshold of a brain is not said as verified.
func TestThresholdOfTheBrain(t *testing.T) {
	t.Parallel()
	e, c := written(t, "# Rules\n\n## 1 Fees\n\n(a) The late fee is 12 euros.\n")
	for _, at := range []float64{0, 0.5, 1} {
		env := e.Answer(t.Context(), Question{Text: "How much is the late fee?", Threshold: at})
		checkEnvelope(t, c, env)
		if env.Guardrail.Status != models.GuardrailPass || !env.Citations[0].Verified {
			t.Errorf("at %g: %+v", at, env)
		}
	}
	granted := draft{lexical: 0.4, granted: true}
	alike := draft{lexical: 0.85}
	for _, c := range []struct {
		d         draft
		heard     bool
		threshold float64
		method    string
	}{
		{granted, true, 0.8, models.VerifiedEntailment},
		{granted, true, 0.9, models.Unverified},
		{alike, false, 0.8, models.VerifiedFallback},
		{alike, false, 0.9, models.Unverified},
		{draft{lexical: 0.6}, false, 0.5, models.VerifiedFallback},
		{draft{lexical: 1}, false, 1, models.VerifiedLexical},
	} {
		if v := c.d.verdict(c.heard, c.threshold); v.Method != c.method {
			t.Errorf("%+v at %g: %+v", c.d, c.threshold, v)
		}
	}
}

func BenchmarkRefused(b *testing.B) {
	var most []models.RefusedTopic
	for range 50 {
		most = append(most, models.RefusedTopic{Label: "x", Phrases: []string{"salary of the employees", "executive bonuses", "legal advice", "crypto investment"}})
	}
	q := Question{Text: "How long must a creditor keep records of credit applications?", Blocked: most}
	for b.Loop() {
		if q.Refused() != nil {
			b.Fatal("refused")
		}
	}
}
