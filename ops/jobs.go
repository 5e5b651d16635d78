package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"polaris/advisor/fetch"
	"polaris/advisor/ingest/archive"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// mostTries is how often a document is read that fails for a reason which nobody
// foresaw. What passes by itself (the database was away, two changes met) is
// tried as often as its job allows.
const mostTries = 3

// Work begins to read the documents of imports in this process, so many at once,
// and to do the steps of research jobs. Several processes may: each document is
// read, and each step done, by one of them.
func (d *Desk) Work(ctx context.Context, atOnce int) (*store.Workers, error) {
	return d.Store.Work(ctx, store.Work{AtOnce: atOnce, Do: d.readItem, Research: d.stepResearch, Lost: d.findLost})
}

// findLost enqueues again what no job is for, in every brain.
func (d *Desk) findLost(ctx context.Context) error {
	brains, err := d.Store.Brains(ctx)
	if err != nil {
		return err
	}
	for _, b := range brains {
		var givenUp []store.Job
		err := d.Store.InBrain(ctx, b.ID, func(tx *store.Tx) (err error) {
			var lost []store.Job
			if lost, givenUp, err = tx.LostItems(); err != nil {
				return err
			}
			if err := tx.Enqueue(lost, 0); err != nil {
				return err
			}
			return d.tendResearch(tx)
		})
		for _, j := range givenUp {
			err = errors.Join(err, d.endFailed(ctx, j, fault.New(fault.Unreadable, "Reading it ended the program each time that it was tried.").WithCode("given_up")))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A reading is one item in the hands of a worker.
type reading struct {
	job  store.Job
	item *models.ImportItem
	imp  *models.Import
	data []byte
}

// readItem reads one document of an import into the draft, as the person who
// started the import. The item is marked in the transaction that changes the
// draft, so a process that is killed leaves neither or both.
func (d *Desk) readItem(ctx context.Context, j store.Job, try store.Try) error {
	r, err := d.take(ctx, j)
	if err == nil && r == nil {
		return nil // it has ended, or is nowhere
	}
	if err == nil {
		err = d.read(ctx, r)
	}
	switch f := fault.Of(err); {
	case err == nil, errors.Is(err, store.ErrItemEnded):
		return nil
	case errors.Is(ctx.Err(), context.Canceled): // this process stops
		d.requeue(ctx, j)
		return store.ErrHandBack
	case ctx.Err() != nil:
		return d.endFailed(ctx, j, fault.New(fault.Unreadable, "Reading it took too long.").WithCode("too_slow"))
	case !try.Last && passes(f), !try.Last && again(f) && try.N < mostTries:
		d.requeue(ctx, j)
		return err
	default:
		if f.Kind == fault.Internal {
			d.Log.Error("a document could not be read", "import", j.Import, "item", j.N, "brain", string(j.Brain), "error", err)
		}
		return d.endFailed(ctx, j, f)
	}
}

// passes reports whether a fault passes by itself.
func passes(f *fault.Error) bool {
	return f.Kind == fault.Unavailable && f.Code != fetch.NotReached || f.Code == "code_taken" || f.Code == "met_another"
}

// again reports whether it is worth a second try: nobody waits for minutes on
// another server that is away.
func again(f *fault.Error) bool { return f.Kind == fault.Internal || f.Code == fetch.NotReached }

// take takes the item in hand; nil where it has ended already.
func (d *Desk) take(ctx context.Context, j store.Job) (*reading, error) {
	r := &reading{job: j}
	err := d.Store.InBrain(ctx, j.Brain, func(tx *store.Tx) (err error) {
		if r.item, err = tx.TakeItem(j, d.Now().UTC()); err != nil || !r.item.State.Open() {
			return err
		}
		if r.imp, err = tx.Import(j.Import); err != nil {
			return err
		}
		r.data, err = tx.ItemBytes(j)
		return err
	})
	if fault.Is(err, fault.NotFound) || err == nil && !r.item.State.Open() {
		return nil, nil //nolint:nilnil // there is nothing to read
	}
	return r, err
}

// read does what is to be done with the item's bytes.
func (d *Desk) read(ctx context.Context, r *reading) error {
	if r.item.URL != "" && r.item.OfArchive == 0 {
		return d.fetch(ctx, r)
	}
	if archive.IsZIP(r.data) && r.item.OfArchive == 0 {
		err := d.unpack(ctx, r)
		if f := fault.Of(err); err == nil || f.Code != archive.NotArchive {
			return err
		}
	}
	var in ImportSourceIn
	if err := json.Unmarshal([]byte(r.imp.Options), &in); err != nil {
		return err
	}
	in.Name, in.Data = r.item.Name, r.data
	in.Code = cmp.Or(r.item.Wanted, in.Code)
	if err := d.fetchedFrom(ctx, r, &in); err != nil {
		return err
	}
	call, err := d.callOf(ctx, r.imp)
	if err != nil {
		return err
	}
	call.also = func(tx *store.Tx, out any) error {
		r.item.FinishedAt = new(d.Now().UTC())
		becomes(r.item, out)
		return tx.EndItem(r.item)
	}
	for n := 0; n < mostTries; n++ {
		// Documents with like titles that are read side by side want the same code;
		// who comes second has another one next time.
		if _, err = Do(ctx, d, call, ImportSource, in); err == nil || fault.Of(err).Code != "code_taken" {
			break
		}
	}
	if _, waits := AsWaiting(err); waits {
		return nil
	}
	if f := fault.Of(err); err != nil && f.Code == "unchanged" {
		return d.end(ctx, r.job, func(i *models.ImportItem) { i.State = models.ItemUnchanged })
	}
	return err
}

// callOf is the call as the person who started the import would make it now:
// with the roles that they have now.
func (d *Desk) callOf(ctx context.Context, i *models.Import) (Call, error) {
	c := Call{Brain: i.BrainID, Via: surfaceNamed(i.Surface), Rationale: i.Rationale, RequestID: i.RequestID}
	c.By = models.Principal{Kind: i.Kind, Person: i.Person, Actor: i.Actor, TokenID: i.TokenID, Scopes: i.Scopes, Brain: i.BrainID, Authenticated: i.Authenticated}
	if i.Kind == models.KindTerminal {
		return c, nil
	}
	err := d.Store.InBrain(ctx, i.BrainID, func(tx *store.Tx) (err error) {
		c.By.Roles, err = tx.RolesOf(i.Person)
		return err
	})
	return c, err
}

// unpack makes an item of each document in an archive.
func (d *Desk) unpack(ctx context.Context, r *reading) error {
	return d.Store.InBrain(ctx, r.job.Brain, func(tx *store.Tx) error {
		if _, err := tx.LockImport(r.imp.ID); err != nil {
			return err
		}
		st, err := tx.Stage(r.imp.ID, d.Now().UTC())
		if err != nil {
			return err
		}
		had := st.Items()
		skipped, err := d.Settings.Expand(ctx, r.data, func(name string, data []byte) error {
			if st.Items() >= mostItems {
				return fault.New(fault.TooLarge, "An import is at most %d documents.", mostItems)
			}
			return st.Add(name, "", data, r.item.N)
		})
		if err != nil {
			return err
		}
		if st.Items() == had {
			return nothingIn(skipped)
		}
		r.item.State, r.item.FinishedAt = models.ItemUnpacked, new(d.Now().UTC())
		r.item.Reason = fmt.Sprintf("%d documents were in it.", st.Items()-had)
		for _, s := range skipped {
			r.item.Warnings = append(r.item.Warnings, s.Name+": "+s.Reason)
		}
		if err := st.Enqueue(); err != nil {
			return err
		}
		return tx.EndItem(r.item)
	})
}

// nothingIn says that an archive holds no document, and what it holds instead.
func nothingIn(skipped []archive.Skipped) error {
	const most = 3
	why := "The archive holds no document."
	for i, s := range skipped {
		if i == most {
			why += fmt.Sprintf(" And %d more.", len(skipped)-most)
			break
		}
		why += " " + clean(s.Name) + ": " + s.Reason
	}
	return fault.New(fault.Unreadable, "%s", why).WithCode("no_documents")
}

// endFailed says why an item failed.
func (d *Desk) endFailed(ctx context.Context, j store.Job, f *fault.Error) error {
	return d.end(ctx, j, func(i *models.ImportItem) {
		i.State, i.Reason, i.Fault = models.ItemFailed, f.Message, f.Code
	})
}

// end ends an item without anything else.
func (d *Desk) end(ctx context.Context, j store.Job, say func(*models.ImportItem)) error {
	ctx = context.WithoutCancel(ctx)
	err := d.Store.InBrain(ctx, j.Brain, func(tx *store.Tx) error {
		now := d.Now().UTC()
		item, err := tx.TakeItem(j, now)
		if err != nil || !item.State.Open() {
			return err
		}
		item.FinishedAt = &now
		say(item)
		return tx.EndItem(item)
	})
	if errors.Is(err, store.ErrItemEnded) {
		return nil
	}
	return err
}

// requeue says that an item waits again. That it is not said does no harm.
func (d *Desk) requeue(ctx context.Context, j store.Job) {
	err := d.Store.InBrain(context.WithoutCancel(ctx), j.Brain, func(tx *store.Tx) error { return tx.RequeueItem(j) })
	if err != nil {
		d.Log.Debug("an item is still said to be read", "import", j.Import, "item", j.N, "error_type", fault.TypeOf(err))
	}
}
