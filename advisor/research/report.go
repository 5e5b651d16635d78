package research

import (
	"fmt"
	"regexp"
	"strings"

	"polaris/models"
)

// A Said is a sentence of a report and the citation that has it.
type Said struct {
	Text string `json:"text"`
	N    int    `json:"n"`
}

// A Report is what came of a plan.
type Report struct {
	Markdown  string            `json:"markdown"`
	Citations []models.Citation `json:"citations"`
	Said      []Said            `json:"said"`
	Gaps      []string          `json:"gaps,omitempty"`
}

// A writer writes a report and numbers what it cites.
type writer struct {
	strings.Builder
	r       *Report
	numbers map[string]int
}

// Write makes the report of a plan and what was found about its parts.
func Write(p Plan, fs []Finding) *Report {
	w := &writer{r: &Report{Citations: []models.Citation{}}, numbers: map[string]int{}}
	fmt.Fprintf(w, "# %s\n", escaped(p.Question))
	w.short(p, fs)
	if p.Limits {
		w.limits(p, fs)
	}
	for _, f := range fs {
		w.part(p.Parts[f.Part], f)
	}
	w.disputes(fs)
	w.gaps(p, fs)
	w.sources()
	w.r.Markdown = w.String()
	return w.r
}

// cite returns the number of a citation, equal ones sharing one.
func (w *writer) cite(q Quote) int {
	c := q.From
	key := fmt.Sprintf("%s@%d:%d-%d", c.Provenance.SourceDocPK, c.Provenance.Revision, c.Provenance.Start, c.Provenance.End)
	n, ok := w.numbers[key]
	if !ok {
		n = len(w.r.Citations) + 1
		w.numbers[key] = n
		c.N = n
		w.r.Citations = append(w.r.Citations, c)
	}
	w.r.Said = append(w.r.Said, Said{q.Text, n})
	return n
}

// short says what each part comes down to: the first sentence about it.
func (w *writer) short(p Plan, fs []Finding) {
	fmt.Fprint(w, "\n## In short\n\n")
	for _, f := range fs {
		name := escaped(p.Parts[f.Part].Title)
		switch {
		case len(f.Answer) > 0:
			fmt.Fprintf(w, "- **%s:** %s [%d]\n", name, line(f.Answer[0].Text), w.cite(f.Answer[0]))
		case len(f.Evidence) > 0:
			fmt.Fprintf(w, "- **%s:** the sources do not answer this in a sentence; what bears on it is below.\n", name)
		default:
			fmt.Fprintf(w, "- **%s:** the sources say nothing about this.\n", name)
		}
	}
}

// limit is a time or an amount in a text.
var limit = regexp.MustCompile(`(?i)\b(?:within |at least |no (?:later|more|less) than |not (?:later|more) than |at most |up to )?(?:\d[\d,.]*|one|two|three|five|seven|ten|fifteen|thirty|sixty|ninety)[ -](?:business |calendar |working |banking )?(?:minutes?|hours?|days?|weeks?|months?|years?|euros?|dollars?|percent)\b`)

// limits is a table of the times and amounts in what was found.
func (w *writer) limits(p Plan, fs []Finding) {
	var rows []string
	seen := map[string]bool{}
	for _, f := range fs {
		for _, q := range append(f.Answer[:len(f.Answer):len(f.Answer)], f.Evidence...) {
			for _, l := range limit.FindAllString(q.Text, -1) {
				key := p.Parts[f.Part].Title + "\n" + strings.ToLower(l) + "\n" + q.From.Key
				if !seen[key] {
					seen[key] = true
					rows = append(rows, fmt.Sprintf("| %s | %s | %s | [%d] |", cell(p.Parts[f.Part].Title), cell(l), cell(q.From.Key), w.cite(Quote{l, q.From})))
				}
			}
		}
	}
	if len(rows) > 0 {
		fmt.Fprintf(w, "\n## Times and amounts\n\n| part | limit | where | |\n|---|---|---|---|\n%s\n", strings.Join(rows, "\n"))
	}
}

// part writes what the sources say about one part.
func (w *writer) part(p Part, f Finding) {
	fmt.Fprintf(w, "\n## %s\n", escaped(p.Title))
	for _, q := range f.Answer {
		fmt.Fprintf(w, "\n%s [%d]\n", quoted(q.Text), w.cite(q))
	}
	if len(f.Evidence) > 0 {
		fmt.Fprint(w, "\nWhat bears on it besides:\n")
		for _, q := range f.Evidence {
			fmt.Fprintf(w, "\n%s [%d]\n", quoted(q.Text), w.cite(q))
		}
	}
	if len(f.Answer)+len(f.Evidence) == 0 {
		fmt.Fprint(w, "\nThe published sources say nothing about this.\n")
	}
}

// disputes writes where sources contradict each other.
func (w *writer) disputes(fs []Finding) {
	var all []string
	for _, f := range fs {
		all = append(all, f.Disputes...)
	}
	if len(all) > 0 {
		fmt.Fprintf(w, "\n## Where the sources disagree\n\n- %s\n", strings.Join(all, "\n- "))
	}
}

// gaps writes what was asked and not found.
func (w *writer) gaps(p Plan, fs []Finding) {
	for _, f := range fs {
		if f.Gap != "" {
			w.r.Gaps = append(w.r.Gaps, p.Parts[f.Part].Ask)
		}
	}
	if len(w.r.Gaps) == 0 {
		return
	}
	fmt.Fprint(w, "\n## What the sources do not answer\n\n")
	for _, g := range w.r.Gaps {
		fmt.Fprintf(w, "- %s\n", escaped(g))
	}
}

func (w *writer) sources() {
	if len(w.r.Citations) == 0 {
		return
	}
	fmt.Fprint(w, "\n## Sources\n\n")
	for _, c := range w.r.Citations {
		fmt.Fprintf(w, "%d. **%s** (%s)", c.N, escaped(c.Provenance.DocTitle), escaped(c.Locator))
		if c.Key != "" {
			fmt.Fprintf(w, ", %s", escaped(c.Key))
		}
		fmt.Fprint(w, "\n")
	}
}

// quoted writes a text as a block quote.
func quoted(s string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n> ")
}

// line writes a text in one line.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// cell writes a text for a table.
func cell(s string) string { return strings.ReplaceAll(line(escaped(s)), "|", `\|`) }

var markup = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "`", "\\`", "<", `\<`, "#", `\#`, "!", `\!`)

// escaped keeps what somebody else has written from being markup.
func escaped(s string) string { return markup.Replace(clean(s)) }
