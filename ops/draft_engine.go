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

// draftKept is how long the engine of a draft stays after it was last asked.
const draftKept = 5 * time.Minute

// drafts keep the engine of the draft that was asked last: building one takes
// seconds where a brain is large, and whoever tries a question tries another.
type drafts struct {
	mu     sync.Mutex // held while one is built, which bounds how many are
	brain  models.BrainID
	sum    [sha256.Size]byte // of the manifest that it was built from
	engine *advisor.Engine
	timer  *time.Timer
}

// forget lets go of the engine of a brain's draft.
func (d *drafts) forget(brain models.BrainID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.brain == brain {
		d.engine = nil
	}
}

// forgetLoaded drops all engines of a brain.
func (d *Desk) forgetLoaded(brain models.BrainID) {
	d.Shelf.Forget(brain)
	d.drafts.forget(brain)
	d.linked.forget(brain)
}

// keep holds an engine until nobody has asked it for a while.
func (d *drafts) keep(brain models.BrainID, sum [sha256.Size]byte, e *advisor.Engine) {
	d.brain, d.sum, d.engine = brain, sum, e
	if d.timer != nil {
		d.timer.Stop()
	}
	d.timer = time.AfterFunc(draftKept, func() { d.forget(brain) })
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
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.engine != nil && k.brain == brain && k.sum == sum {
		k.keep(brain, sum, k.engine)
		return k.engine, nil
	}
	k.engine = nil // before the next one takes as much memory
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
	k.keep(brain, sum, e)
	return e, nil
}
