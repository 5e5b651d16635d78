package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"polaris/models"
	"polaris/models/store"
)

// How an import is watched.
const (
	watchEvery = 500 * time.Millisecond
	watchFor   = 5 * time.Minute // then the reader asks again, and whether it still may is seen anew
	watchAlive = 15 * time.Second
)

// An ImportWatch is the progress of an import as server-sent events: `item` with
// each document whose state has changed (at first each), `progress` with the
// counts, and `end` when nothing is left to be read.
type ImportWatch struct {
	Import string `json:"import"`

	brain models.BrainID
	store *store.Store
}

// WatchImport gives the progress of an import as it happens.
var WatchImport = &Op[ImportIDIn, *ImportWatch]{
	Name: "imports.events", Title: "Watch an import", Route: "GET /v1/brains/{brain_id}/imports/{id}/events",
	Summary: "Give the progress of an import as server-sent events: item, with each document whose state has changed; progress, with the counts; end, when nothing is left to be read.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | REST,
	Run: func(_ context.Context, e *Env, in ImportIDIn) (*ImportWatch, error) {
		_, err := e.Tx.Import(in.ID)
		return &ImportWatch{Import: in.ID, brain: e.Call.Brain, store: e.Store()}, err
	},
}

// ContentType is that of server-sent events.
func (w *ImportWatch) ContentType() string { return "text/event-stream" }

// Filename is empty: it is read as it comes, and not saved.
func (w *ImportWatch) Filename() string { return "" }

// Stream writes what changes until nothing is left to be read.
func (w *ImportWatch) Stream(ctx context.Context, to io.Writer) error {
	told := map[int]models.ItemState{}
	end := time.Now().Add(watchFor)
	last := time.Now()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		v, err := w.look(ctx)
		if err != nil {
			return err
		}
		news := false
		for _, i := range v.Items {
			if told[i.N] == i.State {
				continue
			}
			told[i.N], news = i.State, true
			if err := event(to, "item", i); err != nil {
				return err
			}
		}
		v.Items = nil
		if news {
			err = event(to, "progress", v)
		} else if time.Since(last) > watchAlive {
			news = true
			_, err = io.WriteString(to, ": still here\n\n")
		}
		if news {
			last = time.Now()
		}
		if err == nil && !v.Running() {
			return event(to, "end", v)
		}
		if err != nil || time.Now().After(end) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (w *ImportWatch) look(ctx context.Context) (v ImportView, err error) {
	err = w.store.InBrain(ctx, w.brain, func(tx *store.Tx) error {
		i, err := tx.Import(w.Import)
		if err != nil {
			return err
		}
		v, err = viewImport(tx, *i)
		return err
	})
	return v, err
}

func event(to io.Writer, name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "event: %s\ndata: %s\n\n", name, b)
	return err
}
