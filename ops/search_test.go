package ops_test

import (
	"slices"
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// Things are found by their names, of the draft by who may read it, and by a
// reader those of the published version alone.
func TestSearch(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	newBrain(t, d, "urania", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "hr.md", Title: "House rules", Code: "HR", Data: []byte(rules)})
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: "late", Label: "Late fees", Covers: "what is owed late", Anchors: []string{"HR 1(a)"}})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "x.md", Title: "Draft 100%_only", Code: "DR", Data: []byte("# D\n\nText of a draft.\n")})
	owner := signIn(t, d, "calliope", bob, models.RoleOwner)
	owner.By.Published = 1
	reader := owner
	reader.By.Roles = []models.Role{models.RoleReader}
	find := func(c ops.Call, text string) (all []string) {
		t.Helper()
		for _, h := range must(t, d, c, ops.Search, ops.SearchIn{Text: text}).Hits {
			all = append(all, string(h.Kind)+" "+h.ID)
		}
		return all
	}
	for _, row := range []struct {
		text   string
		owner  []string
		reader []string // beside articles
	}{
		{"HOUSE", []string{"source HR"}, nil},
		{"late", []string{"topic_card late"}, nil},
		{"hr 1(", []string{"passage HR 1(a)", "passage HR 1(b)"}, nil},
		{"100%_", []string{"source DR"}, nil},
		{"%", []string{"source DR"}, nil},
		{"nothing of the kind", nil, nil},
		{"  ", nil, nil},
	} {
		articles := func(s string) bool { return strings.HasPrefix(s, "article ") }
		if got := slices.DeleteFunc(find(owner, row.text), articles); !slices.Equal(got, row.owner) {
			t.Errorf("%q finds %q, want %q", row.text, got, row.owner)
		}
		if got := slices.DeleteFunc(find(reader, row.text), articles); len(got) != 0 {
			t.Errorf("a reader finds %q by %q", got, row.text)
		}
	}
	if got := find(reader, "fee"); len(got) == 0 || !strings.HasPrefix(got[0], "article ") {
		t.Errorf("a reader finds %q", got)
	}
	if got := find(signIn(t, d, "urania", "eve@example.org", models.RoleOwner), "house"); len(got) != 0 {
		t.Errorf("another brain finds %q", got)
	}
	if _, err := ops.Do(t.Context(), d, owner, ops.Search, ops.SearchIn{Text: strings.Repeat("é", 201)}); err == nil {
		t.Error("a text of 201 characters is searched for")
	}
}
