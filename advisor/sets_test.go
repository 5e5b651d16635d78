package advisor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"polaris/advisor/bench"
	"polaris/advisor/ingest"
	"polaris/internal/testdata"
	"polaris/models"
)

// rows reads a set of questions: one a line, its fields parted by tabs.
func rows(t *testing.T, name string, least int) (out [][]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(data)) {
		l = strings.TrimRight(l, "\r\n")
		if l == "" || l[0] == '#' {
			continue
		}
		f := strings.Split(l, "\t")
		if len(f) < least {
			t.Fatalf("%s: %q has %d fields, want %d", name, l, len(f), least)
		}
		out = append(out, f)
	}
	return out
}

// written makes the engine of texts that a test writes down, in Markdown.
func written(t *testing.T, texts ...string) (*Engine, *models.Corpus) {
	t.Helper()
	c := &models.Corpus{Brain: "own", Version: 1}
	for i, text := range texts {
		code := string(rune('A' + i))
		d, err := ingest.Parse([]byte(text), ingest.Options{Name: code + ".md", Code: code})
		if err != nil {
			t.Fatal(err)
		}
		c.Docs = append(c.Docs, models.Doc{
			Source:   models.Source{ID: "src_" + code, Code: code, Title: d.Title, Head: 1},
			Revision: models.Revision{SourceID: "src_" + code, N: 1, Text: d.Text, Language: d.Language, Title: d.Title},
			Passages: d.Passages, Terms: d.Terms,
		})
	}
	e, err := Build(c, Config{})
	if err != nil {
		t.Fatal(err)
	}
	return e, c
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// corpora makes each corpus that the sets name once.
type corpora map[string]func(*testing.T) (*Engine, *models.Corpus)

func (c corpora) of(t *testing.T, name string) (*Engine, *models.Corpus) {
	t.Helper()
	if _, ok := c[name]; !ok {
		var e *Engine
		var m *models.Corpus
		switch name {
		case "regs":
			e, m = lawyer(t)
		case "rules":
			e, m = written(t, read(t, "shapes", "library.md"))
		case "library":
			e, m = written(t, read(t, "shapes", "library.md"), read(t, "shapes", "desk.md"))
		default:
			e, m = houseEngine(t, name)
		}
		c[name] = func(*testing.T) (*Engine, *models.Corpus) { return e, m }
	}
	return c[name](t)
}

// verbose logs the rows that are held out as well. They are for measuring.
func verbose(i int) bool { return i%2 == 0 || os.Getenv("CHOICE_HELD_OUT") != "" }

// What a corpus does not say is not answered, however near the question comes;
// what it says is.
func TestNearMisses(t *testing.T) {
	t.Parallel()
	all := corpora{}
	share := func(name string) (passed, total [2]int) {
		for i, f := range rows(t, name, 2) {
			e, c := all.of(t, f[1])
			env := e.Answer(t.Context(), Question{Text: f[0]})
			checkEnvelope(t, c, env)
			pass := env.Guardrail.Status == models.GuardrailPass
			total[i%2]++
			if pass {
				passed[i%2]++
			}
			if pass != (len(f) > 2) && verbose(i) {
				t.Logf("%s: %s (%s): %s %.200q", name, f[0], f[1], env.Guardrail.Status, env.Result)
			}
		}
		t.Logf("%s: answered %v of %v (tuned on, held out)", name, passed, total)
		return passed, total
	}
	if p, n := share("nearmiss.tsv"); p[0]+p[1] > (n[0]+n[1])*15/100 {
		t.Errorf("answered %v of %v near misses", p, n)
	}
	p, n := share("ontopic.tsv")
	e, c := lawyer(t)
	pa, na := halves(t, e, c, questions(t, "answerable.tsv"), true)
	answered, asked := p[0]+p[1]+pa[0]+pa[1], n[0]+n[1]+na[0]+na[1]
	t.Logf("answerable, both sets: answered %d of %d", answered, asked)
	if answered < asked*90/100 {
		t.Errorf("answered %d of %d questions that the corpora answer", answered, asked)
	}
}

// What everybody knows is nothing to an answer: it follows the document, or
// there is none.
func TestFollowsTheSourceAgainstCommonKnowledge(t *testing.T) {
	t.Parallel()
	docs := strings.Split("\n"+read(t, "counterfactual.txt"), "\n= ")[1:]
	if len(docs) != 30 {
		t.Fatalf("%d documents", len(docs))
	}
	asked, followed, refused := 0, 0, 0
	for _, d := range docs {
		text, questions, _ := strings.Cut(d, "\n? ")
		e, c := written(t, "# "+strings.Replace(text, "\n", "\n\n", 1))
		for q := range strings.SplitSeq(questions, "\n? ") {
			q, says, _ := strings.Cut(strings.TrimSpace(q), " => ")
			env := e.Answer(t.Context(), Question{Text: q})
			checkEnvelope(t, c, env)
			asked++
			switch {
			case env.Guardrail.Status != models.GuardrailPass:
				if refused++; says != "-" {
					t.Logf("refused: %s", q)
				}
			case says != "-" && strings.Contains(env.Result, says):
				followed++
			default:
				t.Errorf("%s: want %q, got %q", q, says, env.Result)
			}
		}
	}
	t.Logf("%d questions: %d follow the source, %d refused", asked, followed, refused)
}

// An answer has the shape that its question asks for.
func TestShapes(t *testing.T) {
	t.Parallel()
	all := corpora{}
	right := 0
	set := rows(t, "shapes.tsv", 4)
	for i, f := range set {
		e, c := all.of(t, f[1])
		env := e.Answer(t.Context(), Question{Text: f[0]})
		checkEnvelope(t, c, env)
		if failed := misshapen(env, f[2], strings.Split(f[3], "¦")); failed != "" {
			t.Logf("row %d: %s (%s, %s): %s\n%s", i+1, f[0], f[1], f[2], failed, env.Rendered)
			continue
		}
		right++
	}
	t.Logf("%d of %d have the shape", right, len(set))
	if right < len(set)*9/10 {
		t.Errorf("%d of %d", right, len(set))
	}
}

// misshapen says what an answer lacks of a shape.
func misshapen(env *models.Envelope, shape string, says []string) string {
	if env.Guardrail.Status != models.GuardrailPass {
		return "declined"
	}
	first, _, _ := strings.Cut(env.Result, " [")
	rest := env.Result
	for i, s := range says {
		if no, ok := strings.CutPrefix(s, "!"); ok {
			if strings.Contains(env.Result, no) {
				return "says " + no
			}
			continue
		}
		if i == 0 && !strings.Contains(first, s) {
			return "does not begin with " + s
		}
		at := strings.Index(rest, s)
		if shape == "disagree" {
			if !strings.Contains(env.Result, s) {
				return "lacks " + s
			}
			continue
		}
		if at < 0 {
			return "lacks " + s
		}
		rest = rest[at:]
	}
	disagree := strings.Contains(env.Rendered, "sources_disagree")
	if disagree != (shape == "disagree") {
		return "reports a contradiction that is none, or none"
	}
	return ""
}

// benchQuestions returns the first questions of a retrieval set.
func benchQuestions(t *testing.T, set string, most int) (out []string) {
	t.Helper()
	s, err := bench.Load(filepath.Join(testdata.Dir(t), "bench", set))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range s.Queries[:min(most, len(s.Queries))] {
		out = append(out, q.Text)
	}
	return out
}
