package ops_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// What has ended has ended: nothing decides, withdraws, expires or supersedes it
// any more.
func TestEndsAreFinal(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		state models.RecommendationState
		end   func(t *testing.T, x *team) string
	}{
		{"applied", models.Applied, func(t *testing.T, x *team) string {
			id := x.byToken(t, x.ann, "fees", "")
			_, err := decide(t, x.d, x.cleo, id, "approve")
			if err != nil {
				t.Errorf("approving: %v", err)
			}
			return id
		}},
		{"rejected", models.Rejected, func(t *testing.T, x *team) string {
			id := x.byToken(t, x.ann, "fees", "")
			_, err := decide(t, x.d, x.cleo, id, "reject")
			if err != nil {
				t.Errorf("rejecting: %v", err)
			}
			return id
		}},
		{"withdrawn", models.Withdrawn, func(t *testing.T, x *team) string {
			id := x.byToken(t, x.ann, "fees", "")
			_, err := ops.Do(t.Context(), x.d, x.ben, ops.WithdrawRecommendation, ops.RecommendationIDIn{ID: id})
			refusedAs(t, "another withdraws", err, "not_yours")
			must(t, x.d, x.ann, ops.WithdrawRecommendation, ops.RecommendationIDIn{ID: id})
			return id
		}},
		{"stale", models.Stale, func(t *testing.T, x *team) string {
			id := x.byToken(t, x.ann, "fees", "")
			must(t, x.d, x.di, ops.SaveCard, card("fees"))
			if !must(t, x.d, x.di, ops.GetRecommendation, ops.RecommendationIDIn{ID: id}).Moved {
				t.Error("the page does not say that it has moved")
			}
			_, err := decide(t, x.d, x.cleo, id, "approve")
			if err != nil {
				t.Errorf("approving: %v", err)
			}
			return id
		}},
		{"superseded", models.Superseded, func(t *testing.T, x *team) string {
			id := x.byToken(t, x.ann, "fees", "")
			x.byToken(t, x.di, "fees", id)
			return id
		}},
		{"expired", models.Expired, func(t *testing.T, x *team) string {
			id := x.old(t)
			_, err := decide(t, x.d, x.cleo, id, "approve")
			refusedAs(t, "approving what is overdue", err, "expired")
			if err := x.d.ExpireIn(t.Context(), "acme"); err != nil {
				t.Fatal(err)
			}
			return id
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			x := newTeam(t)
			id := row.end(t, x)
			said := x.said(t, id)
			if len(said) != 1 || said[0] != string(row.state) {
				t.Errorf("the log says %q", said)
			}
			eve := signIn(t, x.d, "acme", "eve@example.org", models.RoleApprover)
			for _, verdict := range []string{"approve", "reject"} {
				_, err := decide(t, x.d, eve, id, verdict)
				refusedAs(t, verdict, err, "already_decided")
			}
			_, err := ops.Do(t.Context(), x.d, x.ann, ops.WithdrawRecommendation, ops.RecommendationIDIn{ID: id})
			refusedAs(t, "withdrawing", err, "already_decided")
			tokens := must(t, x.d, x.di, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
			by, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
			if err != nil {
				t.Fatal(err)
			}
			_, err = ops.Do(t.Context(), x.d, ops.Call{By: by, Brain: "acme", Via: ops.REST, Supersedes: id}, ops.SaveCard, card("fees"))
			refusedAs(t, "superseding", err, "not_superseded")
			if err := x.d.ExpireIn(t.Context(), "acme"); err != nil {
				t.Error(err)
			}
			if s := x.state(t, id); s != row.state {
				t.Errorf("it is %s", s)
			}
			if again := x.said(t, id); len(again) != 1 {
				t.Errorf("the log says %q", again)
			}
		})
	}
}

// old proposes a card by ann, fifteen days ago.
func (x *team) old(t *testing.T) string {
	t.Helper()
	tokens := must(t, x.d, x.ann, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	by, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	then := ops.NewDesk(x.d.Store, x.d.Settings, x.d.Log)
	then.Now = func() time.Time { return time.Now().Add(-15 * 24 * time.Hour) }
	return proposed(t, then, ops.Call{By: by, Brain: "acme", Via: ops.REST}, ops.SaveCard, card("fees")).ID
}

// What is overdue ends by itself, and only that.
func TestExpiry(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	ids := []string{x.old(t), x.old(t), x.byToken(t, x.ann, "fees", "")}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); x.d.ExpireForever(ctx) }()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && x.state(t, ids[0])+x.state(t, ids[1]) != "expiredexpired"; {
		time.Sleep(20 * time.Millisecond)
	}
	cancel()
	<-done
	for i, want := range []models.RecommendationState{models.Expired, models.Expired, models.Pending} {
		if got := x.state(t, ids[i]); got != want {
			t.Errorf("recommendation %d is %s, want %s", i, got, want)
		}
	}
	whole(t, x.d)
}

// A change that fails leaves nothing of the decision, and the item says why it is
// still there. What this release does not know can only be rejected.
func TestWhatCannotBeApplied(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	full := true
	probe := &ops.Op[ops.CardIDIn, ops.None]{
		Name: "probe.fill", Class: ops.Irreversible, Needs: models.MayEditDraft, Offered: ops.Web, InputVersion: 1,
		Propose: func(_ context.Context, _ *ops.Env, in ops.CardIDIn) (ops.Subject, error) {
			return ops.Subject{Name: "probe " + in.ID, After: in}, nil
		},
		Base: func(context.Context, *ops.Env, ops.CardIDIn) (string, error) { return "", nil },
		Run: func(_ context.Context, e *ops.Env, in ops.CardIDIn) (ops.None, error) {
			c := models.TopicCard{ID: in.ID, Label: "Half", Covers: "half", Anchors: []string{}, UpdatedAt: e.Now}
			if err := e.Tx.SaveTopicCard(&c); err != nil {
				return ops.None{}, err
			}
			if full {
				return ops.None{}, fault.New(fault.Conflict, "There is no room for it.")
			}
			return ops.None{}, nil
		},
	}
	known := x.d.Catalog
	x.d.Catalog = slices.Concat(known, ops.Catalog{probe.Entry()})
	id := proposed(t, x.d, x.ann, probe, ops.CardIDIn{ID: "half"}).ID
	_, err := decide(t, x.d, x.cleo, id, "approve")
	refusedAs(t, "a change that fails", err, "conflict")
	v := must(t, x.d, x.di, ops.GetRecommendation, ops.RecommendationIDIn{ID: id})
	if v.State != models.Pending || v.Note != "There is no room for it." {
		t.Errorf("it is %s, and says %q", v.State, v.Note)
	}
	if got := x.strings(t, "SELECT id FROM topic_cards"); len(got) > 0 {
		t.Errorf("half of it is there: %q", got)
	}
	if got := x.strings(t, "SELECT part FROM participation WHERE recommendation_id = $1", id); len(got) != 1 {
		t.Errorf("of the decision there stays %q", got)
	}

	x.d.Catalog = known
	_, err = decide(t, x.d, x.cleo, id, "approve")
	refusedAs(t, "an operation that is unknown", err, "unknown_operation")
	next := *probe
	next.InputVersion = 2
	x.d.Catalog = slices.Concat(known, ops.Catalog{next.Entry()})
	_, err = decide(t, x.d, x.cleo, id, "approve")
	refusedAs(t, "another form of input", err, "input_version")

	full = false
	x.d.Catalog = slices.Concat(known, ops.Catalog{probe.Entry()})
	other := proposed(t, x.d, x.ann, probe, ops.CardIDIn{ID: "other"}).ID
	x.d.Catalog = known
	if got, err := decide(t, x.d, x.cleo, other, "reject"); err != nil || got.State != models.Rejected {
		t.Errorf("rejecting what is unknown: %+v, %v", got, err)
	}
	x.d.Catalog = slices.Concat(known, ops.Catalog{probe.Entry()})
	if got, err := decide(t, x.d, x.cleo, id, "approve"); err != nil || got.State != models.Applied {
		t.Errorf("when there is room: %+v, %v", got, err)
	}
}

// What a proposal may say for itself, and with what it may be decided on.
func TestReasonsAndVerdicts(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	tokens := must(t, x.d, x.ann, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	by, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	bidi := "right\u202eto\u202cleft, zero\u200bwidth \u2066isolated\u2069"
	for what, row := range map[string]struct{ call ops.Call }{
		"a megabyte":                              {ops.Call{Rationale: strings.Repeat("x", 1<<20)}},
		"a NUL":                                   {ops.Call{Rationale: "a\x00b"}},
		"no UTF-8":                                {ops.Call{Rationale: "a\xff"}},
		"evidence of a megabyte":                  {ops.Call{Evidence: []string{strings.Repeat("x", 1<<20)}}},
		"evidence with a NUL":                     {ops.Call{Evidence: []string{"a\x00"}}},
		"a thousand pieces":                       {ops.Call{Evidence: make([]string, 1000)}},
		"superseding what is not there":           {ops.Call{Supersedes: "rec_000000000000"}},
		"superseding a name that is none":         {ops.Call{Supersedes: "\x00"}},
		"superseding what changes something else": {ops.Call{Supersedes: x.byToken(t, x.ann, "other", "")}},
		"what was seen is not what is there (If-Match *)": {ops.Call{IfMatch: []string{"*"}}},
	} {
		c := row.call
		c.By, c.Brain, c.Via = by, "acme", ops.REST
		if _, err := ops.Do(t.Context(), x.d, c, ops.SaveCard, card("fees")); err == nil || fault.Of(err).Kind == fault.Internal {
			t.Errorf("%s: %v, want refused", what, err)
		}
	}
	if n := len(x.strings(t, "SELECT id FROM recommendations WHERE target = 'topic card fees'")); n > 0 {
		t.Errorf("%d were queued all the same", n)
	}

	q := proposed(t, x.d, ops.Call{By: by, Brain: "acme", Via: ops.REST, Rationale: bidi, Evidence: []string{"HR 1(a)", bidi}}, ops.SaveCard, card("fees"))
	v := must(t, x.d, x.di, ops.GetRecommendation, ops.RecommendationIDIn{ID: q.ID})
	if v.Rationale != bidi || v.Evidence[1] != bidi {
		t.Errorf("kept %q, %q", v.Rationale, v.Evidence)
	}
	for what, in := range map[string]ops.DecideIn{
		"no hash":           {Verdict: "approve"},
		"half a hash":       {Verdict: "approve", Hash: v.Hash[:32]},
		"no hexadecimals":   {Verdict: "approve", Hash: strings.Repeat("x", 64)},
		"another hash":      {Verdict: "approve", Hash: strings.Repeat("ab", 32)},
		"no verdict":        {Hash: v.Hash},
		"another verdict":   {Verdict: "apply", Hash: v.Hash},
		"a long comment":    {Verdict: "reject", Hash: v.Hash, Comment: strings.Repeat("x", 1<<20)},
		"a NUL in it":       {Verdict: "reject", Hash: v.Hash, Comment: "\x00"},
		"one that is not":   {ID: "rec_000000000000", Verdict: "reject", Hash: v.Hash},
		"an id that is bad": {ID: "\xff", Verdict: "reject", Hash: v.Hash},
	} {
		if in.ID == "" {
			in.ID = q.ID
		}
		if _, err := ops.Do(t.Context(), x.d, x.cleo, ops.DecideRecommendation, in); err == nil || fault.Of(err).Kind == fault.Internal {
			t.Errorf("%s: %v, want refused", what, err)
		}
	}
	if s := x.state(t, q.ID); s != models.Pending {
		t.Errorf("it is %s", s)
	}
}

// A decision's savepoint: what is undone is undone for the guard, too, and an
// approval of one thing bears out no other.
func TestApprovalsBearOutNothingElse(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	one, two := x.byToken(t, x.ann, "one", ""), x.byToken(t, x.ann, "two", "")
	publishing := proposed(t, x.d, x.ann, ops.PublishVersion, ops.PublishIn{}).ID
	in := func(fn func(tx *store.Tx) error) error { return x.d.Store.InBrain(t.Context(), "acme", fn) }
	rec := func(id string) *models.Recommendation {
		var r *models.Recommendation
		if err := in(func(tx *store.Tx) (err error) { r, err = tx.Recommendation(id); return err }); err != nil {
			t.Fatal(err)
		}
		return r
	}
	row := func(id string, s models.RecommendationState) *models.AuditRow {
		return &models.AuditRow{Target: id, Operation: "x", Outcome: "ok", Detail: models.Detail{State: string(s)}}
	}
	approve := func(tx *store.Tx, id string) error {
		_, err := tx.Decide(x.cleo.Visit.Hash, id, rec(id).Payload, "approve", "")
		return err
	}
	for what, fn := range map[string]func(tx *store.Tx) error{
		"approved, and nothing said": func(tx *store.Tx) error { return approve(tx, one) },
		"approved one, applied the other": func(tx *store.Tx) error {
			if err := approve(tx, one); err != nil {
				return err
			}
			return tx.Settle(two, models.Applied, "")
		},
		"applied without a row": func(tx *store.Tx) error {
			if err := approve(tx, one); err != nil {
				return err
			}
			return tx.Settle(one, models.Applied, "")
		},
		"applied, with another's row": func(tx *store.Tx) error {
			if err := approve(tx, one); err != nil {
				return err
			}
			if err := tx.Settle(one, models.Applied, ""); err != nil {
				return err
			}
			return tx.AppendAudit(row(two, models.Applied))
		},
		"approved in a savepoint that was undone": func(tx *store.Tx) error {
			_ = tx.Attempt(func() error { // what it returns is what it was told
				if err := approve(tx, one); err != nil {
					return err
				}
				return fault.New(fault.Conflict, "undo")
			})
			return tx.Settle(one, models.Applied, "")
		},
		"stale without a decision": func(tx *store.Tx) error { return tx.Settle(one, models.Stale, "") },
		"expired before its time":  func(tx *store.Tx) error { return tx.Settle(one, models.Expired, "") },
		"rejected by settling":     func(tx *store.Tx) error { return tx.Settle(one, models.Rejected, "") },
		"a version that another publish approved": func(tx *store.Tx) error {
			if err := approve(tx, publishing); err != nil {
				return err
			}
			m, err := tx.ManifestOfDraft()
			if err != nil {
				return err
			}
			m.Cards = append(m.Cards, models.TopicCard{ID: "smuggled", Anchors: []string{}})
			return tx.InsertVersion(&models.Version{N: 1, Manifest: m, Hash: models.HashManifest(m), FourEyes: "on"})
		},
		"a version, by the approval of a card": func(tx *store.Tx) error {
			if err := approve(tx, one); err != nil {
				return err
			}
			m, err := tx.ManifestOfDraft()
			if err != nil {
				return err
			}
			return tx.InsertVersion(&models.Version{N: 1, Manifest: m, Hash: models.HashManifest(m), FourEyes: "on"})
		},
	} {
		if err := in(fn); err == nil {
			t.Errorf("%s: it was committed", what)
		}
		for _, id := range []string{one, two, publishing} {
			if s := x.state(t, id); s != models.Pending {
				t.Fatalf("%s: it is %s", what, s)
			}
		}
	}
	if v := publishedVersion(t, x.d, "acme"); v != 0 {
		t.Errorf("version %d is published", v)
	}
	// And in a savepoint that stays it is as good as without.
	err := in(func(tx *store.Tx) error {
		err := tx.Attempt(func() error { return approve(tx, one) })
		if err == nil {
			err = tx.Attempt(func() error { return tx.Settle(one, models.Applied, "") })
		}
		if err == nil {
			err = tx.AppendAudit(row(one, models.Applied))
		}
		return err
	})
	if err != nil || x.state(t, one) != models.Applied {
		t.Errorf("in savepoints: %v, it is %s", err, x.state(t, one))
	}
}
