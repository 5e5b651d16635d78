package ops

import (
	"context"

	"polaris/models"
	"polaris/models/store"
)

// Waiting counts the changes that wait for a decision in a brain, for the pages
// of somebody who may read its draft; 0 for anybody else.
func (d *Desk) Waiting(ctx context.Context, by models.Principal, brain models.BrainID) (n int, err error) {
	if by.Brain != brain || !by.May(models.MayReadDraft) {
		return 0, nil
	}
	err = d.Store.InBrain(ctx, brain, func(tx *store.Tx) (err error) {
		n, err = tx.Waiting(d.Now().UTC())
		return err
	})
	return n, err
}
