package ops

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"polaris/advisor"
	"polaris/models"
	"polaris/models/store"
)

// draftKept is how long what was made of a draft stays after it was last asked
// for.
const draftKept = 5 * time.Minute

// A lastDraft keeps what was made of the draft that was looked at last, since
// whoever looks at one looks again: building its engine takes seconds where a
// brain is large, and to read its keys takes longer than all else on a page.
type lastDraft[T any] struct {
	mu    sync.Mutex
	brain models.BrainID
	sum   [sha256.Size]byte // of what it was made from
	made  *T
	timer *time.Timer
}

// get returns what was made of these sources, nil where that is not kept, and
// keeps it on.
func (k *lastDraft[T]) get(brain models.BrainID, sum [sha256.Size]byte) *T {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made == nil || k.brain != brain || k.sum != sum {
		return nil
	}
	k.timer.Reset(draftKept)
	return k.made
}

// keep holds something until nobody has asked for it for a while.
func (k *lastDraft[T]) keep(brain models.BrainID, sum [sha256.Size]byte, made *T) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.timer != nil {
		k.timer.Stop()
	}
	k.brain, k.sum, k.made = brain, sum, made
	k.timer = time.AfterFunc(draftKept, func() { k.forget(brain) })
}

// forget lets go of what is of a brain.
func (k *lastDraft[T]) forget(brain models.BrainID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.brain == brain {
		k.made = nil
	}
}

// drop lets go of whatever is kept.
func (k *lastDraft[T]) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.made = nil
}

// drafts are the engine of a draft, and the mutex that is held while one is
// built, which bounds how many are.
type drafts struct {
	building sync.Mutex
	last     lastDraft[advisor.Engine]
}

// forgetLoaded drops all engines of a brain, and one that is being built.
func (d *Desk) forgetLoaded(brain models.BrainID) {
	d.Shelf.Forget(brain)
	d.linked.forget(brain)
	d.drafts.building.Lock()
	defer d.drafts.building.Unlock()
	d.drafts.last.forget(brain)
}

// draftEngine returns the engine of the draft as a publish would freeze it now.
func (d *Desk) draftEngine(ctx context.Context, brain models.BrainID) (*advisor.Engine, error) {
	var m models.Manifest
	err := d.Store.InBrain(ctx, brain, func(tx *store.Tx) (err error) {
		m, err = tx.ManifestOfDraft()
		return err
	})
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	k := &d.drafts
	k.building.Lock()
	defer k.building.Unlock()
	if e := k.last.get(brain, sum); e != nil {
		return e, nil
	}
	k.last.drop() // before the next one takes as much memory
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var corpus *models.Corpus
	err = d.Store.InBrain(ctx, brain, func(tx *store.Tx) (err error) {
		corpus, err = tx.CorpusOf(m)
		return err
	})
	if err != nil {
		return nil, err
	}
	e, err := advisor.Build(corpus, d.advisorConfig())
	if err != nil {
		return nil, err
	}
	k.last.keep(brain, sum, e)
	return e, nil
}
