package ops_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// silent are the operations that leave no row where they succeed: they change
// nothing, and nothing leaves the system by them that is not in a row already.
var silent = map[string]bool{
	"topic_cards": true, "read_wiki": true, "me": true,
	"answers.get": true, "answers.list": true, "answers.replay": true, "answers.prove": true, "audit.verify": true, "audit.list": true,
	"sources.list": true, "imports.survey": true, "sources.find": true, "sources.read": true, "passages.find": true, "passages.read": true, "topic_cards.check": true, "draft.ask": true, "draft.history": true, "sources.purged": true, "sources.get": true, "passages.get": true, "references.broken": true, "topic_cards.list": true, "topic_cards.get": true, "sources.diff": true, "imports.get": true, "imports.list": true, "imports.events": true, "imports.compare": true,
	"versions.list": true, "versions.get": true, "versions.diff": true, "golden_questions.list": true, "golden_questions.run": true,
	"recommendations.list": true, "recommendations.get": true, "recommendations.changes": true, "settings.get": true, "settings.show": true,
	"api_keys.list": true, "api_keys.get": true, "members.list": true, "users.list": true, "brains.list": true, "brains.show": true, "brains.overview": true, "search": true,
}

// Every operation leaves exactly one row, under its own name, whether it is
// done, waits, or is refused; those that only read leave one where they are
// refused, and none where they are not.
func TestEveryOperationHasItsAuditAction(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c, x := furnished(t, d, "alpha", "aleph")
	own := connected(t, db.Own)
	in := inputs(x)
	rows := func(operation string) (n int) {
		t.Helper()
		for _, brain := range []models.BrainID{"alpha", "beta", store.Instance} {
			var here int
			b := &pgx.Batch{}
			b.Queue("SELECT set_config('app.brain_id', $1, true)", string(brain))
			b.Queue("SELECT count(*) FROM audit WHERE operation = $1", operation).QueryRow(func(r pgx.Row) error { return r.Scan(&here) })
			if err := own.SendBatch(t.Context(), b).Close(); err != nil {
				t.Fatal(err)
			}
			n += here
		}
		return n
	}
	signed := signIn(t, d, "alpha", bob, models.RoleOwner)
	done := 0
	for _, o := range ops.All() {
		call := c
		switch {
		case o.Needs == models.MayEnter:
			call = ops.Call{By: ops.Visitor(), Brain: store.Instance, Via: ops.Web}
		case o.Offered&ops.CLI == 0:
			call = signed
		}
		before := rows(o.Name)
		_, err := d.Invoke(context.Background(), call, o, json.RawMessage(in[o.Name]))
		want := 1
		if silent[o.Name] && err == nil {
			want = 0
		}
		if err == nil {
			done++
		}
		if got := rows(o.Name) - before; got != want {
			t.Errorf("%s left %d rows, want %d (%v)", o.Name, got, want, err)
		}
		before = rows(o.Name)
		if _, err := d.Invoke(context.Background(), ops.Call{By: ops.Visitor(), Brain: "alpha", Via: ops.OpenAI}, o, json.RawMessage(in[o.Name])); err == nil {
			t.Errorf("a stranger may %s", o.Name)
		} else if rows(o.Name)-before != 1 {
			t.Errorf("%s: the refusal of a stranger left %d rows", o.Name, rows(o.Name)-before)
		}
		if silent[o.Name] && (o.Class != ops.Read || o.Serves) {
			t.Errorf("%s is no reading, and would leave no row", o.Name)
		}
	}
	t.Logf("%d operations, of which %d were done", len(ops.All()), done)
	if done < len(ops.All())/2 {
		t.Error("too few were done for this to say much")
	}
}
