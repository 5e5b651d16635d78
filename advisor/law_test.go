package advisor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"polaris/internal/testdata"
	"polaris/models"
)

var plainKey = regexp.MustCompile(`^12 CFR 1002\.\d+(\([A-Za-z0-9]+\))*$`)

// plainKeys returns the keys of the paragraphs of Regulation B that have text,
// without comments and appendices, and a piece of that text.
func plainKeys(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(testdata.Dir(t), "regs", "reg-b-12cfr1002.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]string{}
	for d := json.NewDecoder(f); d.More(); {
		var r struct{ Key, Text string }
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if plainKey.MatchString(r.Key) && r.Text != "" {
			out[r.Key] = r.Text
		}
	}
	return out
}

func TestEveryKeyIsAtRankOne(t *testing.T) {
	t.Parallel()
	e, c := lawyer(t)
	all := plainKeys(t)
	if len(all) != 279 {
		t.Fatalf("%d plain keys, want 279", len(all))
	}
	for key, text := range all {
		number := strings.TrimPrefix(key, "12 CFR ")
		for _, q := range []string{key, "§ " + number, number, "What does " + key + " require of a lender?", "Explain § " + number + " to me", "is it in " + number + "?"} {
			env := e.Retrieve(t.Context(), Question{Text: q})
			checkEnvelope(t, c, env)
			if len(env.Citations) == 0 || env.Citations[0].Key != key || env.Citations[0].Why != "key" {
				t.Errorf("%q leads to %q", q, keys(env))
				continue
			}
			if !strings.Contains(squeeze(env.Citations[0].Quote), squeeze(text)) {
				t.Errorf("%q quotes %q, want %q", q, env.Citations[0].Quote, text)
			}
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestOtherKeysAreAtRankOne(t *testing.T) {
	t.Parallel()
	e, c := lawyer(t)
	for q, want := range map[string]string{
		"comment 9(a)(1)-1":                          "12 CFR 1002 comment 9(a)(1)-1",
		"What does comment 9(a)(1)-1 say?":           "12 CFR 1002 comment 9(a)(1)-1",
		"appendix C":                                 "12 CFR 1002 appendix C",
		"Show me Appendix C of Regulation B":         "12 CFR 1002 appendix C",
		"15 U.S.C. § 1681m(a)":                       "15 U.S.C. 1681m(a)",
		"15 USC 1681m(a)":                            "15 U.S.C. 1681m(a)",
		"section 1681m(a) of title 15":               "15 U.S.C. 1681m(a)",
		"What do we owe under 15 U.S.C. 1681m(a)?":   "15 U.S.C. 1681m(a)",
		"FCRA 1681m(a)":                              "15 U.S.C. 1681m(a)",
		"12 CFR 1002.9 and 15 U.S.C. 1681c-1 please": "12 CFR 1002.9",
	} {
		env := e.Retrieve(t.Context(), Question{Text: q})
		checkEnvelope(t, c, env)
		if len(env.Citations) == 0 || env.Citations[0].Key != want {
			t.Errorf("%q leads to %q, want %q", q, keys(env), want)
		}
		checkEnvelope(t, c, e.Answer(t.Context(), Question{Text: q}))
	}
	two := keys(e.Retrieve(t.Context(), Question{Text: "12 CFR 1002.9 and 15 U.S.C. 1681c-1 please"}))
	if len(two) < 2 || two[1] != "15 U.S.C. 1681c-1" {
		t.Errorf("two keys lead to %q", two)
	}
}

func TestKeysThatAreNotThere(t *testing.T) {
	t.Parallel()
	e, _ := lawyer(t)
	for _, q := range []string{"What does 12 CFR 1026.4 say?", "12 CFR 1002.99", "12 CFR 1002.90(a)", "Explain 15 U.S.C. 1693"} {
		env := e.Answer(t.Context(), Question{Text: q})
		if env.Guardrail.Status != models.GuardrailDisclaim || len(env.Citations) > 0 || !strings.Contains(strings.Join(env.Notices, "\n"), "The sources have no ") {
			t.Errorf("%q: %v, notices %q, citations %q", q, env.Guardrail, env.Notices, keys(env))
		}
	}
}

const declinedQuestion = "We declined an applicant because their credit score was below our threshold. " +
	"What notices do we owe, and how specific must the reasons be?"

// The reference's question: with its card, both provisions are cited verbatim
// and whole, whatever the words find besides.
func TestDeclinedApplicant(t *testing.T) {
	t.Parallel()
	e, c := lawyer(t)
	q := Question{Text: declinedQuestion, TopicIDs: []string{"denying-an-application-the-notices-we-owe"}}
	for name, env := range map[string]*models.Envelope{"answer": e.Answer(t.Context(), q), "retrieve": e.Retrieve(t.Context(), q)} {
		checkEnvelope(t, c, env)
		for i, key := range []string{"12 CFR 1002.9", "15 U.S.C. 1681m(a)"} {
			whole := provision(t, c, key)
			if len(env.Citations) <= i || env.Citations[i].Key != key || env.Citations[i].Quote != whole {
				t.Fatalf("%s: citation %d is not the whole of %s: %q", name, i+1, key, keys(env))
			}
			if !strings.Contains(env.Rendered, strings.Split(whole, "\n")[0]) {
				t.Errorf("%s: the text lacks %s", name, key)
			}
		}
		if env.Guardrail.Status != models.GuardrailPass {
			t.Errorf("%s: %+v", name, env.Guardrail)
		}
	}
	a := e.Answer(t.Context(), q)
	for _, n := range []string{" [1]", " [2]"} {
		if !strings.Contains(a.Result, n) {
			t.Errorf("nothing in the answer stands on%s:\n%s", n, a.Result)
		}
	}
}

// provision returns the text of a provision with all that is below it.
func provision(t *testing.T, c *models.Corpus, key string) string {
	t.Helper()
	for _, d := range c.Docs {
		for _, p := range d.Passages {
			if p.Key == key {
				return strings.TrimSpace(d.Revision.Text[p.Start:p.SpanEnd])
			}
		}
	}
	t.Fatalf("the corpus has no %s", key)
	return ""
}

func TestAnchorsThatTheCorpusLacks(t *testing.T) {
	t.Parallel()
	e, _ := lawyer(t)
	topics := e.Topics()
	if topics[0].UnsupportableAnchors != 0 || topics[1].UnsupportableAnchors != 2 {
		t.Errorf("unsupportable: %d and %d, want 0 and 2", topics[0].UnsupportableAnchors, topics[1].UnsupportableAnchors)
	}
	env := e.Answer(t.Context(), Question{Text: "May a creditor discourage applicants?", TopicIDs: []string{"half"}})
	if !slices.Contains(keys(env), "12 CFR 1002.4(b)") || len(env.Notices) != 2 {
		t.Errorf("citations %q, notices %q", keys(env), env.Notices)
	}
}

// Large provisions and many of them stay within the bounds of an envelope.
func TestEnvelopesAreBounded(t *testing.T) {
	t.Parallel()
	e, c := lawyer(t)
	for _, q := range []string{
		"15 U.S.C. 1681b", "15 U.S.C. 1681s-2, 15 U.S.C. 1681b, 15 U.S.C. 1681c-1 and 15 U.S.C. 1681a",
		"12 CFR 1002", "12 CFR 1002 supplement I", "appendix B", "12 CFR 1002.2, 1002.3, 1002.4, 1002.5, 1002.6, 1002.7, 1002.8, 1002.9, 1002.10, 1002.11, 1002.12, 1002.13, 1002.14, 1002.15 and 1002.16",
		strings.Repeat("credit report notice <>&\" ", 320),
	} {
		for _, env := range []*models.Envelope{e.Answer(t.Context(), Question{Text: q}), e.Retrieve(t.Context(), Question{Text: q})} {
			checkEnvelope(t, c, env)
			t.Logf("%.40q: %d citations, rendered %d, whole %d, %d notices", q, len(env.Citations), len(env.Rendered), len(marshal(t, env)), len(env.Notices))
		}
	}
}
