package advisor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"polaris/advisor/cite"
	"polaris/advisor/ingest"
	"polaris/models"
)

// A choice is a question, the provision that answers it, and words that the
// answer must say. Where no key is wanted, the question is to be declined.
type choice struct {
	question, corpus, key, says string
	topics                      []string
}

// choices reads the set by which the choice of sentences is judged.
func choices(t *testing.T) (out []choice) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "choice.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(data)) {
		l = strings.TrimRight(l, "\r\n")
		if l == "" || l[0] == '#' {
			continue
		}
		f := strings.Split(l, "\t")
		if len(f) < 4 {
			t.Fatalf("choice.tsv: %q has %d fields, want 4 or 5", l, len(f))
		}
		c := choice{question: f[0], corpus: f[1], key: f[2], says: f[3]}
		if len(f) > 4 {
			c.topics = strings.Fields(f[4])
		}
		out = append(out, c)
	}
	return out
}

// house holds the documents of the demo that the set was written for, as
// `bb serve --demo` imports them.
var house = []struct{ name, title, code string }{
	{"handbook.md", "Lending Handbook", "HB"},
	{"scoring.md", "Scoring Policy", "SCORE"},
	{"complaints.md", "Complaints Procedure", "CP"},
	{"fees.md", "Schedule of Fees", "FEES"},
	{"records.md", "Records and Retention", "REC"},
	{"vulnerable.md", "Customers in Vulnerable Circumstances", "VC"},
	{"glossary.md", "Glossary", "GL"},
}

// houseEngine returns the engine of the demo's documents, or of one of them.
func houseEngine(t *testing.T, corpus string) (*Engine, *models.Corpus) {
	t.Helper()
	dir := filepath.Join("..", "cmd", "bb", "demo")
	c := &models.Corpus{Brain: "calliope", Version: 1}
	for _, h := range house {
		if corpus != "demo" && corpus != h.name {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, h.name))
		if err != nil {
			t.Fatal(err)
		}
		d, err := ingest.Parse(data, ingest.Options{Name: h.name, Title: h.title, Code: h.code})
		if err != nil {
			t.Fatal(err)
		}
		id := "src_" + h.code
		c.Docs = append(c.Docs, models.Doc{
			Source:   models.Source{ID: id, Code: h.code, Title: h.title, Head: 1},
			Revision: models.Revision{SourceID: id, N: 1, Text: d.Text, Language: d.Language, Title: d.Title},
			Passages: d.Passages, Terms: d.Terms, Refs: d.Refs,
		})
	}
	if len(c.Docs) == 0 {
		t.Fatalf("choice.tsv: there is no corpus %s", corpus)
	}
	if corpus == "demo" {
		data, err := os.ReadFile(filepath.Join(dir, "cards.json"))
		if err == nil {
			err = json.Unmarshal(data, &c.Cards)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	e, err := Build(c, Config{})
	if err != nil {
		t.Fatal(err)
	}
	return e, c
}

// A tally counts what holds of the questions of one half of the set.
type tally struct{ asked, cited, said, first, toDecline, declined int }

// Whether the answer stands on the right provision and says the words that
// matter. The odd questions are tuned on, the even ones held out. The shares
// are floors against regressions; the numbers are in the log.
func TestChoice(t *testing.T) {
	t.Parallel()
	engines := map[string]*Engine{}
	corpora := map[string]*models.Corpus{}
	var halves [2]tally
	for i, c := range choices(t) {
		if engines[c.corpus] == nil {
			if c.corpus == "regs" {
				engines[c.corpus], corpora[c.corpus] = lawyer(t)
			} else {
				engines[c.corpus], corpora[c.corpus] = houseEngine(t, c.corpus)
			}
		}
		env := engines[c.corpus].Answer(t.Context(), Question{Text: c.question, TopicIDs: c.topics})
		checkEnvelope(t, corpora[c.corpus], env)
		if failed := halves[i%2].add(t, c, env); failed != "" && (i%2 == 0 || os.Getenv("CHOICE_HELD_OUT") != "") {
			t.Logf("row %d: %s (%s): not %s; cites %q, says %.300q", i+1, c.question, c.corpus, failed, keys(env), env.Result)
		}
	}
	least := [2]tally{{cited: 33, said: 34, first: 31, declined: 7}, {cited: 31, said: 31, first: 29, declined: 6}}
	for i, half := range []string{"tuned on", "held out"} {
		h := halves[i]
		t.Logf("%s: of %d answerable: cited %d, said %d, first %d; of %d others: declined %d",
			half, h.asked, h.cited, h.said, h.first, h.toDecline, h.declined)
		if l := least[i]; h.cited < l.cited || h.said < l.said || h.first < l.first || h.declined < l.declined {
			t.Errorf("%s: %+v, want at least %+v", half, h, l)
		}
	}
}

// add counts an answer, and returns what does not hold of it.
func (h *tally) add(t *testing.T, c choice, env *models.Envelope) string {
	t.Helper()
	if c.key == "-" {
		h.toDecline++
		if env.Guardrail.Status != models.GuardrailDisclaim {
			return "declined"
		}
		h.declined++
		return ""
	}
	var failed []string
	count := func(n *int, ok bool, what string) {
		if ok {
			*n++
		} else {
			failed = append(failed, what)
		}
	}
	h.asked++
	cited := keys(env)
	is := func(key string) bool { return sameProvision(t, key, c.key) }
	count(&h.cited, slices.ContainsFunc(cited, is), "cited")
	count(&h.said, strings.Contains(squeeze(env.Result), c.says), "said")
	count(&h.first, len(cited) > 0 && is(cited[0]), "first")
	return strings.Join(failed, ", ")
}

// sameProvision reports whether one of two keys names the other, or a part of
// it.
func sameProvision(t *testing.T, key, want string) bool {
	t.Helper()
	if key == want {
		return true
	}
	k, err := cite.Parse(key)
	w, werr := cite.Parse(want)
	if err != nil || werr != nil {
		t.Fatalf("%s, %s: %v, %v", key, want, err, werr)
	}
	return k.Contains(w) || w.Contains(k)
}

// Every row of the set names a provision that is there and quotes it.
func TestChoicesAreInTheTexts(t *testing.T) {
	t.Parallel()
	corpora := map[string]*models.Corpus{}
	for i, c := range choices(t) {
		if c.key == "-" {
			continue
		}
		if corpora[c.corpus] == nil {
			if c.corpus == "regs" {
				_, corpora[c.corpus] = lawyer(t)
			} else {
				_, corpora[c.corpus] = houseEngine(t, c.corpus)
			}
		}
		if text := provision(t, corpora[c.corpus], c.key); c.says == "" || !strings.Contains(squeeze(text), c.says) {
			t.Errorf("row %d: %s does not say %q", i+1, c.key, c.says)
		}
	}
}
