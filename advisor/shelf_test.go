package advisor

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"polaris/models"
)

func version(n int) *Engine { return &Engine{corpus: &models.Corpus{Version: n}} }

func asked(t *testing.T, s *Shelf, v, want int) {
	t.Helper()
	e, err := s.Engine(t.Context(), "b", v)
	if err != nil || e.Version() != want {
		t.Errorf("asked for version %d: got %v, %v, want version %d", v, e, err, want)
	}
}

// The old version answers while the new one loads, for five seconds and no
// longer, and the new one is loaded once for all who ask.
func TestShelfChangesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var loads atomic.Int32
		s := NewShelf(func(_ context.Context, _ models.BrainID, v int) (*Engine, error) {
			loads.Add(1)
			time.Sleep(8 * time.Second)
			return version(v), nil
		})
		s.Put("b", version(1))
		start := time.Now()
		asked(t, s, 2, 1)
		time.Sleep(4 * time.Second)
		asked(t, s, 2, 1)
		if d := time.Since(start); d != 4*time.Second {
			t.Errorf("the old version took until %v", d)
		}
		time.Sleep(time.Second)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { asked(t, s, 2, 2) })
		}
		wg.Wait()
		if d := time.Since(start); d != 8*time.Second || loads.Load() != 1 {
			t.Errorf("the new version came after %v with %d loads", d, loads.Load())
		}
	})
}

func TestShelfWaitsWhereNothingIsLoaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShelf(func(ctx context.Context, _ models.BrainID, v int) (*Engine, error) {
			time.Sleep(time.Second)
			return version(v), ctx.Err()
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Engine(ctx, "b", 7); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("left early, got %v", err)
		}
		asked(t, s, 7, 7) // whose load the first one's leaving did not cancel
	})
}

func TestShelfTriesAgainAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := true
		s := NewShelf(func(_ context.Context, _ models.BrainID, v int) (*Engine, error) {
			if fail {
				return nil, errors.New("no disk")
			}
			return version(v), nil
		})
		if _, err := s.Engine(t.Context(), "b", 1); err == nil {
			t.Error("a failed load gave an engine")
		}
		fail = false
		synctest.Wait()
		asked(t, s, 1, 1)
	})
}

// What was put before the flip waits: the old version answers until the new one
// is asked for, and an old one that is read again never takes its place.
func TestShelfKeepsBothUntilTheFlip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loads := 0
		s := NewShelf(func(_ context.Context, _ models.BrainID, v int) (*Engine, error) {
			loads++
			return version(v), nil
		})
		s.Put("b", version(1))
		s.Put("b", version(2))
		asked(t, s, 1, 1)
		asked(t, s, 2, 2)
		if loads != 0 {
			t.Errorf("%d loads of what was put", loads)
		}
		asked(t, s, 1, 1) // history, loaded anew
		asked(t, s, 2, 2)
		if loads != 1 {
			t.Errorf("%d loads, want 1", loads)
		}
	})
}

// What is loaded is counted by engine, and as large as its texts at least.
func TestShelfSaysWhatIsLoaded(t *testing.T) {
	t.Parallel()
	s := NewShelf(nil)
	if n, bytes := s.Loaded(); n != 0 || bytes != 0 {
		t.Errorf("an empty shelf holds %d engines of %d bytes", n, bytes)
	}
	text := "The late fee is 12 euros.\n"
	e, err := Build(&models.Corpus{Brain: "b", Version: 1, Docs: []models.Doc{{Revision: models.Revision{Text: text}, Passages: []models.Passage{{Parent: -1, Key: "A 1", End: len(text), SpanEnd: len(text)}}}}}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	s.Put("b", e)
	s.Put("c", version(4))
	if n, bytes := s.Loaded(); n != 2 || bytes != e.Bytes() || bytes < int64(len(text)) {
		t.Errorf("%d engines of %d bytes, want 2 of %d", n, bytes, e.Bytes())
	}
}
