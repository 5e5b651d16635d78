package ops_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"polaris/models"
	"polaris/ops"
)

// TestQueueOfTenThousand: a queue of ten thousand changes is read a stretch at a
// time, from either end, narrowed, and from one change to the next, at the same
// cost as a short one.
func TestQueueOfTenThousand(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	x.exec(t, fmt.Sprintf(`INSERT INTO recommendations (brain_id, id, operation, class, input, input_version, target, base, before, after, rationale, evidence, proposer, actor, key_id, surface, authenticated, needed, roles, payload, state, created_at, expires_at)
		SELECT 'acme', 'rec_' || lpad(n::text, 12, '0'), 'topic_cards.save', 'A3', '{}', 0, 'topic card x' || n, '', '', '{}', '', '[]', '%s', 'agent ' || n %% 7, '', 'rest', true, 1, '[]', '', 'pending', now() - n * interval '1 second', now() + interval '14 days'
		FROM generate_series(1, 10000) n`, x.ann.By.Person))
	c := x.cleo
	for name, in := range map[string]ops.RecommendationsIn{
		"newest": {State: models.Pending}, "oldest": {State: models.Pending, Order: "oldest"}, "all": {}, "of a class": {State: models.Pending, Class: "A3"}, "of one": {State: models.Pending, By: "AGENT 3"},
	} {
		first := must(t, x.d, c, ops.ListRecommendations, in)
		if len(first.Recommendations) != 50 || first.NextCursor == "" {
			t.Fatalf("%s: %d changes, next %q", name, len(first.Recommendations), first.NextCursor)
		}
		in.Cursor = first.NextCursor
		second := must(t, x.d, c, ops.ListRecommendations, in)
		last, next := first.Recommendations[49], second.Recommendations[0]
		if in.Order == "oldest" != next.CreatedAt.After(last.CreatedAt) || next.ID == last.ID {
			t.Errorf("%s: after %s of %s comes %s of %s", name, last.ID, last.CreatedAt, next.ID, next.CreatedAt)
		}
		if in.By != "" && slices.ContainsFunc(second.Recommendations, func(r models.Recommendation) bool { return r.Actor != "agent 3" }) {
			t.Errorf("%s: others' are among them", name)
		}
		begin := time.Now()
		const times = 5
		for range times {
			must(t, x.d, c, ops.ListRecommendations, in)
		}
		took := time.Since(begin) / times
		t.Logf("%s: %s", name, took.Round(10*time.Microsecond))
		if took > time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
	v := must(t, x.d, c, ops.GetRecommendation, ops.RecommendationIDIn{ID: "rec_000000005000"})
	if v.Newer != "rec_000000004999" || v.Older != "rec_000000005001" {
		t.Errorf("beside it are %q and %q", v.Newer, v.Older)
	}
}
