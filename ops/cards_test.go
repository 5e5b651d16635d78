package ops_test

import (
	"fmt"
	"slices"
	"sync"
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

// Of many who make a card that is not there, on the condition that it is not, one
// does; and the others learn so instead of overwriting it.
func TestACardIsMadeOnce(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	for round := range 5 {
		in := ops.SaveCardIn{ID: fmt.Sprintf("fees-%d", round), Covers: "fees", Anchors: []string{"HB 1(a)"}}
		outcomes := make([]string, 12)
		var wg sync.WaitGroup
		for i := range outcomes {
			wg.Go(func() {
				in, c := in, c
				in.Label, c.IfNew = fmt.Sprint("from ", i), i%4 != 0 // three of four say that it must be new
				outcomes[i] = code(d, c, ops.SaveCard, in)
			})
		}
		wg.Wait()
		var made, saved int
		for i, o := range outcomes {
			switch {
			case o == "ok" && i%4 != 0:
				made++
			case o == "ok":
				saved++
			case o != "precondition_failed " || i%4 == 0:
				t.Errorf("round %d: %s", round, o)
			}
		}
		if made > 1 || saved != 3 {
			t.Errorf("round %d: %v; want at most one who made it anew, and each of the others", round, outcomes)
		}
		if rev := must(t, d, c, ops.GetCard, ops.CardIDIn{ID: in.ID}).Rev; rev != made+saved {
			t.Errorf("round %d: revision %d after %d changes", round, rev, made+saved)
		}
	}
}

// A card that was deleted and made again is another one: who saw the first does
// not change the second.
func TestACardThatWasMadeAgain(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	in := ops.SaveCardIn{ID: "fees", Label: "Fees", Covers: "fees", Anchors: []string{"HB 1(a)"}}
	first := must(t, d, c, ops.SaveCard, in).ETag()
	if got := must(t, d, c, ops.GetCard, ops.CardIDIn{ID: "fees"}).ETag(); got != first {
		t.Errorf("made as %s, read as %s", first, got)
	}
	must(t, d, c, ops.DeleteCard, ops.CardIDIn{ID: "fees"})
	in.Label = "Other fees"
	must(t, d, c, ops.SaveCard, in)
	seen := c
	seen.IfMatch = []string{first}
	in.Label = "lost"
	if got := code(d, seen, ops.SaveCard, in); got != "precondition_failed " {
		t.Errorf("saved over what nobody saw: %s", got)
	}
	if got := code(d, seen, ops.DeleteCard, ops.CardIDIn{ID: "fees"}); got != "precondition_failed " {
		t.Errorf("deleted what nobody saw: %s", got)
	}
}
