package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/internal/leaks"
	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/localpg"
	"polaris/ops"
)

// replicas are several servers on one database, and a desk on the same one by
// which the test changes what they see.
type replicas struct {
	t       *testing.T
	cluster *localpg.Cluster
	data    string // the cluster's folder
	servers []*server
	desk    *ops.Desk
	admin   *pgx.Conn // the database's superuser
	hops    atomic.Uint32
}

const replicaBrain models.BrainID = "acme"

func startReplicas(t *testing.T, n int) *replicas {
	t.Helper()
	needsPostgres(t)
	data := dataFolder(t)
	pg, err := localpg.Attach(t.Context(), localpg.Config{Dir: data, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Detach() })
	r := &replicas{t: t, cluster: pg, data: data}
	for range n {
		s, _ := serve(t, t.TempDir(), freeAddress(t), "--database-url", pg.DSN(localApp, localDB), "--migrate-url", pg.DSN(localOwner, localDB),
			"--secret-key", strings.Repeat("5a", 32), "--public-url", "https://polaris.example", "--trusted-proxies", "127.0.0.0/8", "--rate-limit", "off")
		r.servers = append(r.servers, s)
	}
	if r.admin, err = pgx.Connect(t.Context(), pg.DSN(localpg.Admin, localDB)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.admin.Close(context.Background()) })
	st, err := store.Open(t.Context(), pg.DSN(localApp, localDB), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	r.desk = ops.NewDesk(st, ops.Settings{PublicURL: "https://polaris.example", MaxQueryChars: 100, RateLimit: models.Rate{Off: true}}, leaks.Log(t))
	mustDo(r, replicaBrain, ops.CreateBrain, ops.CreateBrainIn{ID: replicaBrain, Name: "Acme", OwnerEmail: "ada@example.org"})
	return r
}

// mustDo runs an operation at the terminal.
func mustDo[In, Out any](r *replicas, brain models.BrainID, o *ops.Op[In, Out], in In) Out {
	r.t.Helper()
	by := models.Principal{Kind: models.KindTerminal, Actor: "ada@example.org", Brain: brain}
	out, err := ops.Do(context.Background(), r.desk, ops.Call{By: by, Brain: brain, Via: ops.CLI}, o, in)
	if err != nil {
		r.t.Fatalf("%s: %v", o.Name, err)
	}
	return out
}

// person makes a member with a password.
func (r *replicas) person(email string, roles ...models.Role) {
	r.t.Helper()
	u := mustDo(r, replicaBrain, ops.CreateUser, ops.CreateUserIn{Email: email, Roles: roles})
	if _, err := ops.Do(context.Background(), r.desk, ops.Call{By: ops.Visitor(), Brain: store.Instance, Via: ops.Web}, ops.UseLink, ops.UseLinkIn{Token: u.Link, Password: testPassword}); err != nil {
		r.t.Fatal(err)
	}
}

const testPassword = "correct horse battery staple"

// token signs a program in as the person.
func (r *replicas) token(email string) (access, refresh string) {
	r.t.Helper()
	body, _ := json.Marshal(map[string]any{"grant_type": "password", "email": email, "password": testPassword, "brain_id": replicaBrain})
	var got struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
	}
	res := r.send(http.MethodPost, r.servers[0].url+"/v1/auth/token", "", string(body))
	if err := json.Unmarshal(res.body, &got); err != nil || got.AccessToken == "" {
		r.t.Fatalf("no token: %d %s", res.status, res.body)
	}
	return got.AccessToken, got.RefreshToken
}

// holdsNoSecret looks for secrets in a dump of the database and in PostgreSQL's
// own files, where rows that were changed or removed are still to be found.
func (r *replicas) holdsNoSecret() {
	r.t.Helper()
	bin, _, err := localpg.Find(0)
	if err != nil {
		r.t.Fatal(err)
	}
	dump, err := exec.CommandContext(context.Background(), filepath.Join(bin, "pg_dump"), r.cluster.DSN(localpg.Admin, localDB)).Output()
	if err != nil || !bytes.Contains(dump, []byte("COPY public.api_keys")) {
		r.t.Fatalf("pg_dump: %v; %d bytes", err, len(dump))
	}
	for _, secret := range leaks.In(dump) {
		r.t.Errorf("the dump holds a secret: %s", secret)
	}
	if _, err := r.admin.Exec(context.Background(), "CHECKPOINT"); err != nil {
		r.t.Fatal(err)
	}
	looked, err := leaks.Files(r.data, func(path, secret string) { r.t.Errorf("%s holds a secret: %s", path, secret) })
	if err != nil || looked < 10<<20 {
		r.t.Errorf("looked through %d bytes of PostgreSQL's files only: %v", looked, err)
	}
}

type reply struct {
	start  time.Time
	status int
	body   []byte
	what   string
}

// send sends one request from an address that no other request comes from, so
// that the throttle for failed credentials stays out of the way.
func (r *replicas) send(method, url, credential, body string) reply {
	req, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	n := r.hops.Add(1)
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
	req.Header.Set("Content-Type", "application/json")
	if credential != "" {
		req.Header.Set("Authorization", "Bearer "+credential)
	}
	a := reply{start: time.Now(), what: method + " " + url}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return a
	}
	a.status = res.StatusCode
	a.body, _ = io.ReadAll(res.Body)
	res.Body.Close()
	return a
}

// doors are the requests that a credential is tried with.
var doors = []struct{ method, path, body string }{
	{http.MethodPost, "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
	{http.MethodGet, "/v1/models", ""},
	{http.MethodGet, "/v1/brains/" + string(replicaBrain) + "/topic-cards", ""},
}

// pressed puts load on every server by every door while change runs, and returns
// what was answered.
func (r *replicas) pressed(credential string, change func()) (answers []reply, changed time.Time) {
	var mu sync.Mutex
	var work sync.WaitGroup
	var warm sync.WaitGroup
	stop := make(chan struct{})
	for _, s := range r.servers {
		for _, d := range doors {
			warm.Add(1)
			work.Go(func() {
				for i := 0; ; i++ {
					a := r.send(d.method, s.url+d.path, credential, d.body)
					mu.Lock()
					answers = append(answers, a)
					mu.Unlock()
					if i == 1 {
						warm.Done()
					}
					select {
					case <-stop:
						if i >= 1 {
							return
						}
					default:
					}
				}
			})
		}
	}
	warm.Wait()
	change()
	changed = time.Now()
	time.Sleep(60 * time.Millisecond)
	close(stop)
	work.Wait()
	return answers, changed
}

// TestWhatEndsHoldsAtOnce ends credentials in every way there is, with three
// servers under load: no request that starts after the change is let in, by any
// door of any server. With POLARIS_TEST_LONG each way is tried 50 times.
func TestWhatEndsHoldsAtOnce(t *testing.T) {
	t.Parallel()
	rounds := 2
	if os.Getenv("POLARIS_TEST_LONG") != "" {
		rounds = 50
	}
	r := startReplicas(t, 3)
	mint := func(in ops.CreateAPIKeyIn) ops.CreatedAPIKey {
		in.Label = "t"
		return mustDo(r, replicaBrain, ops.CreateAPIKey, in)
	}
	sql := func(q string, args ...any) {
		if _, err := r.admin.Exec(context.Background(), q, args...); err != nil {
			t.Fatal(err)
		}
	}
	type ending struct {
		credential string
		change     func()
		status     int
	}
	ways := []struct {
		name string
		make func(who string) ending
	}{
		{"a key is revoked", func(string) ending {
			k := mint(ops.CreateAPIKeyIn{})
			return ending{k.Secret, func() { mustDo(r, replicaBrain, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: k.ID}) }, 401}
		}},
		{"a key is rotated past its overlap", func(string) ending {
			k := mint(ops.CreateAPIKeyIn{})
			return ending{k.Secret, func() {
				mustDo(r, replicaBrain, ops.RotateAPIKey, ops.RotateAPIKeyIn{ID: k.ID, OverlapSeconds: new(0)})
			}, 401}
		}},
		{"a key expires", func(string) ending {
			k := mint(ops.CreateAPIKeyIn{})
			return ending{k.Secret, func() {
				at := time.Now().Add(30 * time.Millisecond)
				sql("UPDATE api_keys SET expires_at = $1 WHERE id = $2", at, k.ID)
				time.Sleep(time.Until(at))
			}, 401}
		}},
		{"a key's scope is taken", func(string) ending {
			k := mint(ops.CreateAPIKeyIn{Scopes: []models.Scope{models.ScopeAdvisorRead, models.ScopeInvoke}})
			return ending{k.Secret, func() {
				mustDo(r, replicaBrain, ops.UpdateAPIKey, ops.UpdateAPIKeyIn{ID: k.ID, Scopes: []models.Scope{models.ScopeInvoke}})
			}, 403}
		}},
		{"a key's owner is disabled", func(who string) ending {
			r.person(who, models.RoleReader)
			k := mint(ops.CreateAPIKeyIn{Actor: who})
			return ending{k.Secret, func() { mustDo(r, store.Instance, ops.DisableUser, ops.UserIn{Email: who}) }, 401}
		}},
		{"a key's owner leaves the brain", func(who string) ending {
			r.person(who, models.RoleReader)
			k := mint(ops.CreateAPIKeyIn{Actor: who})
			return ending{k.Secret, func() { mustDo(r, replicaBrain, ops.RemoveMember, ops.MemberIn{Member: who}) }, 401}
		}},
		{"a token's person is disabled", func(who string) ending {
			r.person(who, models.RoleReader)
			access, _ := r.token(who)
			return ending{access, func() { mustDo(r, store.Instance, ops.DisableUser, ops.UserIn{Email: who}) }, 401}
		}},
		{"a token's person leaves the brain", func(who string) ending {
			r.person(who, models.RoleReader)
			access, _ := r.token(who)
			return ending{access, func() { mustDo(r, replicaBrain, ops.RemoveMember, ops.MemberIn{Member: who}) }, 401}
		}},
		{"a person signs out everywhere", func(who string) ending {
			r.person(who, models.RoleReader)
			access, _ := r.token(who)
			return ending{access, func() { mustDo(r, store.Instance, ops.EndSignIns, ops.EndSignInsIn{Email: who}) }, 401}
		}},
		{"a program's sign-in is ended", func(who string) ending {
			r.person(who, models.RoleReader)
			access, refresh := r.token(who)
			return ending{access, func() {
				body, _ := json.Marshal(map[string]string{"refresh_token": refresh})
				if a := r.send(http.MethodDelete, r.servers[0].url+"/v1/auth/token", "", string(body)); a.status != http.StatusNoContent {
					t.Errorf("ending the sign-in: %d %s", a.status, a.body)
				}
			}, 401}
		}},
	}
	for i, way := range ways {
		let, kept := 0, 0
		for round := range rounds {
			e := way.make(fmt.Sprintf("w%dr%d@example.org", i, round))
			answers, changed := r.pressed(e.credential, e.change)
			for _, a := range answers {
				switch {
				case t.Failed(): // one is enough
					return
				case a.status == 0 || a.status >= 500:
					t.Errorf("%s: %s: status %d %s", way.name, a.what, a.status, a.body)
				case a.start.After(changed) && a.status != e.status:
					t.Errorf("%s, round %d: let in %s after the change: %s: %d %s", way.name, round, a.start.Sub(changed), a.what, a.status, a.body)
				case a.start.After(changed):
					kept++
				case a.status == http.StatusOK:
					let++
				}
			}
		}
		if let < rounds*len(doors)*len(r.servers) || kept < rounds {
			t.Errorf("%s: %d let in before, %d refused after: too few to mean anything", way.name, let, kept)
		}
		t.Logf("%s: %d rounds, %d let in before the change, %d refused after it", way.name, rounds, let, kept)
	}
	r.holdsNoSecret()
}
