package advisor

import (
	"context"
	"sync"
	"time"

	"polaris/models"
)

// patience is how long after a version was first asked for its predecessor may
// still answer.
const patience = 5 * time.Second

// A Shelf keeps the loaded engines of every brain, so that a version is built
// once and changes over without a pause.
type Shelf struct {
	load   func(ctx context.Context, brain models.BrainID, version int) (*Engine, error)
	mu     sync.Mutex
	brains map[models.BrainID]*slot

	limit   int64  // bytes that engines may hold; 0: any number
	clock   uint64 // grows with every use of an engine
	evicted int64
	indexes string // folder of the kept indexes, or empty
}

// A slot is one brain's place on the shelf: the engine that answers, one that
// was put for later, and those being loaded.
type slot struct {
	engines map[int]*Engine
	loading map[int]*loading
	asked   map[int]time.Time // when a version that is not loaded was first asked for
	used    uint64            // when the brain was last asked, by the shelf's clock
}

// A loading is a load in progress; done is closed when engine and err are set.
type loading struct {
	done   chan struct{}
	engine *Engine
	err    error
}

// NewShelf returns an empty shelf that loads what it lacks. Load is called in a
// goroutine of its own, with a context that no caller's leaving cancels.
func NewShelf(load func(ctx context.Context, brain models.BrainID, version int) (*Engine, error)) *Shelf {
	return &Shelf{load: load, brains: map[models.BrainID]*slot{}}
}

// Put makes a version known before it is asked for. The version that answers
// now stays until then.
func (s *Shelf) Put(brain models.BrainID, e *Engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slot(brain).engines[e.Version()] = e
}

func (s *Shelf) slot(brain models.BrainID) *slot {
	b := s.brains[brain]
	if b == nil {
		b = &slot{engines: map[int]*Engine{}, loading: map[int]*loading{}, asked: map[int]time.Time{}}
		s.brains[brain] = b
	}
	return b
}

// Engine returns the engine of a brain's published version. Where it is not
// loaded yet, an older one answers meanwhile, for at most five seconds after
// the newer was first asked for; where there is none, Engine waits.
func (s *Shelf) Engine(ctx context.Context, brain models.BrainID, version int) (*Engine, error) {
	s.mu.Lock()
	b := s.use(brain)
	if e := b.whole(version); e != nil {
		b.retire(version)
		s.mu.Unlock()
		return e, nil
	}
	l := b.loading[version]
	if l == nil {
		l = s.start(ctx, brain, version, b)
	}
	older, since := b.older(version), b.asked[version]
	s.mu.Unlock()

	if older != nil && time.Since(since) < patience {
		return older, nil
	}
	select {
	case <-l.done:
		return l.engine, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Exactly returns the engine of one version and never an older one's, for
// whoever reads history: how long that takes to load is theirs to wait. It drops
// nothing that answers; what it loaded stays until the published version is
// asked for next.
func (s *Shelf) Exactly(ctx context.Context, brain models.BrainID, version int) (*Engine, error) {
	s.mu.Lock()
	b := s.use(brain)
	if e := b.whole(version); e != nil {
		s.mu.Unlock()
		return e, nil
	}
	l := b.loading[version]
	if l == nil {
		l = s.start(ctx, brain, version, b)
	}
	s.mu.Unlock()
	select {
	case <-l.done:
		return l.engine, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// start loads a version in the background, once for all who ask. The shelf is
// locked. After a load that failed the next to ask tries again, and the older
// version's time goes on from when the new one was first asked for.
func (s *Shelf) start(ctx context.Context, brain models.BrainID, version int, b *slot) *loading {
	l := &loading{done: make(chan struct{})}
	b.loading[version] = l
	if b.asked[version].IsZero() {
		b.asked[version] = time.Now()
	}
	go func() {
		defer close(l.done)
		l.engine, l.err = s.load(context.WithoutCancel(ctx), brain, version)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.brains[brain] != b {
			s.removeFiles(brain) // what was read before the brain was forgotten must not stay
		}
		delete(b.loading, version)
		if l.err == nil {
			delete(b.asked, version)
			b.engines[version] = l.engine // of a brain that was forgotten meanwhile b is on no shelf
			s.evict(b)
			s.removeOlder(brain, version)
		}
	}()
	return l
}

// retire drops the engines that the version now asked for replaces. Reading an
// old version thus never drops a newer one.
func (b *slot) retire(version int) {
	for v := range b.engines {
		if v < version {
			delete(b.engines, v)
		}
	}
}

// older returns the engine that may answer while version is loaded: the newest
// one before it. Where a newer one is loaded, version is history that somebody
// reads, and nothing else will do.
func (b *slot) older(version int) *Engine {
	var best *Engine
	for v, e := range b.engines {
		if v > version {
			return nil
		}
		if best == nil || v > best.Version() {
			best = e
		}
	}
	return best
}

// Drop takes back an engine that was put for a version which then was not
// published.
func (s *Shelf) Drop(brain models.BrainID, e *Engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.slot(brain); b.engines[e.Version()] == e {
		delete(b.engines, e.Version())
	}
}

// Forget drops all that is loaded of a brain, and all that is being loaded: what
// was read before now is answered from no more once its load ends.
func (s *Shelf) Forget(brain models.BrainID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.brains, brain)
	s.removeFiles(brain)
}

// Loaded returns how many engines the shelf holds, and what they take of memory.
func (s *Shelf) Loaded() (engines int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.brains {
		for _, e := range b.engines {
			engines++
			bytes += e.Bytes()
		}
	}
	return engines, bytes
}
