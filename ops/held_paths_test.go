package ops_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// No way around leads what is held into a version: going back in the draft,
// removing and bringing back, restoring a version, bytes that were certified as
// another revision or source.
func TestNoWayAroundHoldingASource(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	sure := c
	sure.ApprovedBy = ada
	clean := "# Price List\n\n(a) The price of a stamp is 12 euros.\n"
	put := func(code, text string) ops.ImportedSource {
		return must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: code + ".md", Code: code, Data: []byte(text)})
	}
	n := 0
	never := func(how string, code string, revision int) {
		t.Helper()
		n++
		put(fmt.Sprintf("HR%d", n), fmt.Sprintf("%s\n(z) Rule %d holds.\n", rules, n)) // so that there is something to publish
		v := must(t, d, c, ops.PublishVersion, ops.PublishIn{})
		for _, s := range must(t, d, c, ops.GetVersion, ops.GetVersionIn{N: v.Version}).Manifest.Sources {
			if s.Source.Code == code && s.Revision == revision {
				t.Errorf("%s: version %d has %s, revision %d", how, v.Version, code, revision)
			}
		}
	}
	put("PL", clean)
	never("at first", "PL", 0)
	put("PL", hidden)
	never("its next revision", "PL", 2)

	put("PL", clean) // back
	put("PL", hidden)
	never("back and forth", "PL", 2)

	must(t, d, c, ops.RemoveSource, ops.GetSourceIn{Source: "PL"})
	put("PL", hidden)
	never("removed and imported again", "PL", 2)

	must(t, d, sure, ops.CertifySource, ops.CertifyIn{Source: "PL", Note: "The mark is the printer's."})
	put("PL", strings.Replace(hidden, "12", "15", 1))
	never("certified as another revision", "PL", 3)

	if out := put("OTHER", hidden); len(out.Flags) == 0 {
		t.Errorf("the same bytes as another source: %+v", out)
	}
	never("certified as another source", "OTHER", 1)

	must(t, d, sure, ops.RestoreVersion, ops.RestoreIn{N: 1})
	never("after a version was restored", "PL", 3)
	if s := must(t, d, c, ops.ListSources, ops.Page{}); len(s.Held) != 2 {
		t.Errorf("held: %v", s.Held)
	}
}

// The database holds it back, whatever the operations would let through.
func TestTheDatabaseHoldsBackWhatIsFlagged(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	out := must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "pl.md", Code: "PL", Data: []byte(hidden)})
	insert := func() error {
		return d.Store.InBrain(t.Context(), "calliope", func(tx *store.Tx) error {
			s, err := tx.Source("PL")
			if err != nil {
				return err
			}
			m := models.Manifest{Sources: []models.ManifestSource{{Source: *s, Revision: out.Revision, SHA256: make([]byte, 32)}}}
			return tx.InsertVersion(&models.Version{N: 1, Manifest: m, Hash: models.HashManifest(m), FourEyes: models.FourEyesOff, PublishedAt: time.Now(), PublishedBy: ada})
		})
	}
	if err := insert(); err == nil || !strings.Contains(err.Error(), "is held") {
		t.Errorf("a version that holds it: %v", err)
	}
	sure := c
	sure.ApprovedBy = ada
	must(t, d, sure, ops.CertifySource, ops.CertifyIn{Source: "PL"})
	if err := insert(); err != nil {
		t.Errorf("once it is certified: %v", err)
	}
}
