package ops_test

import (
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// The home of a brain tells what is there, what the draft would change, what is
// wrong and what nobody could answer; and to each reader only what they may see.
func TestGlance(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	look := func(c ops.Call) ops.Glance {
		t.Helper()
		g, err := ops.Do(t.Context(), d, c, ops.ShowGlance, ops.None{})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	web := signIn(t, d, "calliope", bob, models.RoleOwner)

	if g := look(web); g.Draft.Sources != 0 || g.Changes.Any() || g.Version != nil || len(g.Days) != 0 || *g.Keys != 0 || g.Connects || g.Queue.Waiting != 0 {
		t.Errorf("of an empty brain: %+v", g)
	}
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hr.md", Title: "HR", Code: "HR", Data: []byte("# HR\n\n## 1 Fees\n\n(a) The late fee is 10 dollars.\n")})
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: "fees", Label: "Fees", Covers: "fees", Anchors: []string{"HR 1(a)", "HR 77(z)"}})
	if g := look(web); g.Changes.Sources != 1 || g.Changes.Cards != 1 {
		t.Errorf("before the first publish: %+v", g.Changes)
	}
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	web.By.Published = 1
	if g := look(web); g.Changes.Any() || g.Version == nil || g.Version.N != 1 {
		t.Errorf("after the publish: %+v %+v", g.Changes, g.Version)
	}
	past, soon := models.Date(time.Now().AddDate(0, 0, -1).Format(time.DateOnly)), models.Date(time.Now().AddDate(0, 0, 20).Format(time.DateOnly))
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "it.md", Title: "IT", Code: "IT", Data: []byte("# IT\n\nPasswords have twelve characters.\n")})
	for code, by := range map[string]models.Date{"HR": past, "IT": soon} {
		must(t, d, c, ops.UpdateSource, ops.UpdateSourceIn{Source: code, ReviewBy: new(by)})
	}
	must(t, d, c, ops.SuspendSource, ops.SuspendIn{Source: "IT", Reason: "x"})
	for _, q := range []string{"What is the airspeed of a swallow?", " what is the AIRSPEED of a swallow?", "How much is the late fee?", "How many moons has Mars?"} {
		must(t, d, web, ops.Answer, ops.AskIn{Query: q})
	}
	g := look(web)
	if g.Changes.Sources != 2 || g.Changes.Cards != 0 {
		t.Errorf("the draft changes %+v, want HR's date and IT", g.Changes)
	}
	n := map[ops.FindingKind]int{}
	for _, f := range g.Findings {
		n[f.Kind] = f.N
	}
	for kind, want := range map[ops.FindingKind]int{ops.AnchorsLost: 1, ops.SourcesSuspended: 1, ops.ReviewsPast: 1, ops.SourcesHeld: 0, ops.ImportsFailed: 0, ops.SourcesEnded: 0, ops.KeysEnding: 0, ops.QueueEnding: 0} {
		if got, there := n[kind]; got != want || !there {
			t.Errorf("%s: got %d, want %d", kind, got, want)
		}
	}
	if len(g.Reviews) != 2 || g.Reviews[0].Code != "HR" || !g.Reviews[0].Past || g.Reviews[1].Past {
		t.Errorf("reviews: %+v", g.Reviews)
	}
	if len(g.Days) != 1 || g.Days[0].Passed != 1 || g.Days[0].Disclaimed != 3 {
		t.Errorf("days: %+v", g.Days)
	}
	if len(g.Gaps) != 2 || g.Gaps[0].Asked != 2 || g.Gaps[0].Question != " what is the AIRSPEED of a swallow?" || g.Gaps[0].AnswerID == "" || g.Gaps[1].Asked != 1 {
		t.Errorf("gaps: %+v", g.Gaps)
	}

	// A question that was answered since is none.
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "mars.md", Title: "Mars", Code: "MARS", Data: []byte("# Mars\n\nHow many moons Mars has: Mars has two moons.\n")})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	web.By.Published = 2
	must(t, d, web, ops.Answer, ops.AskIn{Query: "How many moons has Mars?"})
	if g := look(web); len(g.Gaps) != 1 || g.Gaps[0].Asked != 2 {
		t.Errorf("gaps: %+v", g.Gaps)
	}

	reader := web
	reader.By.Roles = []models.Role{models.RoleReader}
	if g := look(reader); g.Brain.Published != 2 || g.Draft != nil || g.Changes != nil || g.Version != nil || g.Queue != nil || g.Findings != nil || g.Days != nil || g.Gaps != nil || g.Answers != nil || g.Keys != nil {
		t.Errorf("a reader is shown %+v", g)
	}
}
