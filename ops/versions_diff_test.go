package ops_test

import (
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

const rulesLater = `# House Rules

## 1 Fees

(a) The late fee is 15 euros.

## 2 Grace

(a) No fee is charged in the first month.

(b) Complaints are answered within a week.
`

// One passage is changed, one moved to another key with its words, one gained:
// each is told as what it is, in the order of the document.
func TestDiffOfDraftAndPublished(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "same.md", Code: "SAME", Data: []byte("# Same\n\nNothing changes here.\n")})
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: "fees", Label: "Fees", Covers: "what we charge", Anchors: []string{"HR 1(a)"}})

	whole := must(t, d, c, ops.DiffVersions, ops.DiffIn{})
	if whole.From != 0 || whole.To != 0 || len(whole.Sources) != 2 || whole.Sources[0].Status != ops.Gained || whole.Sources[0].Counts.Gained == 0 || len(whole.Cards) != 1 || len(whole.Articles) == 0 {
		t.Errorf("before anything is published: %+v", whole)
	}
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	if same := must(t, d, c, ops.DiffVersions, ops.DiffIn{}); len(same.Sources)+len(same.Cards)+len(same.Articles) != 0 {
		t.Errorf("nothing was changed: %+v", same)
	}

	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: "fees", Label: "Fees", Covers: "what we charge", Anchors: []string{"HR 2(a)"}})
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: "complaints", Label: "Complaints", Covers: "how long they take", Anchors: []string{"HR 2(b)"}})
	want := func(v ops.VersionDiff) {
		t.Helper()
		if len(v.Sources) != 1 || v.Sources[0].Code != "HR" || v.Sources[0].FromRevision != 1 || v.Sources[0].ToRevision != 2 || v.Sources[0].Status != ops.Altered {
			t.Fatalf("sources %+v", v.Sources)
		}
		var got []string
		for _, p := range v.Sources[0].Passages {
			got = append(got, p.Key+" "+p.Status+" "+p.To)
		}
		if s := strings.Join(got, "; "); s != "HR 1(a) changed ; HR 1(b) moved HR 2(a); HR 2 gained ; HR 2(b) gained " {
			t.Errorf("passages: %s", s)
		}
		if p := v.Sources[0].Passages[0]; !strings.Contains(p.Before, "12 euros") || !strings.Contains(p.After, "15 euros") {
			t.Errorf("%+v", p)
		}
		if n := v.Sources[0].Counts; n != (ops.PassageCounts{Same: n.Same, Gained: 2, Changed: 1, Moved: 1}) || n.Same == 0 {
			t.Errorf("counts %+v", n)
		}
		if len(v.Cards) != 2 || v.Cards[0].ID != "complaints" || v.Cards[0].Status != ops.Gained || v.Cards[1].Status != ops.Altered || v.Cards[1].Before.Anchors[0] != "HR 1(a)" {
			t.Errorf("cards %+v", v.Cards)
		}
		changed := map[string]string{}
		for _, a := range v.Articles {
			changed[a.Title] = a.Status
		}
		if changed["House Rules"] != ops.Altered || changed["Complaints"] != ops.Gained || changed["Same"] != "" {
			t.Errorf("articles %v", changed)
		}
	}
	draft := must(t, d, c, ops.DiffVersions, ops.DiffIn{})
	if draft.From != 1 || draft.To != 0 {
		t.Errorf("compared %d and %d", draft.From, draft.To)
	}
	want(draft)
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	want(must(t, d, c, ops.DiffVersions, ops.DiffIn{From: 1, To: 2}))
	back := must(t, d, c, ops.DiffVersions, ops.DiffIn{From: 2, To: 1})
	if n := back.Sources[0].Counts; n.Lost != 2 || n.Gained != 0 {
		t.Errorf("the other way round: %+v", n)
	}
	_, err := ops.Do(t.Context(), d, c, ops.DiffVersions, ops.DiffIn{From: 9})
	refusedAs(t, "a version that never was", err, "no_such_version")
}

// An old manifest answers again, as a new version, after another person said
// so; the draft stays.
func TestRestoreVersion(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rulesLater)})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	_, err := ops.Do(t.Context(), d, c, ops.RestoreVersion, ops.RestoreIn{N: 2})
	refusedAs(t, "what answers now", err, "nothing_to_publish")
	_, err = ops.Do(t.Context(), d, c, ops.RestoreVersion, ops.RestoreIn{N: 7})
	refusedAs(t, "a version that never was", err, "no_such_version")

	out := must(t, d, c, ops.RestoreVersion, ops.RestoreIn{N: 1, Notes: "as it was"})
	if out.Version != 3 {
		t.Fatalf("%+v", out)
	}
	one, three := must(t, d, c, ops.GetVersion, ops.GetVersionIn{N: 1}), must(t, d, c, ops.GetVersion, ops.GetVersionIn{N: 3})
	if string(one.Hash) != string(three.Hash) || three.Notes != "as it was" {
		t.Errorf("version 3 holds %x, version 1 %x", three.Hash, one.Hash)
	}
	_, key := keyOf(t, d, c)
	if env := must(t, d, ops.Call{By: key, Brain: key.Brain, Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "How much is the late fee?"}); env.BrainVersion != 3 || !strings.Contains(env.Result, "12 euros") {
		t.Errorf("version %d answers %q", env.BrainVersion, env.Result)
	}
	if diff := must(t, d, c, ops.DiffVersions, ops.DiffIn{}); len(diff.Sources) != 1 || diff.Sources[0].ToRevision != 2 {
		t.Errorf("the draft did not stay as it was: %+v", diff.Sources)
	}
}

// With four eyes a restore waits, is not decided on by who proposed it, and is
// stale once something else was published.
func TestRestoreTakesTwo(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	ann, ben := signIn(t, d, "acme", bob, models.RoleCurator), signIn(t, d, "acme", cleo, models.RoleApprover)
	publish := func(text string) {
		t.Helper()
		must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(text)})
		if got, err := decide(t, d, ben, proposed(t, d, ann, ops.PublishVersion, ops.PublishIn{}).ID, "approve"); err != nil || got.State != models.Applied {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	publish(rules)
	publish(rulesLater)
	late := proposed(t, d, ann, ops.RestoreVersion, ops.RestoreIn{N: 1})
	q := proposed(t, d, ann, ops.RestoreVersion, ops.RestoreIn{N: 1})
	_, err := decide(t, d, ann, q.ID, "approve")
	refusedAs(t, "the proposer approves", err, "own_proposal")
	if n := publishedVersion(t, d, "acme"); n != 2 {
		t.Errorf("version %d answers before anybody decided", n)
	}
	if got, err := decide(t, d, ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	if n := publishedVersion(t, d, "acme"); n != 3 {
		t.Errorf("version %d answers, want 3", n)
	}
	got, err := decide(t, d, ben, late.ID, "approve")
	if err == nil && got.State != models.Stale {
		t.Errorf("a second restore: %+v", got)
	}
	if n := publishedVersion(t, d, "acme"); n != 3 {
		t.Errorf("version %d answers, want 3 still", n)
	}
}
