// Package wiretest holds the tables of the hosted MCP endpoint as rows that can
// be run through any handler that serves it: the endpoint alone, and the whole
// router of the web server. It needs real PostgreSQL; a package that uses it
// lets storetest.Main run its tests.
package wiretest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/cmd/bb/demo"
	"polaris/internal/leaks"
	"polaris/mcp"
	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
	"polaris/ops"
	"polaris/ops/door"
)

// Mount puts the endpoint where clients reach it. It returns what is to be
// served.
type Mount func(tb testing.TB, w *World, hosted http.Handler) http.Handler

// PublicHost is the host of the public URL of every world.
const PublicHost = "polaris.example"

// Options of a world.
type Options struct {
	Rate      models.Rate     // default: none
	Deadline  time.Duration   // default: the endpoint's own
	Published bool            // whether calliope has a published version
	Tokens    bool            // "reader" and "other" are access tokens of the brains' owner
	Log       io.Writer       // default: nowhere
	Tracer    pgx.QueryTracer // sees every statement
	Tools     ops.Catalog     // beside those of every world
}

// A World is two brains with keys, behind a server on loopback.
type World struct {
	tb   testing.TB
	URL  string // of the server, without a path
	Desk *ops.Desk
	Door *door.Door
	Keys map[string]string // by what they are: see [NewWorld]
	DB   storetest.Database

	Slow      *Slow  // the test-only tools
	StoreAway func() // takes the database away for good
	next      atomic.Uint32
}

// NewWorld makes a world. Its keys: "reader" of calliope and "other" of urania
// have advisor:read; "operator" lacks it; "revoked" and "expired" are that;
// "tight" may do 2 requests a minute.
func NewWorld(tb testing.TB, mount Mount, o Options) *World {
	tb.Helper()
	if o.Rate.IsZero() {
		o.Rate = models.Rate{Off: true}
	}
	to := leaks.Writer(tb)
	if o.Log != nil {
		to = io.MultiWriter(to, o.Log)
	}
	log := slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))
	db := storetest.New(tb)
	s, err := store.Open(tb.Context(), db.URL, store.Options{Tracer: o.Tracer})
	if err != nil {
		tb.Fatal(err)
	}
	d := ops.NewDesk(s, ops.Settings{PublicURL: "https://" + PublicHost, MaxQueryChars: 8000, RateLimit: o.Rate, SealingKey: make([]byte, 32)}, log)
	w := &World{tb: tb, Desk: d, Keys: map[string]string{}, DB: db, Slow: newSlow(), StoreAway: sync.OnceFunc(s.Close)}
	tb.Cleanup(w.StoreAway)
	w.brains()
	if o.Tokens {
		w.Keys["reader"], w.Keys["other"] = w.Token(demo.Brain), w.Token("urania")
	}
	if o.Published {
		if err := demo.Publish(tb.Context(), d, terminal(demo.Brain)); err != nil {
			tb.Fatal(err)
		}
	}
	at, err := door.New(d, door.Config{
		PublicURL: "https://" + PublicHost, AllowedOrigins: []string{"https://app.example"}, CORSOrigins: []string{"http://localhost:6274"},
		// Each row comes from an address of its own, so that failed credentials
		// of one row are not counted against another.
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		SessionCookie:  "polaris_session",
	})
	if err != nil {
		tb.Fatal(err)
	}
	w.Door = at
	hosted, err := mcp.Hosted(d, at, mcp.Config{Deadline: o.Deadline, Log: log, Catalog: slices.Concat(ops.All(), w.Slow.entries(), o.Tools)})
	if err != nil {
		tb.Fatal(err)
	}
	srv := httptest.NewServer(mount(tb, w, hosted))
	tb.Cleanup(srv.Close)
	w.URL = srv.URL
	return w
}

func (w *World) brains() {
	for _, b := range []models.BrainID{demo.Brain, "urania"} {
		do(w.tb, w.Desk, terminal(b), ops.CreateBrain, ops.CreateBrainIn{ID: b, Name: string(b), OwnerEmail: "ada@example.org"})
	}
	w.Keys["reader"] = w.Mint(demo.Brain, ops.CreateAPIKeyIn{})
	w.Keys["other"] = w.Mint("urania", ops.CreateAPIKeyIn{})
	w.Keys["operator"] = w.Mint(demo.Brain, ops.CreateAPIKeyIn{Scopes: []models.Scope{models.ScopeInvoke}})
	w.Keys["tight"] = w.Mint(demo.Brain, ops.CreateAPIKeyIn{RateN: 2, RateSeconds: 60})
	w.Keys["revoked"] = w.Mint(demo.Brain, ops.CreateAPIKeyIn{})
	w.Revoke(w.Keys["revoked"])
	now := w.Desk.Now
	w.Desk.Now = func() time.Time { return now().Add(-48 * time.Hour) }
	w.Keys["expired"] = w.Mint(demo.Brain, ops.CreateAPIKeyIn{ExpiresDays: 1})
	w.Desk.Now = now
}

// Mint makes a key.
func (w *World) Mint(b models.BrainID, in ops.CreateAPIKeyIn) string {
	w.tb.Helper()
	in.Label = "wire"
	return do(w.tb, w.Desk, terminal(b), ops.CreateAPIKey, in).Secret
}

// Token signs a program in as the brain's owner, and returns its access token.
func (w *World) Token(b models.BrainID, scopes ...models.Scope) string {
	w.tb.Helper()
	p, err := w.Desk.Store.PersonByEmail(w.tb.Context(), "ada@example.org")
	if err != nil {
		w.tb.Fatal(err)
	}
	by := models.Principal{Kind: models.KindPerson, Person: p.ID, Actor: p.Email, Brain: b, Authenticated: true, TokenVersion: p.TokenVersion}
	return do(w.tb, w.Desk, ops.Call{By: by, Brain: b, Via: ops.Web}, ops.CreateTokens, ops.CreateTokensIn{Scopes: scopes}).AccessToken
}

// Revoke revokes a key of calliope.
func (w *World) Revoke(key string) {
	w.tb.Helper()
	id, _ := models.KeyID(key)
	do(w.tb, w.Desk, terminal(demo.Brain), ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: id})
}

// terminal returns the circumstances of a command on a brain.
func terminal(b models.BrainID) ops.Call {
	return ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: "ada@example.org"}, Brain: b, Via: ops.CLI}
}

func do[In, Out any](tb testing.TB, d *ops.Desk, c ops.Call, o *ops.Op[In, Out], in In) Out {
	tb.Helper()
	out, err := ops.Do(tb.Context(), d, c, o, in)
	if err != nil {
		tb.Fatalf("%s: %v", o.Name, err)
	}
	return out
}

// Address returns an address that no other request of this world has had.
func (w *World) Address() string {
	n := w.next.Add(1)
	return fmt.Sprintf("198.18.%d.%d", n/250, n%250+1)
}

// key replaces {reader} and the like in a header's value by the key.
func (w *World) key(v string) string {
	for name, k := range w.Keys {
		v = strings.ReplaceAll(v, "{"+name+"}", k)
	}
	return v
}

// A Slow offers the tools that only tests have: "slow" waits until its call is
// cancelled or released, "deaf" waits for its release only, "broken" fails with
// an error that names secrets, "panics" panics, "unfit" answers what its schema
// does not allow.
type Slow struct {
	mu      sync.Mutex
	started chan string
	release chan struct{}
}

// SlowIn says who waits.
type SlowIn struct {
	Who string `json:"who"`
}

// SlowOut says how the waiting ended.
type SlowOut struct {
	Ended string   `json:"ended"`
	Lists []string `json:"lists"` // nil: must not leave as null
	Maybe *SlowIn  `json:"maybe"` // nil likewise
}

// UnfitOut is written as something else than its schema says.
type UnfitOut struct {
	Ended string `json:"ended"`
}

// MarshalJSON writes a number where a string is promised, and a secret.
func (UnfitOut) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"ended": 7, "cause": secretCause})
}

func newSlow() *Slow { return &Slow{started: make(chan string, 64), release: make(chan struct{})} }

// Started waits until a slow call runs, and returns whose it is.
func (s *Slow) Started(tb testing.TB) string {
	tb.Helper()
	select {
	case who := <-s.started:
		return who
	case <-time.After(10 * time.Second):
		tb.Fatal("no slow call started")
		return ""
	}
}

// Release ends every slow call that waits now.
func (s *Slow) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.release)
	s.release = make(chan struct{})
}

func (s *Slow) released() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.release
}

// secretCause is what must never leave, in an answer or a log.
const secretCause = "relation secret_table does not exist"

func (s *Slow) entries() ops.Catalog {
	tool := func(name string, run func(context.Context, *ops.Env, SlowIn) (SlowOut, error)) *ops.Entry {
		o := &ops.Op[SlowIn, SlowOut]{Name: "test." + name, Tool: name, Title: name, Summary: "Only in tests.", Class: ops.Read, Needs: models.MayAsk, Offered: ops.Hosted, Run: run}
		return o.Entry()
	}
	hidden := tool("hidden", func(context.Context, *ops.Env, SlowIn) (SlowOut, error) { return SlowOut{}, nil })
	hidden.Needs = models.MayReadDraft
	return ops.Catalog{
		hidden,
		tool("slow", func(ctx context.Context, _ *ops.Env, in SlowIn) (SlowOut, error) {
			release := s.released()
			s.started <- in.Who
			select {
			case <-ctx.Done():
				s.started <- "cancelled:" + in.Who
				return SlowOut{}, ctx.Err()
			case <-release:
				return SlowOut{Ended: "released:" + in.Who}, nil
			}
		}),
		tool("deaf", func(_ context.Context, _ *ops.Env, in SlowIn) (SlowOut, error) {
			release := s.released()
			s.started <- in.Who
			<-release
			return SlowOut{Ended: "released"}, nil
		}),
		tool("broken", func(context.Context, *ops.Env, SlowIn) (SlowOut, error) {
			return SlowOut{}, fmt.Errorf("pq: %s", secretCause)
		}),
		tool("panics", func(context.Context, *ops.Env, SlowIn) (SlowOut, error) { panic(secretCause) }),
		(&ops.Op[SlowIn, UnfitOut]{
			Name: "test.unfit", Tool: "unfit", Title: "unfit", Summary: "Only in tests.", Class: ops.Read, Needs: models.MayAsk, Offered: ops.Hosted,
			Run: func(context.Context, *ops.Env, SlowIn) (UnfitOut, error) { return UnfitOut{}, nil },
		}).Entry(),
	}
}
