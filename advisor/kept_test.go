package advisor

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"polaris/models"
)

func keptCorpus(brain models.BrainID, v int) *models.Corpus {
	text := strings.Repeat("A creditor notifies the applicant within 30 days. ", 20)
	return &models.Corpus{Brain: brain, Version: v, Docs: []models.Doc{{
		Source: models.Source{Code: "R"}, Revision: models.Revision{Text: text},
		Passages: []models.Passage{{Parent: -1, End: len(text), SpanEnd: len(text)}},
	}}}
}

// An engine's index is kept from start to start, and forgotten with its brain.
func TestIndexIsKeptAndForgotten(t *testing.T) {
	dir := t.TempDir()
	load := func(_ context.Context, b models.BrainID, v int) (*Engine, error) {
		return Build(keptCorpus(b, v), Config{Indexes: dir})
	}
	s := NewShelf(load)
	s.KeepIn(dir)
	for _, brain := range []models.BrainID{"a", ".."} {
		if _, err := s.Engine(t.Context(), brain, 1); err != nil {
			t.Fatal(err)
		}
	}
	files := func() []string {
		all, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
		return all
	}
	if n := files(); len(n) != 2 {
		t.Fatalf("kept: %v", n)
	}
	before, _ := os.Stat(files()[0])
	if _, err := NewShelf(load).Engine(t.Context(), "a", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := NewShelf(load).Engine(t.Context(), "..", 1); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.Stat(files()[0]); !os.SameFile(before, after) {
		t.Error("the index was built again")
	}
	if _, err := s.Engine(t.Context(), "..", 2); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exactly(t.Context(), "..", 2); err != nil {
		t.Fatal(err)
	}
	if n := files(); len(n) != 2 || filepath.Base(n[0]) != "2.index" {
		t.Errorf("after the second version: %v", n)
	}
	s.Forget("a")
	if n := files(); len(n) != 1 || strings.Contains(n[0], "b61") {
		t.Errorf("after forgetting: %v", n)
	}
	if _, err := Build(keptCorpus("a", 0), Config{Indexes: dir}); err != nil || len(files()) != 1 {
		t.Errorf("a draft was kept: %v, %v", files(), err)
	}
}

// A brain whose file was cut off is loaded anew.
func TestBrokenIndexIsLoadedAnew(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are not mapped there")
	}
	dir := t.TempDir()
	s := NewShelf(func(_ context.Context, b models.BrainID, v int) (*Engine, error) {
		return Build(keptCorpus(b, v), Config{Indexes: dir})
	})
	e, err := s.Engine(t.Context(), "a", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate((Config{Indexes: dir}).indexFile(keptCorpus("a", 1)), 0); err != nil {
		t.Fatal(err)
	}
	x := e.find.Index()
	search := func() {
		defer func() { _ = recover() }()
		x.Search(x.Query("creditor applicant"), 3)
	}
	if search(); !x.Broken() {
		t.Fatal("the index reads on in a file that is empty")
	}
	again, err := s.Engine(t.Context(), "a", 1)
	if err != nil || again == e {
		t.Fatalf("the broken engine was given: %v", err)
	}
	x = again.find.Index()
	if len(x.Search(x.Query("creditor applicant"), 3)) != 1 {
		t.Error("the new one finds nothing")
	}
}

// Brains that were not asked for longest make room; who holds one may go on.
func TestShelfKeepsWithinItsBound(t *testing.T) {
	loads := map[models.BrainID]int{}
	s := NewShelf(func(_ context.Context, b models.BrainID, v int) (*Engine, error) {
		loads[b]++
		return Build(keptCorpus(b, v), Config{})
	})
	one, err := Build(keptCorpus("x", 1), Config{})
	if err != nil {
		t.Fatal(err)
	}
	s.Bound(2*one.Bytes() + 100)
	var first *Engine
	for _, b := range []models.BrainID{"a", "b", "a", "c", "a", "b"} {
		e, err := s.Engine(t.Context(), b, 1)
		if err != nil {
			t.Fatal(err)
		}
		if b == "b" && first == nil {
			first = e
		}
		if n, bytes := s.Loaded(); n > 2 || bytes > s.limit {
			t.Errorf("after %s: %d engines of %d bytes", b, n, bytes)
		}
	}
	if loads["a"] != 1 || loads["b"] != 2 || loads["c"] != 1 || s.Evicted() != 2 {
		t.Errorf("loaded %v, evicted %d", loads, s.Evicted())
	}
	if x := first.find.Index(); len(x.Search(x.Query("creditor"), 1)) != 1 {
		t.Error("an engine that made room no longer answers")
	}
}
