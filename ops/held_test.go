package ops_test

import (
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// hidden is a document whose words are turned around for its readers.
const hidden = "# Price List\n\n(a) The price of a stamp is \u202e12\u202c euros.\n"

// A document with something in it that its readers do not see is in the draft,
// and stays out of what is published until a curator has certified it; what was
// published of its source before goes on answering.
func TestFlaggedSourcesAreHeld(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	sure := c
	sure.ApprovedBy = ada
	out := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "prices.md", Code: "PL", Data: []byte(hidden)})
	if len(out.Flags) == 0 || out.Flags[0].Kind != models.Direction {
		t.Fatalf("flags: %+v", out)
	}
	_, err := ops.Do(t.Context(), d, c, ops.PublishVersion, ops.PublishIn{})
	refusedAs(t, "publishing nothing but what is held", err, "sources_held")

	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	v := must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	if v.Sources != 1 || len(v.Held) != 1 || v.Held[0].Code != "PL" || v.Held[0].Stays != 0 || v.Held[0].Flags != len(out.Flags) {
		t.Errorf("published: %+v", v)
	}
	if l := must(t, d, c, ops.ListSources, ops.Page{}); l.Held[out.SourceID] != len(out.Flags) {
		t.Errorf("listed: %+v", l.Held)
	}
	if s := must(t, d, c, ops.GetSource, ops.GetSourceIn{Source: "PL"}); len(s.Revision.Flags) != len(out.Flags) || s.Revision.Report == nil || len(s.Revision.Report.Stages) == 0 {
		t.Errorf("its page: %+v", s.Revision)
	}

	must(t, d, sure, ops.RemoveSource, ops.GetSourceIn{Source: "PL"})
	if again := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "prices.md", Code: "PL", Data: []byte(hidden)}); again.Status != ops.ImportRestored || len(again.Flags) != len(out.Flags) {
		t.Errorf("what nobody has certified, again: %+v", again)
	}
	must(t, d, sure, ops.CertifySource, ops.CertifyIn{Source: "PL", Note: "The mark is the printer's."})
	v = must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	if v.Sources != 2 || len(v.Held) != 0 {
		t.Errorf("certified: %+v", v)
	}

	// Taken out and brought in again it is the revision that was certified, and is
	// not said to wait.
	must(t, d, sure, ops.RemoveSource, ops.GetSourceIn{Source: "PL"})
	again := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "prices.md", Code: "PL", Data: []byte(hidden)})
	if again.Status != ops.ImportRestored || again.Revision != 1 || len(again.Flags) != 0 {
		t.Errorf("the certified one again: %+v", again)
	}

	// Its next revision is held anew, and the certified one goes on answering.
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "prices.md", Code: "PL", Data: []byte(strings.Replace(hidden, "12", "15", 1))})
	_, err = ops.Do(t.Context(), d, c, ops.PublishVersion, ops.PublishIn{})
	refusedAs(t, "publishing no more than what is held", err, "sources_held")
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: "stamps", Label: "Stamps", Covers: "what a stamp costs", Anchors: []string{"PL ¶1"}})
	v = must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	if v.Sources != 2 || len(v.Held) != 1 || v.Held[0].Revision != 2 || v.Held[0].Stays != 1 {
		t.Errorf("the next revision: %+v", v)
	}
	got := must(t, d, c, ops.GetVersion, ops.GetVersionIn{N: v.Version})
	for _, s := range got.Manifest.Sources {
		if s.Source.Code == "PL" && s.Revision != 1 {
			t.Errorf("version %d holds revision %d", v.Version, s.Revision)
		}
	}
}

// Where another person decides, they are shown what is held back.
func TestHeldSourcesAreShownToWhoDecides(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	ann := signIn(t, d, "acme", "ann@example.org", models.RoleOwner)
	ben := signIn(t, d, "acme", "ben@example.org", models.RoleApprover)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "prices.md", Code: "PL", Data: []byte(hidden)})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	q := proposed(t, d, ann, ops.PublishVersion, ops.PublishIn{})
	r := must(t, d, ben, ops.GetRecommendation, ops.RecommendationIDIn{ID: q.ID})
	if !strings.Contains(string(r.After), `"held":[{"source_id":`) {
		t.Errorf("shown: %s", r.After)
	}
	if out, err := decide(t, d, ben, q.ID, "approve"); err != nil || out.State != models.Applied {
		t.Fatalf("%+v, %v", out, err)
	}
	if v := must(t, d, c, ops.GetVersion, ops.GetVersionIn{N: 1}); len(v.Manifest.Sources) != 1 {
		t.Errorf("version 1 holds %+v", v.Manifest.Sources)
	}
}
