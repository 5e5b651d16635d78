package ops_test

import (
	"context"
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

const bob, cleo = "bob@example.org", "cleo@example.org"

// signIn returns the circumstances of somebody who is signed in at a browser, in
// the brain. The person is made a member first.
func signIn(t testing.TB, d *ops.Desk, brain models.BrainID, email string, roles ...models.Role) ops.Call {
	t.Helper()
	u := must(t, d, terminal(brain), ops.CreateUser, ops.CreateUserIn{Email: email, Roles: roles})
	in, err := ops.Do(context.Background(), d, ops.Call{By: ops.Visitor(), Brain: store.Instance, Via: ops.Web}, ops.UseLink, ops.UseLinkIn{Token: u.Link, Password: "correct horse battery staple"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.Visit(context.Background(), in.Secret)
	if err != nil {
		t.Fatal(err)
	}
	by, err := v.Principal(brain)
	if err != nil {
		t.Fatal(err)
	}
	return ops.Call{By: by, Brain: brain, Via: ops.Web, Visit: v}
}

// proposed runs an operation that has to wait, and returns what is in the queue.
func proposed[In, Out any](t testing.TB, d *ops.Desk, c ops.Call, o *ops.Op[In, Out], in In) models.Queued {
	t.Helper()
	_, err := ops.Do(context.Background(), d, c, o, in)
	q, ok := ops.AsWaiting(err)
	if !ok || q.Status != "queued" || q.ID == "" || !strings.Contains(q.ReviewURL, q.ID) {
		t.Fatalf("%s: %+v, %v; want it in the queue", o.Name, q, err)
	}
	return q
}

// decide gives a verdict on what the caller sees.
func decide(t testing.TB, d *ops.Desk, c ops.Call, id, verdict string) (ops.Decided, error) {
	t.Helper()
	v := must(t, d, c, ops.GetRecommendation, ops.RecommendationIDIn{ID: id})
	return ops.Do(context.Background(), d, c, ops.DecideRecommendation, ops.DecideIn{ID: id, Hash: v.Hash, Verdict: verdict, Comment: "seen"})
}

func refusedAs(t testing.TB, what string, err error, code string) {
	t.Helper()
	if f := fault.Of(err); f == nil || f.Code != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// A publish is proposed, decided on by another person, and then answers; nobody
// decides alone.
func TestPublishTakesTwo(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "x.md", Code: "X", Data: []byte("# Rules\n\nThe late fee is 12 dollars.\n")})
	ann, ben := signIn(t, d, "acme", bob, models.RoleCurator), signIn(t, d, "acme", cleo, models.RoleApprover)

	q := proposed(t, d, ann, ops.PublishVersion, ops.PublishIn{Notes: "first"})
	_, err := decide(t, d, ann, q.ID, "approve")
	refusedAs(t, "the proposer approves", err, "own_proposal")
	_, err = ops.Do(context.Background(), d, ben, ops.DecideRecommendation, ops.DecideIn{ID: q.ID, Hash: strings.Repeat("0", 64), Verdict: "approve"})
	refusedAs(t, "another content", err, "content_changed")
	if n := publishedVersion(t, d, "acme"); n != 0 {
		t.Errorf("version %d is published", n)
	}
	got, err := decide(t, d, ben, q.ID, "approve")
	if err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	if n := publishedVersion(t, d, "acme"); n != 1 {
		t.Errorf("version %d is published, want 1", n)
	}
	_, err = decide(t, d, ben, q.ID, "reject")
	refusedAs(t, "a second decision", err, "already_decided")
}

func publishedVersion(t testing.TB, d *ops.Desk, brain models.BrainID) int {
	t.Helper()
	b, err := d.Store.Brain(context.Background(), brain)
	if err != nil {
		t.Fatal(err)
	}
	return b.Published
}
