package ops

import (
	"bytes"
	"context"
	"net/http"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// RestoreIn names the version whose manifest is to answer again.
type RestoreIn struct {
	N     int    `json:"n"`
	Notes string `json:"notes,omitempty" schema:"maxLength=2000"`
}

// RestoreVersion publishes an old version's manifest as a new version. The draft
// stays as it is.
var RestoreVersion = &Op[RestoreIn, Published]{
	Name: "versions.restore", Title: "Restore a version", Summary: "Publish the manifest of an earlier version as a new version. The draft stays as it is.",
	Route: "POST /v1/brains/{brain_id}/versions/{n}/restore",
	Class: Irreversible, Needs: models.MayPublish, Offered: Web | CLI | REST,
	Final:   "a version stays; versions.restore publishes the one before it",
	HTTP:    HTTP{Status: http.StatusCreated, Example: `{"notes":"Back to the handbook of March"}`},
	Stage:   func(ctx context.Context, e *Env, in RestoreIn) (any, error) { return stageRestore(ctx, e, in) },
	Propose: func(_ context.Context, e *Env, _ RestoreIn) (Subject, error) { return proposePublish(e) },
	Base:    func(_ context.Context, e *Env, _ RestoreIn) (string, error) { return publishedNow(e) },
	Run: func(_ context.Context, e *Env, in RestoreIn) (Published, error) {
		if _, err := e.Tx.ThisBrain(true); err != nil { // no other publish is on its way
			return Published{}, err
		}
		c := e.Staged.(*candidate)
		return flip(e, c, c.manifest, in.Notes)
	},
}

func stageRestore(ctx context.Context, e *Env, in RestoreIn) (*candidate, error) {
	if len(in.Notes) > 2000 {
		return nil, fault.Field("notes", "Notes are at most 2,000 bytes long.")
	}
	return build(ctx, e, func(tx *store.Tx, _ int) (models.Manifest, error) {
		v, err := tx.Version(in.N)
		if err != nil {
			return models.Manifest{}, err
		}
		b, err := tx.ThisBrain(false)
		if err != nil {
			return models.Manifest{}, err
		}
		now, err := tx.Version(b.Published)
		if err != nil {
			return models.Manifest{}, err
		}
		if bytes.Equal(now.Hash, v.Hash) {
			return models.Manifest{}, fault.New(fault.Conflict, "Version %d is what version %d holds, which answers now.", v.N, now.N).WithCode("nothing_to_publish")
		}
		return v.Manifest, nil
	})
}
