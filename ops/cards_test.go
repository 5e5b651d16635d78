package ops_test

import (
	"slices"
	"testing"

	"polaris/models/store"
	"polaris/ops"
)

// What a curator is told of an anchor is what the published version does with
// it: a document may be named by its code or by the initials of its title.
func TestAnchorsAreFoundAsTheEngineFindsThem(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "RULES", Data: []byte(rules)})
	card := must(t, d, c, ops.SaveCard, ops.SaveCardIn{Label: "Fees", Covers: "what we charge", Anchors: []string{"RULES 1(a)", "HR 1(b)", "HR 99", "HB 1(a)"}})
	lacking := []string{"HR 99", "HB 1(a)"} // the title is House Rules
	if !slices.Equal(card.Unsupportable, lacking) {
		t.Errorf("saving the card: the draft lacks %q, want %q", card.Unsupportable, lacking)
	}
	if l := must(t, d, c, ops.ListCards, ops.Page{}); !slices.Equal(l.Unsupportable, lacking) {
		t.Errorf("the list: the draft lacks %q, want %q", l.Unsupportable, lacking)
	}
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	_, key := keyOf(t, d, c)
	topics := must(t, d, ops.Call{By: key, Brain: key.Brain, Via: ops.Hosted}, ops.TopicCards, ops.None{}).Topics
	if len(topics) != 1 || topics[0].UnsupportableAnchors != len(lacking) {
		t.Errorf("published: %+v, want %d unsupportable anchors", topics, len(lacking))
	}
}
