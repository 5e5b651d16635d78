package advisor

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"polaris/models"
)

// checkEnvelope holds an envelope against what every envelope promises.
func checkEnvelope(t testing.TB, c *models.Corpus, env *models.Envelope) {
	t.Helper()
	texts := map[string]string{}
	for _, d := range c.Docs {
		texts[d.Source.ID] = d.Revision.Text
	}
	for i, cit := range env.Citations {
		p := cit.Provenance
		if got := texts[p.SourceDocPK][p.Start:p.End]; got != cit.Quote || got == "" {
			t.Errorf("%q: quote %d is %q, the source has %q", env.Query, cit.N, cit.Quote, got)
		}
		if cit.N != i+1 {
			t.Errorf("%q: citation %d is numbered %d", env.Query, i+1, cit.N)
		}
		if cit.Score < 0 || cit.Score > 1 || cit.Why == "" {
			t.Errorf("%q: citation %d: score %g, why %q", env.Query, cit.N, cit.Score, cit.Why)
		}
	}
	checkResult(t, env)
	if env.Guardrail.Reasons == nil || env.Citations == nil {
		t.Errorf("%q: a list is null", env.Query)
	}
	if env.Confidence < 0 || env.Confidence > 1 {
		t.Errorf("%q: confidence %g", env.Query, env.Confidence)
	}
	if n := len(env.Rendered); n > 30_000 {
		t.Errorf("%q: rendered has %d bytes", env.Query, n)
	}
	body, err := json.Marshal(env)
	if err != nil || len(body) > 100_000 {
		t.Errorf("%q: envelope has %d bytes, error %v", env.Query, len(body), err)
	}
	if env.Guardrail.Status != models.GuardrailPass && (len(env.Citations) > 0 || len(env.Guardrail.Reasons) == 0) {
		t.Errorf("%q: %v with %d citations", env.Query, env.Guardrail, len(env.Citations))
	}
}

var mark = regexp.MustCompile(` \[(\d+)\](?:\s|$)`)

// checkResult holds every sentence of the result against the quote that its
// mark names, and every number in the text against the list.
func checkResult(t testing.TB, env *models.Envelope) {
	t.Helper()
	if env.Guardrail.Status != models.GuardrailPass {
		return
	}
	rest := env.Result
	for rest != "" {
		at := mark.FindStringSubmatchIndex(rest)
		if at == nil {
			t.Fatalf("%q: %q stands on nothing", env.Query, rest)
		}
		sentence, n := strings.TrimSpace(rest[:at[0]]), rest[at[2]:at[3]]
		rest = strings.TrimSpace(rest[at[1]:])
		found := false
		for _, c := range env.Citations {
			if n == itoa(c.N) {
				found = strings.Contains(c.Quote, sentence) && c.Verified && c.Verification.Score == 1
			}
		}
		if !found {
			t.Errorf("%q: %q is not verbatim in citation %s", env.Query, sentence, n)
		}
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func keys(env *models.Envelope) (out []string) {
	for _, c := range env.Citations {
		out = append(out, c.Key)
	}
	return out
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	e := handbookEngine(t)
	for _, c := range []struct {
		name    string
		q       Question
		first   string // key of the first citation, "" for none
		says    string // in the result
		reason  string
		notice  string
		used    int
		ignored int
	}{
		{name: "words", q: Question{Text: "How long are application records kept?"}, first: "HB 5.1", says: "Application records are kept for 30 months."},
		{name: "key", q: Question{Text: "What does HB 4.2 say?"}, first: "HB 4.2", says: "(b) the address of the complaints desk."},
		{name: "key of a child", q: Question{Text: "HB-4.2(a)"}, first: "HB 4.2(a)", says: "(a) the principal reasons"},
		{name: "key that is not there", q: Question{Text: "What does HB 9.9 say?"}, reason: noEvidence, notice: "The sources have no HB 9.9."},
		{name: "far from the subject", q: Question{Text: "Who won the football world cup?"}, reason: noEvidence},
		{name: "near in words only", q: Question{Text: "Which company writes the best software for records of tropical birds?"}, reason: weakEvidence},
		{name: "card", q: Question{Text: "We turned someone down. What must the notice say?", TopicIDs: []string{"declines"}}, first: "HB 4.2", says: "The notice of a declined application names:", notice: "The sources have no HB 9.9", used: 1},
		{name: "unknown card", q: Question{Text: "How long are application records kept?", TopicIDs: []string{"gone"}}, first: "HB 5.1", notice: `Topic card "gone"`, ignored: 1},
		{name: "three cards", q: Question{Text: "When is interest credited?", TopicIDs: []string{"savings", "x", "records", "declines"}}, first: "DG 4.3", notice: "at most 2", used: 2, ignored: 2},
		{name: "nothing", q: Question{}, reason: noEvidence},
		{name: "stop words", q: Question{Text: "what is the of and"}, reason: noEvidence},
		{name: "emoji", q: Question{Text: "🦀🦀 👩‍🚀"}, reason: noEvidence},
		{name: "right to left", q: Question{Text: "ما هي مدة حفظ السجلات؟"}, reason: noEvidence},
		{name: "not UTF-8", q: Question{Text: "records \xff\xfe kept 30 months"}, first: "HB 5.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := e.Answer(t.Context(), c.q)
			checkEnvelope(t, handbook(), env)
			first := ""
			if len(env.Citations) > 0 {
				first = env.Citations[0].Key
			}
			if first != c.first {
				t.Errorf("first citation %q, want %q (result %q)", first, c.first, env.Result)
			}
			if !strings.Contains(env.Result, c.says) {
				t.Errorf("result %q lacks %q", env.Result, c.says)
			}
			if got := strings.Join(env.Guardrail.Reasons, ","); c.reason != "" && c.first == "" && got != c.reason {
				t.Errorf("reasons %q, want %q", got, c.reason)
			}
			if !strings.Contains(strings.Join(env.Notices, "\n"), c.notice) {
				t.Errorf("notices %q lack %q", env.Notices, c.notice)
			}
			if len(env.TopicsUsed) != c.used || len(env.TopicsIgnored) != c.ignored {
				t.Errorf("used %q, ignored %q", env.TopicsUsed, env.TopicsIgnored)
			}
			again := e.Answer(t.Context(), c.q)
			if a, b := marshal(t, env), marshal(t, again); a != b {
				t.Errorf("asked twice:\n%s\n%s", a, b)
			}
			checkEnvelope(t, handbook(), e.Retrieve(t.Context(), c.q))
		})
	}
}

func marshal(t testing.TB, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A number that stands in two sources resolves to both, and one that only
// begins alike to neither.
func TestBareKeyNamesAllSources(t *testing.T) {
	t.Parallel()
	e := handbookEngine(t)
	env := e.Retrieve(t.Context(), Question{Text: "§ 4.1"})
	if got := strings.Join(keys(env), " "); got != "HB 4.1 DG 4.1" {
		t.Errorf("§ 4.1 is %q", got)
	}
	for _, k := range keys(e.Retrieve(t.Context(), Question{Text: "HB 4"})) {
		if strings.HasPrefix(k, "HB 40") {
			t.Errorf("HB 4 brought %s", k)
		}
	}
}

func TestRetrieve(t *testing.T) {
	t.Parallel()
	e := handbookEngine(t)
	env := e.Retrieve(t.Context(), Question{Text: "When is interest on a savings certificate credited?", TopicIDs: []string{"records"}})
	if env.Result != "" || len(env.Citations) < 2 {
		t.Fatalf("got %+v", env)
	}
	a, w := env.Citations[0], env.Citations[1]
	if a.Key != "HB 5.1" || a.Why != "anchor of Records" || w.Key != "DG 4.3" || w.Why != "words" {
		t.Errorf("got %s by %q, %s by %q", a.Key, a.Why, w.Key, w.Why)
	}
	if w.Verified || w.Verification.Method != models.Unverified {
		t.Errorf("verification %+v", w.Verification)
	}
}

// Scoping changes nothing but what it adds: an id that no card has leaves the
// answer as it was.
func TestUnknownTopicChangesOnlyNotices(t *testing.T) {
	t.Parallel()
	e := handbookEngine(t)
	plain := e.Answer(t.Context(), Question{Text: "How long are application records kept?"})
	scoped := e.Answer(t.Context(), Question{Text: "How long are application records kept?", TopicIDs: []string{"gone"}})
	scoped.Notices, scoped.Rendered = plain.Notices, plain.Rendered
	if a, b := marshal(t, plain), marshal(t, scoped); a != b {
		t.Errorf("without:\n%s\nwith:\n%s", a, b)
	}
}

func TestTopicsCountWhatIsLacking(t *testing.T) {
	t.Parallel()
	topics := handbookEngine(t).Topics()
	if len(topics) != 3 || topics[0].UnsupportableAnchors != 1 || topics[1].UnsupportableAnchors != 0 {
		t.Errorf("got %+v", topics)
	}
}

func TestFinish(t *testing.T) {
	t.Parallel()
	env := handbookEngine(t).Answer(t.Context(), Question{Text: "How long are application records kept?"})
	Finish(env, Serving{AnswerID: "ans_1", RecordURL: "https://polaris.example/answers/ans_1", At: time.Date(2026, 5, 4, 23, 30, 0, 0, time.FixedZone("", -3600))})
	const last = "\nAnswer ans_1 · version 3 · 2026-05-05 · https://polaris.example/answers/ans_1"
	if !strings.HasSuffix(env.Rendered, last) || env.AsOf != "2026-05-05T00:30:00Z" {
		t.Errorf("as of %s, ends %q", env.AsOf, env.Rendered[max(0, len(env.Rendered)-120):])
	}
}

func TestNoVersion(t *testing.T) {
	t.Parallel()
	env := NoVersion(Question{Text: "Anything?"})
	checkEnvelope(t, &models.Corpus{}, env)
	if env.Guardrail.Status != models.GuardrailDisclaim || env.Guardrail.Reasons[0] != "no_published_version" || env.Result == "" {
		t.Errorf("got %+v", env)
	}
}

func TestRendered(t *testing.T) {
	t.Parallel()
	env := handbookEngine(t).Answer(t.Context(), Question{Text: "HB 4.2"})
	const want = `4.2 The notice of a declined application names:

(a) the principal reasons for the decision, at most four; and

(b) the address of the complaints desk. [1]

## Sources

1. **Lending Handbook** (§ 4.2) — [source](https://lender.example/hb) [wiki: declined application](https://polaris.example/v1/brains/calliope/wiki/declined%20application) [wiki: complaints desk](https://polaris.example/v1/brains/calliope/wiki/complaints%20desk)
   > 4.2 The notice of a declined application names:
   > 
   > (a) the principal reasons for the decision, at most four; and
   > 
   > (b) the address of the complaints desk.

Guardrail: pass · confidence 1`
	if env.Rendered != want {
		t.Errorf("got\n%s\nwant\n%s", env.Rendered, want)
	}
}

func TestCitationsThatAreNotThere(t *testing.T) {
	t.Parallel()
	c := handbook()
	e := handbookEngine(t)
	env := e.Retrieve(t.Context(), Question{Text: "What does 15 U.S.C. 1681 say?"})
	if len(env.Notices) != 1 || !strings.Contains(env.Notices[0], "15 U.S.C. 1681") {
		t.Errorf("one citation: notices %q", env.Notices)
	}
	var many strings.Builder
	for i := range 400 {
		many.WriteString("12 CFR " + itoa(7000+i) + ".1, ")
	}
	env = e.Retrieve(t.Context(), Question{Text: many.String()})
	checkEnvelope(t, c, env)
	if n := len(env.Notices); n != missingMost+1 || env.Notices[n-1] != "The sources lack 376 further citations of the question." {
		t.Errorf("400 citations: %d notices, the last %q", n, env.Notices[max(0, n-1)])
	}
}

// What clean passes through unread is what reading it would give.
func TestCleanIsTheSameUnread(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "a", " a", "a ", "a  b", "a b", "a\tb", "a\nb", "a\x7fb", "é", "~", strings.Repeat("x", 200), strings.Repeat("x", 201), "\xff"} {
		if got, want := clean(s), clean(s+"\u200b"); got != want && len(s) <= 200 || isClean(s) && s != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	if got := clean(strings.Repeat("x", 201)); got != strings.Repeat("x", 200)+"…" {
		t.Errorf("a long line became %q", got)
	}
}
