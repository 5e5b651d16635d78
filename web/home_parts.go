package web

import (
	"net/url"
	"strconv"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
	"polaris/views/answers"
	"polaris/views/approvals"
	"polaris/views/cards"
	"polaris/views/home"
	"polaris/views/keys"
	"polaris/views/layout"
	"polaris/views/sources"
)

// chartOf draws the days up to today, those without an answer too.
func chartOf(p *page, days []store.AnswerDay) home.Chart {
	by := map[models.Date]store.AnswerDay{}
	for _, d := range days {
		by[d.Day] = d
	}
	c := home.Chart{Title: "Answers by day"}
	asked, passed := 0, 0
	today := p.now.UTC()
	for back := ops.GlanceDays - 1; back >= 0; back-- {
		at := today.AddDate(0, 0, -back)
		d := by[models.Date(at.Format(time.DateOnly))]
		day := home.Day{Label: at.Format("2 Jan"), Passed: d.Passed, Disclaimed: d.Disclaimed, Blocked: d.Blocked}
		day.URL = p.at(answers.Path + "?" + url.Values{"from": {at.Format(time.DateOnly)}, "to": {at.AddDate(0, 0, 1).Format(time.DateOnly)}}.Encode())
		c.Days = append(c.Days, day)
		asked, passed = asked+d.Passed+d.Disclaimed+d.Blocked, passed+d.Passed
	}
	c.Says = "Nothing was asked in the last " + strconv.Itoa(ops.GlanceDays) + " days."
	if asked > 0 {
		c.Says = layout.Plural(asked, "answer", "answers") + " in " + strconv.Itoa(ops.GlanceDays) + " days, " + layout.Number(passed) + " of them grounded. The table has each day."
	}
	return c
}

// gapsOf lists what nobody could answer, or says why it cannot.
func gapsOf(p *page, g ops.Glance) (all []home.Gap, note string) {
	for _, x := range g.Gaps {
		all = append(all, home.Gap{
			Question: x.Question, Asked: times(x.Asked), Last: p.when(x.At), URL: p.at(answers.RecordPath(x.AnswerID)),
			Fill: p.at("/ask?" + url.Values{"question": {x.Question}}.Encode()),
		})
	}
	if g.Brain.RecordAnswers != models.RecordFull && len(all) == 0 {
		note = "This brain does not record questions, so what could not be answered is counted and not listed."
	}
	return all, note
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return layout.Number(n) + " times"
}

// found says for each kind of finding what it means, how much it matters, and
// where something is done about it. The first words are of one, the others of
// several; the last of none.
var found = map[ops.FindingKind]struct {
	one, many, none string
	kind            layout.Kind
	path            string
}{
	ops.AnchorsLost:      {"anchor of a topic card has no text in the draft", "anchors of topic cards have no text in the draft", "anchors without text", layout.Bad, cards.Path},
	ops.SourcesHeld:      {"source waits for a curator’s word before it is published", "sources wait for a curator’s word before they are published", "sources held back", layout.Caution, sources.Path + "?state=held"},
	ops.SourcesSuspended: {"source or passage is suspended and not served", "sources or passages are suspended and not served", "suspensions", layout.Caution, sources.Path + "?state=suspended"},
	ops.ReviewsPast:      {"source is past its review date", "sources are past their review date", "sources past their review date", layout.Caution, sources.Path + "?state=review_due"},
	ops.SourcesEnded:     {"source is not in force any more", "sources are not in force any more", "sources that are not in force any more", layout.Caution, sources.Path},
	ops.ImportsFailed:    {"document could not be read in the last 14 days", "documents could not be read in the last 14 days", "documents that could not be read", layout.Caution, sources.Path},
	ops.SourcesWarned:    {"source was read with warnings", "sources were read with warnings", "sources read with warnings", layout.Neutral, sources.Path + "?state=warnings"},
	ops.KeysEnding:       {"key expires within 14 days", "keys expire within 14 days", "keys about to expire", layout.Caution, keys.Path},
	ops.QueueEnding:      {"change expires within 3 days without a decision", "changes expire within 3 days without a decision", "changes about to expire", layout.Caution, approvals.Path},
}

// findingsOf puts findings into words: what there is, and what was looked for as
// well.
func findingsOf(p *page, all []ops.Finding) (is []home.Finding, clear []string) {
	for _, f := range all {
		w := found[f.Kind]
		if f.N == 0 {
			clear = append(clear, w.none)
			continue
		}
		x := home.Finding{Kind: w.kind, N: layout.Number(f.N), Text: w.many, URL: p.at(w.path)}
		if f.N == 1 {
			x.Text = w.one
		}
		if f.Kind == ops.ImportsFailed && f.At != "" {
			x.URL = p.at(sources.ImportsPath + "/" + url.PathEscape(f.At))
		}
		is = append(is, x)
	}
	return is, clear
}
