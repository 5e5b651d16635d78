package web

import (
	"encoding/json"
	"strconv"
	"strings"

	"polaris/models"
	"polaris/ops"
	"polaris/views/approvals"
	"polaris/views/layout"
	"polaris/views/sources"
)

// passagesCompared is how many passages a review shows until all are asked for.
const passagesCompared = 100

// addChanges adds what an import or a publish comes to.
func addChanges(p *page, r *approvals.Review, v ops.RecommendationView, c ops.ProposedChanges) {
	r.Gone = c.Gone
	if c.Source != nil {
		r.Passages = passageChanges(*c.Source, p.QueryParam("passages") == "all")
		if r.Passages.More != "" && p.QueryParam("passages") != "all" {
			r.Passages.MoreURL = r.URL + "?passages=all"
		}
	}
	if c.Golden != nil {
		g := goldenReport(p, c.Golden)
		r.Golden = &g
	}
	r.Effect = v.State == models.Pending && (v.Operation == ops.SaveCard.Name || v.Operation == ops.SaveGolden.Name)
	if r.Publish = v.Operation == ops.PublishVersion.Name || v.Operation == ops.RestoreVersion.Name; !r.Publish {
		return
	}
	r.Diff = manifestDiff(v)
	for _, i := range c.Items {
		r.Items = append(r.Items, changedItem(p, i))
	}
	r.Held = heldBack(v)
}

// heldBack says what a publish leaves out, as it was frozen.
func heldBack(v ops.RecommendationView) (all []string) {
	var frozen struct {
		Held []models.HeldSource `json:"held"`
	}
	if json.Unmarshal(v.After, &frozen) != nil {
		return nil // not as this release writes it
	}
	for _, h := range frozen.Held {
		words := h.Title + " (" + h.Code + "), revision " + strconv.Itoa(h.Revision) + ": " + layout.Plural(h.Flags, "flag", "flags")
		if h.Stays > 0 {
			words += "; revision " + strconv.Itoa(h.Stays) + " goes on answering"
		}
		all = append(all, words)
	}
	return all
}

// manifestDiff compares the manifests, without the report on the golden questions
// beside the later one: that has a place of its own on the page.
func manifestDiff(v ops.RecommendationView) []approvals.Line {
	after := v.After
	var in struct {
		Manifest json.RawMessage `json:"manifest"`
	}
	if err := json.Unmarshal(after, &in); err == nil && in.Manifest != nil {
		after = in.Manifest
	}
	return approvals.Diff(approvals.Lines(v.Before), approvals.Lines(after))
}

// passageChanges shows a difference of one source.
func passageChanges(d ops.SourceDiff, all bool) *approvals.Passages {
	v := &approvals.Passages{Summary: passageCounts(d)}
	for _, f := range d.Fields {
		v.Fields = append(v.Fields, changeWords(f))
	}
	for i, c := range d.Passages {
		if i == passagesCompared && !all {
			v.More = "And " + layout.Number(len(d.Passages)+d.More-i) + " more. "
			return v
		}
		row := approvals.Change{Key: c.Key, Status: c.Status, To: c.To, Before: approvals.Plain(c.Before), After: approvals.Plain(c.After)}
		if c.Status == ops.Altered {
			row.Before, row.After = approvals.Compare(c.Before, c.After)
		}
		v.Rows = append(v.Rows, row)
	}
	if d.More > 0 {
		v.More = "And " + layout.Number(d.More) + " more, which are too many for a page."
	}
	return v
}

// passageCounts says in a sentence what becomes of a source's passages.
func passageCounts(d ops.SourceDiff) string {
	var parts []string
	for _, n := range []struct {
		n    int
		what string
	}{{d.Counts.Changed, "changed"}, {d.Counts.Gained, "gained"}, {d.Counts.Lost, "lost"}, {d.Counts.Moved, "moved to another key"}, {d.Counts.Same, "as before"}} {
		if n.n > 0 {
			parts = append(parts, layout.Number(n.n)+" "+n.what)
		}
	}
	if len(parts) == 0 {
		return "No passage differs."
	}
	return strings.Join(parts, ", ") + "."
}

func changeWords(c models.Change) string {
	name := strings.ReplaceAll(c.Field, "_", " ")
	switch {
	case c.From == "":
		return name + ": " + c.To
	case c.To == "":
		return name + ": " + c.From + " → nothing"
	}
	return name + ": " + c.From + " → " + c.To
}

func changedItem(p *page, i ops.ChangedItem) approvals.Item {
	v := approvals.Item{Title: i.Title, Status: i.Status, What: "topic card " + i.ID}
	if i.Kind == "source" {
		v.What = "source " + i.ID
		if i.Status != ops.Lost {
			v.URL = p.at(sources.SourcePath(i.ID))
		}
		switch {
		case i.FromRevision > 0 && i.ToRevision > 0 && i.FromRevision != i.ToRevision:
			v.What += ", revision " + layout.Number(i.FromRevision) + " → " + layout.Number(i.ToRevision)
		case i.ToRevision > 0:
			v.What += ", revision " + layout.Number(i.ToRevision)
		case i.FromRevision > 0:
			v.What += ", revision " + layout.Number(i.FromRevision)
		}
	}
	for _, m := range i.By {
		v.By = append(v.By, approvals.Maker{Who: m.Actor, Through: surfaceWords(m.Surface), At: p.when(m.At), Authenticated: m.Authenticated, ApprovedBy: m.ApprovedBy})
	}
	return v
}
