package main

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/internal/leaks"
	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// pagesText is a document of so many pages, some twenty paragraphs on each.
func pagesText(doc, pages int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Compendium %d\n", doc)
	for n := range pages * 20 {
		if n%20 == 0 {
			fmt.Fprintf(&b, "\n## %d Part %d\n", n/20+1, n/20+1)
		}
		fmt.Fprintf(&b, "\n(%d) In case %d of part %d the fee is %d euros, and it is paid within %d days of the notice.\n", n%20+1, n, n/20+1, n%97, n%30+1)
	}
	return b.String()
}

// A thousand pages are imported beside a server that answers: by its own workers,
// whose readers run at low priority. Answers are to take half as long again as when
// nothing else is done; docs/measurements.md has what they do take, and this holds
// that against becoming what it was, where it was asked for, since other tests
// beside it spoil the measurement. Elsewhere fewer pages are imported, and
// every answer is given.
func TestAnswersBesideAnImport(t *testing.T) {
	long := os.Getenv("POLARIS_TEST_LONG") != ""
	docs, alone := 5, 500*time.Millisecond
	if long {
		docs, alone = 50, 8*time.Second
	}
	s, key, pg := elsewhereDemo(t, "--rate-limit", "off")
	ask := func(while func() bool) (took []time.Duration) {
		for while() {
			began := time.Now()
			if status, body, err := s.post(key); status != http.StatusOK || err != nil || !strings.Contains(body, `"status":"pass"`) {
				t.Fatalf("%d %.200s %v", status, body, err)
			}
			took = append(took, time.Since(began))
			time.Sleep(10 * time.Millisecond)
		}
		slices.Sort(took)
		return took
	}
	p95 := func(ts []time.Duration) time.Duration { return ts[len(ts)*95/100] }
	for range 50 {
		_, _, _ = s.post(key) // warm
	}
	until := time.Now().Add(alone)
	idle := ask(func() bool { return time.Now().Before(until) })

	st, err := store.Open(t.Context(), pg.DSN(localApp, localDB), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	desk := ops.NewDesk(st, ops.Settings{PublicURL: s.url}, leaks.Log(t))
	call := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: "ada@example.org", Brain: "calliope"}, Brain: "calliope", Via: ops.CLI}
	in := ops.StartImportIn{}
	for n := range docs {
		in.Files = append(in.Files, ops.ImportFile{Name: fmt.Sprintf("c%02d.md", n), Data: []byte(pagesText(n, 20))})
	}
	began, looked := time.Now(), time.Now()
	v, err := ops.Do(t.Context(), desk, call, ops.StartImport, in)
	if err != nil {
		t.Fatal(err)
	}
	busy := ask(func() bool {
		if time.Since(looked) > 200*time.Millisecond {
			looked = time.Now()
			if v, err = ops.Do(t.Context(), desk, call, ops.GetImport, ops.ImportIDIn{ID: v.ID}); err != nil {
				t.Fatal(err)
			}
		}
		return v.Running()
	})
	took := time.Since(began)
	if v.Counts[models.ItemDone] != docs || len(busy) == 0 {
		t.Errorf("%v", v.Counts)
	}
	t.Logf("idle: %d answers, p50 %v, p95 %v; while %d pages were imported in %v: %d answers, p50 %v, p95 %v; ratio %.2f", len(idle), idle[len(idle)/2], p95(idle), 20*docs, took.Round(time.Millisecond),
		len(busy), busy[len(busy)/2], p95(busy), float64(p95(busy))/float64(p95(idle)))
	if long && p95(busy) > p95(idle)*4 {
		t.Errorf("p95 %v beside an import, idle %v", p95(busy), p95(idle))
	}
}
