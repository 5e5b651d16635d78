package ops_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"polaris/internal/leaks"
	"polaris/models"
	"polaris/ops"
)

// vocabulary are the words of made-up rules: many of them rare, as in real ones.
func vocabulary() []string {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 20_000)
	for i := range words {
		var w strings.Builder
		for range 2 + r.IntN(3) {
			w.WriteByte("bcdfglmnprst"[r.IntN(12)])
			w.WriteByte("aeiou"[r.IntN(5)])
		}
		words[i] = w.String()
	}
	return words
}

// chapter is a document of so many numbered paragraphs.
func chapter(words []string, n, passages, edition int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), uint64(edition)))
	zipf := rand.NewZipf(r, 1.1, 8, uint64(len(words)-1))
	var b strings.Builder
	fmt.Fprintf(&b, "# Chapter %d\n\n", n)
	for i := range passages {
		fmt.Fprintf(&b, "%d. The fee of edition %d is %d dollars where", i+1, edition, i)
		for range 12 + r.IntN(20) {
			b.WriteByte(' ')
			b.WriteString(words[zipf.Uint64()])
		}
		b.WriteString(".\n\n")
	}
	return []byte(b.String())
}

// A reader asks one process without end, as an agent at the endpoint does: the
// key is looked up anew each time.
type reader struct {
	d       *ops.Desk
	secret  string
	longest time.Duration
	took    []time.Duration
	first   map[int]time.Time // when each version first answered
}

func (r *reader) read(ctx context.Context, t *testing.T, mu *sync.Mutex) {
	for ctx.Err() == nil {
		began := time.Now()
		by, err := r.d.KeyPrincipal(context.Background(), r.secret)
		if err != nil {
			t.Error(err)
			return
		}
		env, err := ops.Do(context.Background(), r.d, ops.Call{By: by, Brain: "acme", Via: ops.Hosted}, ops.Retrieve, ops.AskIn{Query: "C7 12"})
		took := time.Since(began)
		if err != nil {
			t.Errorf("a reader was told: %v", err)
			return
		}
		mu.Lock()
		r.longest = max(r.longest, took)
		r.took = append(r.took, took)
		if r.first[env.BrainVersion].IsZero() {
			r.first[env.BrainVersion] = time.Now()
		}
		mu.Unlock()
		time.Sleep(2 * time.Millisecond)
	}
}

// A large brain is published, and an older version of it restored, while agents
// ask the process that decides and another one. Nobody is refused, and both
// answer from the new version within five seconds.
func TestPublishLarge(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	docs, each := rounds(8, 100), rounds(100, 1000)
	words := vocabulary()
	for n := range docs {
		must(t, x.d, x.di, ops.ImportSource, ops.ImportSourceIn{Name: "c.md", Title: fmt.Sprint("Chapter ", n), Code: fmt.Sprintf("C%d", n), Data: chapter(words, n, each, 1)})
	}
	publish := func() string { return proposed(t, x.d, x.ann, ops.PublishVersion, ops.PublishIn{}).ID }
	if _, err := decide(t, x.d, x.ben, publish(), "approve"); err != nil {
		t.Fatal(err)
	}
	k := must(t, x.d, x.ann, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "reader"})
	elsewhere := ops.NewDesk(x.d.Store, x.d.Settings, leaks.Log(t)) // another process
	if err := elsewhere.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}

	here, there := &reader{d: x.d, secret: k.Secret, first: map[int]time.Time{}}, &reader{d: elsewhere, secret: k.Secret, first: map[int]time.Time{}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	var load sync.WaitGroup
	for _, r := range []*reader{here, here, there, there} {
		load.Go(func() { r.read(ctx, t, &mu) })
	}
	flip := func(what string, version int, decide func()) {
		t.Helper()
		mu.Lock()
		here.longest, there.longest = 0, 0
		mu.Unlock()
		began := time.Now()
		decide()
		flipped := time.Now()
		for name, r := range map[string]*reader{"the process that decided": here, "another process": there} {
			for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
				mu.Lock()
				at := r.first[version]
				mu.Unlock()
				if !at.IsZero() {
					took := at.Sub(flipped)
					t.Logf("%s: decided in %v, served by %s %v after the flip", what, flipped.Sub(began).Round(time.Millisecond), name, took.Round(time.Millisecond))
					if took > 5*time.Second {
						t.Errorf("%s is served %v after the flip by %s", what, took, name)
					}
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("%s is not served by %s", what, name)
				}
			}
		}
		mu.Lock()
		t.Logf("%s: longest answer meanwhile %v here, %v there", what, here.longest.Round(time.Millisecond), there.longest.Round(time.Millisecond))
		mu.Unlock()
	}

	for n := range 3 {
		must(t, x.d, x.di, ops.ImportSource, ops.ImportSourceIn{Name: "c.md", Title: fmt.Sprint("Chapter ", n), Code: fmt.Sprintf("C%d", n), Data: chapter(words, n, each, 2)})
	}
	id := publish()
	flip("a version", 2, func() {
		if got, err := decide(t, x.d, x.ben, id, "approve"); err != nil || got.State != models.Applied {
			t.Fatalf("%+v, %v", got, err)
		}
	})
	id = proposed(t, x.d, x.ann, ops.RestoreVersion, ops.RestoreIn{N: 1}).ID
	flip("a restored version", 3, func() {
		if got, err := decide(t, x.d, x.ben, id, "approve"); err != nil || got.State != models.Applied {
			t.Fatalf("%+v, %v", got, err)
		}
	})
	stop()
	load.Wait()
	for _, r := range []*reader{here, there} {
		if len(r.took) < 20 {
			t.Errorf("only %d answers", len(r.took))
		}
	}
	v := must(t, x.d, x.ben, ops.GetVersion, ops.GetVersionIn{N: 3})
	t.Logf("%d sources; %d answers here, %d there", len(v.Manifest.Sources), len(here.took), len(there.took))
}
