package index

import "testing"

func TestSame(t *testing.T) {
	t.Parallel()
	x := Build([]Doc{{Text: "4.1 Pause of a collection", English: true}})
	q := x.Query("How long does a pause last?")
	for heading, want := range map[string]bool{
		"4.1 Pause": true, "What a pause is": true, "Pauses": true,
		"Pause and collection": false, "Pause and unheard": false, "4.1": false, "": false,
	} {
		if got := x.Same(q, heading); got != want {
			t.Errorf("%q: %v, want %v", heading, got, want)
		}
	}
	if x.Same(x.Query("How long does a pause of the collection last?"), "Pause") || x.Same(x.Query("How long?"), "How long") {
		t.Error("a question is the same as what has less")
	}
	two := x.Query("How long does a pause of the collection last?")
	if !two.Whole(x.Match(two, "a collection may pause")) || two.Whole(x.Match(two, "a pause")) || q.Whole(x.Match(q, "pause")) {
		t.Error("a whole question is all its words, two at least")
	}
}
