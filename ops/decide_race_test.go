package ops_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// rounds returns so many of a test's repetitions: few in a usual run, all of
// them where POLARIS_TEST_LONG is set.
func rounds(few, all int) int {
	if os.Getenv("POLARIS_TEST_LONG") != "" {
		return all
	}
	return few
}

// said returns what the audit log says a recommendation became, without that it
// was queued.
func (x *team) said(t testing.TB, id string) []string {
	t.Helper()
	return x.strings(t, `SELECT detail->>'state' FROM audit WHERE target = $1 AND detail ? 'state' AND detail->>'state' <> 'pending' AND outcome = 'ok' ORDER BY id`, id)
}

func (x *team) strings(t testing.TB, sql string, args ...any) []string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), x.db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if _, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'acme', false)"); err != nil {
		t.Fatal(err)
	}
	rows, err := c.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Of 200 who approve, reject or withdraw at once exactly one does: one outcome,
// one row that says so, and the change is there exactly if it was applied.
func TestOneOutcome(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	deciders := []ops.Call{x.ben, x.cleo, x.di}
	tally := map[models.RecommendationState]int{}
	for n := range rounds(8, 50) {
		name := fmt.Sprintf("card-%d", n)
		id := x.byToken(t, x.ann, name, "")
		hash := must(t, x.d, x.di, ops.GetRecommendation, ops.RecommendationIDIn{ID: id}).Hash
		var mu sync.Mutex
		var won []ops.Decided
		var others []error
		start := make(chan struct{})
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				<-start
				if verb := i % 4; verb < 2 { // the quickest kind would always win
					time.Sleep(time.Duration((n+verb)%3) * 4 * time.Millisecond)
				}
				var got ops.Decided
				var err error
				switch i % 4 {
				case 0:
					got, err = ops.Do(context.Background(), x.d, x.ann, ops.WithdrawRecommendation, ops.RecommendationIDIn{ID: id})
				case 1:
					got, err = ops.Do(context.Background(), x.d, deciders[i%3], ops.DecideRecommendation, ops.DecideIn{ID: id, Hash: hash, Verdict: "reject"})
				default:
					got, err = ops.Do(context.Background(), x.d, deciders[i%3], ops.DecideRecommendation, ops.DecideIn{ID: id, Hash: hash, Verdict: "approve"})
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, got)
				} else {
					others = append(others, err)
				}
			})
		}
		close(start)
		wg.Wait()
		if len(won) != 1 {
			t.Fatalf("round %d: %d outcomes: %+v", n, len(won), won)
		}
		for _, err := range others {
			if told(err) != "already_decided" {
				t.Fatalf("round %d: another was told %v", n, err)
			}
		}
		tally[won[0].State]++
		if got := x.state(t, id); got != won[0].State {
			t.Errorf("round %d: it is %s, and somebody was told %s", n, got, won[0].State)
		}
		if said := x.said(t, id); len(said) != 1 || said[0] != string(won[0].State) {
			t.Errorf("round %d: the log says %q, want once %s", n, said, won[0].State)
		}
		cards := x.strings(t, "SELECT rev::text FROM topic_cards WHERE id = $1", name)
		if applied := won[0].State == models.Applied; applied != (len(cards) == 1) || applied && cards[0] != "1" {
			t.Errorf("round %d: %s, and the card has revisions %q", n, won[0].State, cards)
		}
	}
	t.Logf("outcomes: %v", tally)
	whole(t, x.d)
}

// whole fails the test unless the brain's audit chain verifies.
func whole(t testing.TB, d *ops.Desk) {
	t.Helper()
	if err := d.SealNow(context.Background(), "acme"); err != nil {
		t.Fatal(err)
	}
	r := must(t, d, terminal("acme"), ops.VerifyAudit, ops.VerifyAuditIn{})
	if len(r.Problems) > 0 || r.Unsealed > 0 || r.Sealed == 0 {
		t.Errorf("the audit chain: %+v", r)
	}
}

// Of eight proposals for one target that are approved at once one is applied,
// and seven turn out stale: for what is there, for what is not, and for what is
// published.
func TestRivals(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	must(t, x.d, x.di, ops.SaveCard, card("there"))
	for n := range rounds(6, 30) {
		var ids []string
		for i := range 8 {
			switch n % 3 {
			case 0:
				ids = append(ids, x.byToken(t, x.ann, "there", ""))
			case 1:
				ids = append(ids, x.byToken(t, x.ann, fmt.Sprintf("new-%d", n), ""))
			default:
				if i == 0 {
					must(t, x.d, x.di, ops.SaveCard, card(fmt.Sprintf("published-%d", n)))
				}
				ids = append(ids, proposed(t, x.d, x.ann, ops.PublishVersion, ops.PublishIn{Notes: fmt.Sprint(i)}).ID)
			}
		}
		before := publishedVersion(t, x.d, "acme")
		hashes := map[string]string{}
		for _, id := range ids {
			hashes[id] = must(t, x.d, x.di, ops.GetRecommendation, ops.RecommendationIDIn{ID: id}).Hash
		}
		states := make([]models.RecommendationState, len(ids))
		var wg sync.WaitGroup
		for i, id := range ids {
			wg.Go(func() {
				got, err := ops.Do(context.Background(), x.d, []ops.Call{x.ben, x.cleo, x.di}[i%3], ops.DecideRecommendation, ops.DecideIn{ID: id, Hash: hashes[id], Verdict: "approve"})
				if err != nil {
					t.Errorf("round %d: %v", n, err)
				}
				states[i] = got.State
			})
		}
		wg.Wait()
		count := map[models.RecommendationState]int{}
		for i, s := range states {
			count[s]++
			if said := x.said(t, ids[i]); len(said) != 1 || said[0] != string(s) {
				t.Errorf("round %d: the log says %q of what is %s", n, said, s)
			}
		}
		if count[models.Applied] != 1 || count[models.Stale] != 7 {
			t.Errorf("round %d: %v, want one applied and seven stale", n, count)
		}
		if v := publishedVersion(t, x.d, "acme"); n%3 == 2 && v != before+1 {
			t.Errorf("round %d: version %d is published, %d before", n, v, before)
		}
	}
	if got := x.strings(t, "SELECT rev::text FROM topic_cards WHERE id = 'there'"); got[0] != fmt.Sprint(1+(rounds(6, 30)+2)/3) {
		t.Errorf("the card was changed %s times", got)
	}
}

// Somebody who is disabled, removed or signed out, or turns out to be the
// proposer, while they decide: either the decision came first, or it is refused;
// never is anything half done, and nobody waits for ever.
func TestDecidingWhileEverythingMoves(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	moves := []func(ctx context.Context) error{
		func(ctx context.Context) error {
			_, err := ops.Do(ctx, x.d, x.shell, ops.DisableUser, ops.UserIn{Email: cleo})
			return err
		},
		func(ctx context.Context) error {
			_, err := ops.Do(ctx, x.d, x.ann, ops.RemoveMember, ops.MemberIn{Member: cleo})
			return err
		},
		func(ctx context.Context) error {
			return x.d.Store.InBrain(ctx, store.Instance, func(tx *store.Tx) error { _, err := tx.EndSignIns(x.cleo.By.Person); return err })
		},
	}
	won := 0
	for n := range rounds(15, 60) {
		// As they were.
		x.exec(t, "UPDATE persons SET disabled_at = NULL WHERE id = $1", x.cleo.By.Person)
		must(t, x.d, x.shell, ops.CreateUser, ops.CreateUserIn{Email: cleo, Roles: []models.Role{models.RoleApprover, models.RoleCurator}})
		x.exec(t, "INSERT INTO sessions VALUES ($1, $2, now(), now(), now() + interval '1 hour') ON CONFLICT DO NOTHING", x.cleo.Visit.Hash, x.cleo.By.Person)
		name := fmt.Sprintf("card-%d", n)
		id := x.byToken(t, x.ann, name, "")
		hash := must(t, x.d, x.di, ops.GetRecommendation, ops.RecommendationIDIn{ID: id}).Hash
		var wg sync.WaitGroup
		var err, moved error
		wg.Go(func() {
			time.Sleep(time.Duration(n%5) * time.Millisecond)
			moved = moves[n%len(moves)](t.Context())
		})
		wg.Go(func() {
			_, err = ops.Do(t.Context(), x.d, x.cleo, ops.DecideRecommendation, ops.DecideIn{ID: id, Hash: hash, Verdict: "approve"})
		})
		wg.Wait()
		if moved != nil {
			t.Fatalf("round %d: the other change: %v", n, moved)
		}
		cards := len(x.strings(t, "SELECT id FROM topic_cards WHERE id = $1", name))
		switch told(err) {
		case "ok":
			won++
			if cards != 1 || x.state(t, id) != models.Applied {
				t.Errorf("round %d: decided, %d cards, %s", n, cards, x.state(t, id))
			}
		case "session_required", "not_entitled":
			if cards != 0 || x.state(t, id) != models.Pending {
				t.Errorf("round %d: refused, %d cards, %s", n, cards, x.state(t, id))
			}
		default:
			t.Errorf("round %d: %v", n, err)
		}
	}
	t.Logf("decided before in %d of %d", won, rounds(15, 60))
}

// While one takes the place of another, and that is decided on: one of the two
// comes first.
func TestSupersedingWhileDeciding(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	tokens := must(t, x.d, x.ann, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeInvoke, models.ScopeWrite}})
	by, err := x.d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	for n := range rounds(12, 50) {
		name := fmt.Sprintf("card-%d", n)
		id := x.byToken(t, x.ann, name, "")
		hash := must(t, x.d, x.di, ops.GetRecommendation, ops.RecommendationIDIn{ID: id}).Hash
		var wg sync.WaitGroup
		var decided, next error
		wg.Go(func() {
			_, decided = ops.Do(t.Context(), x.d, x.cleo, ops.DecideRecommendation, ops.DecideIn{ID: id, Hash: hash, Verdict: "approve"})
		})
		wg.Go(func() {
			_, next = ops.Do(t.Context(), x.d, ops.Call{By: by, Brain: "acme", Via: ops.REST, Supersedes: id}, ops.SaveCard, card(name))
		})
		wg.Wait()
		_, queued := ops.AsWaiting(next)
		state := x.state(t, id)
		if (decided == nil) == queued || queued && (state != models.Superseded || told(decided) != "already_decided") || !queued && state != models.Applied {
			t.Errorf("round %d: %s; the decision %v, the next one %v", n, state, decided, next)
		}
		if said := x.said(t, id); len(said) != 1 || said[0] != string(state) {
			t.Errorf("round %d: the log says %q of what is %s", n, said, state)
		}
	}
}
