package ops_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"polaris/internal/leaks"
	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/localpg"
	"polaris/models/store/storetest"
	"polaris/ops"
)

// deciderEnv tells this program to be the one that is killed: it holds the
// database's address and the sessions of ann and cleo.
const deciderEnv = "POLARIS_TEST_DECIDER"

// TestDecider is no test but the process that is killed: it proposes, decides
// and publishes for as long as it lives, and says on its output what it was told
// has been done. Without its variable it does nothing.
func TestDecider(t *testing.T) {
	given := strings.Split(os.Getenv(deciderEnv), "|")
	if len(given) != 3 {
		return
	}
	s, err := store.Open(t.Context(), given[0], store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := ops.NewDesk(s, ops.Settings{PublicURL: "http://polaris.test", MaxQueryChars: 8000}, leaks.Log(t))
	go d.SealForever(t.Context())
	who := func(email, session string) ops.Call {
		c := signedIn(t, d, "acme", email)
		hash, err := hex.DecodeString(session)
		if err != nil {
			t.Fatal(err)
		}
		c.Visit = &ops.Visit{Hash: hash}
		return c
	}
	ann, judge := who("ann@example.org", given[1]), who(cleo, given[2])
	agent := ann
	agent.Via, agent.Visit = ops.REST, nil
	for n := 0; ; n++ {
		if err := decideOne(d, ann, agent, judge, n); err != nil {
			time.Sleep(5 * time.Millisecond) // the database is away: what was asked for is not acknowledged
		}
	}
}

// decideOne takes one change from its proposal to its end, and says which.
func decideOne(d *ops.Desk, ann, agent, judge ops.Call, n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	verdict, by := "approve", ann
	var err error
	if n%4 == 3 {
		_, err = ops.Do(ctx, d, ann, ops.PublishVersion, ops.PublishIn{})
	} else {
		by = agent
		_, err = ops.Do(ctx, d, agent, ops.SaveCard, card(fmt.Sprintf("card-%d-%d", os.Getpid(), n)))
	}
	q, ok := ops.AsWaiting(err)
	if !ok {
		return err
	}
	switch n % 8 {
	case 1:
		verdict = "reject"
	case 5:
		out, err := ops.Do(ctx, d, by, ops.WithdrawRecommendation, ops.RecommendationIDIn{ID: q.ID})
		if err == nil {
			fmt.Println("ACK", q.ID, out.State)
		}
		return err
	}
	v, err := ops.Do(ctx, d, judge, ops.GetRecommendation, ops.RecommendationIDIn{ID: q.ID})
	if err != nil {
		return err
	}
	out, err := ops.Do(ctx, d, judge, ops.DecideRecommendation, ops.DecideIn{ID: q.ID, Hash: v.Hash, Verdict: verdict})
	if err == nil {
		fmt.Println("ACK", q.ID, out.State)
	}
	return err
}

// A decider is such a process.
type decider struct {
	cmd  *exec.Cmd
	acks chan [2]string // a recommendation, and what it became
}

func (x *team) decider(t *testing.T) *decider {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestDecider$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), deciderEnv+"="+strings.Join([]string{x.db.URL, hex.EncodeToString(x.ann.Visit.Hash), hex.EncodeToString(x.cleo.Visit.Hash)}, "|"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &decider{cmd, make(chan [2]string, 1<<16)}
	go func() {
		defer close(p.acks)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			if f := strings.Fields(sc.Text()); len(f) == 3 && f[0] == "ACK" {
				p.acks <- [2]string{f[1], f[2]}
			}
		}
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // it has ended already where all went well
	return p
}

// next waits for an acknowledgement, and returns how long that took.
func (p *decider) next(t *testing.T, acks map[string]string) time.Duration {
	t.Helper()
	begun := time.Now()
	select {
	case a, ok := <-p.acks:
		if !ok {
			t.Fatal("the process has ended by itself")
		}
		acks[a[0]] = a[1]
	case <-time.After(20 * time.Second):
		t.Fatal("nothing was decided for 20 s")
	}
	return time.Since(begun)
}

// kill ends the process by force and takes down what it was still told.
func (p *decider) kill(acks map[string]string) {
	_ = p.cmd.Process.Kill()
	for a := range p.acks {
		acks[a[0]] = a[1]
	}
	_ = p.cmd.Wait() // it was killed
}

// halves names what is half done: a state that its approvals, its audit row or
// the change itself do not bear out.
const halves = `
WITH r AS (
  SELECT r.*, (SELECT count(*) FROM participation o WHERE o.brain_id = r.brain_id AND o.recommendation_id = r.id AND o.part = 'approve') AS yes,
    (SELECT count(*) FROM participation o WHERE o.brain_id = r.brain_id AND o.recommendation_id = r.id AND o.part = 'reject') AS no,
    (SELECT count(*) FROM audit a WHERE a.brain_id = r.brain_id AND a.target = r.id AND a.outcome = 'ok' AND a.detail->>'state' = r.state) AS rows,
    (SELECT count(*) FROM audit a WHERE a.brain_id = r.brain_id AND a.target = r.id AND a.outcome = 'queued') AS queued,
    (SELECT count(*) FROM topic_cards c WHERE r.target = 'topic card ' || c.id) AS cards
  FROM recommendations r)
SELECT id || ' ' || operation || ' ' || state || ' yes ' || yes || ' no ' || no || ' rows ' || rows || ' cards ' || cards FROM r
WHERE queued <> 1 OR yes <> (CASE WHEN state IN ('applied', 'stale') THEN 1 ELSE 0 END) OR no <> (CASE state WHEN 'rejected' THEN 1 ELSE 0 END)
  OR rows <> (CASE state WHEN 'pending' THEN 0 ELSE 1 END) OR cards <> (CASE WHEN state = 'applied' AND operation = 'topic_cards.save' THEN 1 ELSE 0 END)
UNION ALL
SELECT 'published ' || b.published || ', ' || (SELECT count(*) FROM versions) || ' versions, ' || (SELECT count(*) FROM r WHERE state = 'applied' AND operation = 'versions.publish') || ' applied'
FROM brains b WHERE b.published <> (SELECT count(*) FROM versions) OR b.published <> (SELECT count(*) FROM r WHERE state = 'applied' AND operation = 'versions.publish')`

// intact fails the test where something is half done, or something that was
// acknowledged is not so.
func (x *team) intact(t *testing.T, acks map[string]string) {
	t.Helper()
	if bad := x.strings(t, halves); len(bad) > 0 {
		t.Fatalf("half done: %q", bad)
	}
	states := map[string]string{}
	for _, l := range x.strings(t, "SELECT id || ' ' || state FROM recommendations") {
		id, state, _ := strings.Cut(l, " ")
		states[id] = state
	}
	for id, state := range acks {
		if states[id] != state {
			t.Fatalf("%s was acknowledged as %s and is %q", id, state, states[id])
		}
	}
	whole(t, x.d)
}

// ownCluster starts a PostgreSQL of the test's own, one that waits for its disk.
func ownCluster(t *testing.T) (*localpg.Cluster, *team) {
	t.Helper()
	storetest.New(t) // skips or fails where there is no PostgreSQL
	dir, err := os.MkdirTemp("", "polaris-crash-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil { // as root the server runs as another user
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := localpg.Attach(ctx, localpg.Config{Dir: dir, Log: leaks.Log(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := c.Stop(ctx); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	own := c.DSN(localpg.Owner, localpg.Database)
	if _, err := store.Migrate(ctx, own, localpg.App); err != nil {
		t.Fatal(err)
	}
	db := storetest.Database{Name: localpg.Database, URL: c.DSN(localpg.App, localpg.Database), Own: own}
	s, err := store.Open(ctx, db.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	d := ops.NewDesk(s, ops.Settings{PublicURL: "http://polaris.test", MaxQueryChars: 8000, RateLimit: models.Rate{Off: true}, SealingKey: make([]byte, 32)}, leaks.Log(t))
	return c, teamAt(t, d, db)
}

// The process and the database are killed at moments that nobody chose, while
// changes are decided on and published. Nothing is half done, nothing that was
// acknowledged is lost, the audit chain is whole, and it goes on within ten
// seconds.
func TestKilledWhileDeciding(t *testing.T) {
	t.Parallel()
	pg, x := ownCluster(t)
	acks := map[string]string{}
	var slowest time.Duration
	recovered := func(what string, took time.Duration) {
		slowest = max(slowest, took)
		if took > 10*time.Second {
			t.Errorf("after %s it took %v to go on", what, took)
		}
	}
	killed := rounds(4, 100)
	for range killed {
		p := x.decider(t)
		recovered("the process was killed", p.next(t, acks))
		time.Sleep(time.Duration(rand.IntN(150_000)) * time.Microsecond)
		p.kill(acks)
		x.intact(t, acks)
	}
	t.Logf("process killed %d times: %d acknowledged, slowest start to first decision %v", killed, len(acks), slowest)

	slowest = 0
	p := x.decider(t)
	p.next(t, acks)
	killed = rounds(2, 20)
	for range killed {
		time.Sleep(time.Duration(rand.IntN(150_000)) * time.Microsecond)
		pid := pg.PID()
		if pid <= 1 {
			t.Fatal("PostgreSQL has no process")
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		for len(p.acks) > 0 { // what was said before it was felt
			p.next(t, acks)
		}
		p.next(t, acks)
		for last := false; !last; { // the first that PostgreSQL's successor has made
			// Back ends of the one that was killed answer for a moment yet.
			now := pg.PID()
			last = now != 0 && now != pid && x.d.Store.Ping(t.Context()) == nil
			time.Sleep(time.Millisecond)
		}
		p.next(t, acks)
		recovered("PostgreSQL was killed", time.Since(begun))
	}
	p.kill(acks)
	x.intact(t, acks)
	t.Logf("PostgreSQL killed %d times: %d acknowledged in all, slowest recovery %v", killed, len(acks), slowest)
}
