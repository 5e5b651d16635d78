package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/models/store/localpg"
)

// A desk is two people at work over HTTP: a program of one of them proposes, the
// other one decides in a browser's session. What the server acknowledged is kept.
type desk struct {
	url     string
	judge   *http.Client // with the session's cookie
	program *http.Client
	token   string

	mu   sync.Mutex
	acks map[string]string // recommendations, and what they became
	made chan struct{}     // one for each acknowledgement
}

// sent makes one request and returns the answer's JSON.
func (d *desk) sent(c *http.Client, method, path, body string) (status int, v map[string]any, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, d.url+"/v1"+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if c == d.program {
		d.mu.Lock()
		req.Header.Set("Authorization", "Bearer "+d.token)
		d.mu.Unlock()
	}
	res, err := c.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil, err // half an answer acknowledges nothing
	}
	return res.StatusCode, v, json.Unmarshal(raw, &v)
}

// one takes a change from its proposal to its end.
func (d *desk) one(n int) error {
	method, path, body := http.MethodPut, fmt.Sprintf("/brains/acme/draft/topic-cards/card-%d", n), `{"label":"Fees","covers":"fees","anchors":["HB 1"]}`
	if n%4 == 3 {
		method, path, body = http.MethodPost, "/brains/acme/versions", `{}`
	}
	status, v, err := d.sent(d.program, method, path, body)
	if err != nil || status != http.StatusAccepted {
		return errors.Join(err, fmt.Errorf("%s %s: %d %v", method, path, status, v["code"]))
	}
	id := fmt.Sprint(v["recommendation_id"])
	if status, v, err = d.sent(d.judge, http.MethodGet, "/brains/acme/recommendations/"+id, ""); err != nil || status != http.StatusOK {
		return errors.Join(err, fmt.Errorf("reading %s: %d", id, status))
	}
	verdict := "approve"
	if n%8 == 1 {
		verdict = "reject"
	}
	status, v, err = d.sent(d.judge, http.MethodPost, "/brains/acme/recommendations/"+id+"/decision", fmt.Sprintf(`{"hash":%q,"verdict":%q}`, v["hash"], verdict))
	if err != nil || status != http.StatusOK {
		return errors.Join(err, fmt.Errorf("deciding on %s: %d %v", id, status, v["code"]))
	}
	d.mu.Lock()
	d.acks[id] = fmt.Sprint(v["state"])
	d.mu.Unlock()
	select {
	case d.made <- struct{}{}:
	default:
	}
	return nil
}

// work goes on until ctx ends, whatever fails meanwhile.
func (d *desk) work(ctx context.Context, from int) {
	for n := from; ctx.Err() == nil; n++ {
		if d.one(n) != nil {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// atDesk signs the two people in.
func atDesk(t *testing.T, s *server, data string) *desk {
	t.Helper()
	at := []string{"--brain-id", "acme", "--data-dir", data}
	ok(t, "", "brain", "create", "acme", "--name", "Acme", "--owner", "ann@example.org", "--data-dir", data)
	for _, email := range []string{"ben@example.org", "cleo@example.org"} {
		ok(t, testPassword, append([]string{"user", "create", email, "--role", "curator", "--password-stdin"}, at...)...)
	}
	file := t.TempDir() + "/hb.md"
	if err := os.WriteFile(file, []byte("# Handbook\n\n1. The late fee is 12 dollars.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ok(t, "", append([]string{"import", file, "--code", "HB"}, at...)...)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{url: s.url, judge: &http.Client{Jar: jar}, program: &http.Client{}, acks: map[string]string{}, made: make(chan struct{}, 1)}
	res, err := d.judge.PostForm(s.url+"/session", url.Values{"email": {"cleo@example.org"}, "password": {testPassword}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if u, _ := url.Parse(s.url); len(jar.Cookies(u)) == 0 {
		t.Fatalf("signing in: %d, and no cookie", res.StatusCode)
	}
	d.enter(t, s)
	return d
}

// enter gives the program an access token, which lives for ten minutes.
func (d *desk) enter(t *testing.T, s *server) {
	t.Helper()
	access, _, status := s.signIn(t, fmt.Sprintf(`{"grant_type":"password","email":"ben@example.org","password":%q,"brain_id":"acme","scopes":["mcp:invoke","mcp:write"]}`, testPassword))
	if status != http.StatusOK {
		t.Fatalf("the program signs in: %d", status)
	}
	d.mu.Lock()
	d.token = access
	d.mu.Unlock()
}

// next waits until something more was acknowledged.
func (d *desk) next(t *testing.T, s *server) {
	t.Helper()
	select {
	case <-d.made:
	default:
	}
	select {
	case <-d.made:
	case <-time.After(30 * time.Second):
		t.Fatalf("nothing was decided for 30 s: %v\n%s", d.one(1_000_000), s.err.String())
	}
}

// halfDone names what is half done: a state that its approvals, its row of the
// log or the change itself do not bear out.
const halfDone = `
WITH r AS (
  SELECT r.*, (SELECT count(*) FROM participation o WHERE o.recommendation_id = r.id AND o.part = 'approve') AS yes,
    (SELECT count(*) FROM participation o WHERE o.recommendation_id = r.id AND o.part = 'reject') AS no,
    (SELECT count(*) FROM audit a WHERE a.target = r.id AND a.outcome = 'ok' AND a.detail->>'state' = r.state) AS rows,
    (SELECT count(*) FROM audit a WHERE a.target = r.id AND a.outcome = 'queued') AS queued
  FROM recommendations r)
SELECT id || ' ' || operation || ' ' || state || ' yes ' || yes || ' no ' || no || ' rows ' || rows FROM r
WHERE queued <> 1 OR yes <> (CASE WHEN state IN ('applied', 'stale') THEN 1 ELSE 0 END) OR no <> (CASE state WHEN 'rejected' THEN 1 ELSE 0 END) OR rows <> (CASE state WHEN 'pending' THEN 0 ELSE 1 END)
UNION ALL SELECT 'card ' || c.id || ' revision ' || c.rev FROM topic_cards c
WHERE c.rev <> (SELECT count(*) FROM r WHERE r.target = 'topic card ' || c.id AND r.state = 'applied')
UNION ALL SELECT 'applied and not there: ' || r.target FROM r WHERE r.state = 'applied' AND r.operation = 'topic_cards.save' AND NOT EXISTS (SELECT FROM topic_cards c WHERE r.target = 'topic card ' || c.id)
UNION ALL SELECT 'published ' || b.published || ' of ' || (SELECT count(*) FROM versions) FROM brains b
WHERE b.published <> (SELECT count(*) FROM versions) OR b.published <> (SELECT count(*) FROM r WHERE state = 'applied' AND operation = 'versions.publish')`

// bears holds the database against what was acknowledged, and the audit chain
// against itself.
func (d *desk) bears(t *testing.T, data string) {
	t.Helper()
	c := asAdmin(t, data)
	all := func(sql string) []string {
		t.Helper()
		rows, err := c.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		out, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if bad := all(halfDone); len(bad) > 0 {
		t.Errorf("half done: %q", bad)
	}
	states := map[string]string{}
	for _, l := range all("SELECT id || ' ' || state FROM recommendations") {
		id, state, _ := strings.Cut(l, " ")
		states[id] = state
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, state := range d.acks {
		if states[id] != state {
			t.Errorf("%s was acknowledged as %s and is %q", id, state, states[id])
		}
	}
	if out := ok(t, "", "audit", "verify", "--brain-id", "acme", "--data-dir", data); !strings.Contains(out, "rows sealed") {
		t.Error(out)
	}
}

func often(few, all int) int {
	if os.Getenv("POLARIS_TEST_LONG") != "" {
		return all
	}
	return few
}

// The server's process is killed at moments that nobody chose, while changes are
// decided on and published over HTTP, and then its PostgreSQL is. Nothing is half
// done, nothing that was acknowledged is lost, the chain is whole, and it goes on
// within ten seconds.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	data, addr := dataFolder(t), freeAddress(t)
	s, _ := serve(t, data, addr, "--rate-limit", "off")
	d := atDesk(t, s, data)
	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	for i := range 2 {
		load.Go(func() { d.work(ctx, 100_000*(i+1)) })
	}
	defer load.Wait()
	defer stop()

	var slowest time.Duration
	recovered := func(what string, took time.Duration) {
		slowest = max(slowest, took)
		if took > 10*time.Second {
			t.Errorf("after %s it took %v to go on", what, took)
		}
	}
	d.next(t, s)
	kills := often(8, 100)
	for i := range kills {
		time.Sleep(time.Duration(rand.IntN(150_000)) * time.Microsecond)
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_ = s.cmd.Wait() // it was killed
		s, _ = serve(t, data, addr, "--rate-limit", "off")
		d.next(t, s)
		recovered("the server was killed", time.Since(began))
		if i%25 == 24 {
			d.enter(t, s)
		}
	}
	t.Logf("server killed %d times: %d acknowledged, slowest recovery %v", kills, len(d.acks), slowest)

	pg, err := localpg.Attach(t.Context(), localpg.Config{Dir: data})
	if err != nil {
		t.Fatal(err)
	}
	slowest = 0
	kills = often(2, 20)
	for range kills {
		time.Sleep(time.Duration(rand.IntN(150_000)) * time.Microsecond)
		pid := pg.PID()
		if pid <= 1 {
			t.Fatal("PostgreSQL has no process")
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for now := pid; now == pid || now == 0; now = pg.PID() { // back ends of the one that was killed answer for a moment yet
			time.Sleep(time.Millisecond)
			if time.Since(began) > time.Minute {
				t.Fatal("PostgreSQL has no successor")
			}
		}
		d.next(t, s)
		recovered("PostgreSQL was killed", time.Since(began))
	}
	stop()
	load.Wait()
	t.Logf("PostgreSQL killed %d times: %d acknowledged in all, slowest recovery %v", kills, len(d.acks), slowest)
	if err := pg.Detach(); err != nil {
		t.Error(err)
	}
	d.bears(t, data)
	tally := map[string]int{}
	for _, state := range d.acks {
		tally[state]++
	}
	t.Logf("what was acknowledged: %v", tally)
	if tally["applied"] == 0 || tally["rejected"] == 0 {
		t.Error("too little was decided for this to say much")
	}
	s.stop(t)
}
