package ops

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"

	"polaris/models"
	"polaris/models/fault"
)

// A SourceState is a source as whoever decides on an import is shown it.
type SourceState struct {
	Code         string   `json:"code"`
	Title        string   `json:"title"`
	Jurisdiction string   `json:"jurisdiction,omitempty"`
	OriginURL    string   `json:"origin_url,omitempty"`
	Revision     int      `json:"revision"`
	Name         string   `json:"file"`
	SHA256       string   `json:"sha256"` // of the document's bytes
	Bytes        int      `json:"bytes,omitempty"`
	Passages     int      `json:"passages"`
	KeysGained   int      `json:"keys_gained,omitempty"`
	KeysLost     int      `json:"keys_lost,omitempty"`
	Gained       []string `json:"gained,omitempty"` // the first of the citation keys
	Lost         []string `json:"lost,omitempty"`
	Warnings     []string `json:"warnings,omitempty"`

	Flags         []models.Flag         `json:"flags,omitempty"` // why it would wait for a curator before it is published
	Owner         string                `json:"owner,omitempty"`
	ReviewBy      models.Date           `json:"review_by,omitempty"`
	EffectiveFrom models.Date           `json:"effective_from,omitempty"`
	EffectiveTo   models.Date           `json:"effective_to,omitempty"`
	Supersedes    string                `json:"supersedes,omitempty"`
	CardsAffected []models.AffectedCard `json:"cards_affected,omitempty"`
}

// mostKeys is how many citation keys of each kind are put before the person who
// decides.
const mostKeys = 500

// proposeImport puts the document aside and freezes the code that it
// was read under, so that what is approved is what was shown.
func proposeImport(e *Env, in ImportSourceIn) (Subject, error) {
	st := e.Staged.(*stagedImport)
	if st.same != nil {
		return Subject{}, unchanged(*st.same)
	}
	s := Subject{Name: "source " + st.code, Document: st.data}
	frozen := in
	frozen.Code, frozen.Data = st.code, []byte{}
	s.Input = frozen
	after := SourceState{
		Code: st.code, Title: st.doc.Title, Jurisdiction: clean(in.Jurisdiction), OriginURL: in.OriginURL, Name: clean(in.Name), Revision: 1,
		SHA256: hex.EncodeToString(st.sum), Bytes: len(st.data), Passages: len(st.doc.Passages), Warnings: st.doc.Warnings,
		Flags: st.doc.Flags, Owner: clean(in.Owner), ReviewBy: in.ReviewBy, EffectiveFrom: in.EffectiveFrom, EffectiveTo: in.EffectiveTo, Supersedes: in.Supersedes,
	}
	had, err := sourceNow(e, st.code)
	if err != nil {
		return s, err
	}
	var before []models.Passage
	if had != nil {
		if bytes.Equal(had.Revision.SHA256, st.sum) {
			return s, unchanged(had.Source)
		}
		b := stateOf(had)
		s.Before, before = b, had.Passages
		last, err := e.Tx.LastRevision(had.Source.ID)
		if err != nil {
			return s, err
		}
		after.Revision = last + 1
		after.Jurisdiction = cmp.Or(after.Jurisdiction, b.Jurisdiction)
		after.OriginURL = cmp.Or(after.OriginURL, b.OriginURL)
		after.Owner = cmp.Or(after.Owner, b.Owner)
		after.ReviewBy = cmp.Or(after.ReviewBy, b.ReviewBy)
		after.Supersedes = cmp.Or(after.Supersedes, b.Supersedes)
		if after.CardsAffected, err = affected(e, had, &models.Doc{Revision: models.Revision{Text: st.doc.Text}, Passages: st.doc.Passages}); err != nil {
			return s, err
		}
	}
	after.Gained, after.KeysGained = keysBeyond(st.doc.Passages, before)
	after.Lost, after.KeysLost = keysBeyond(before, st.doc.Passages)
	s.After = after
	return s, nil
}

func unchanged(s models.Source) error {
	return fault.New(fault.Conflict, "The draft has this very document already, as revision %d of %s.", s.Head, s.Code).WithCode("unchanged")
}

// sourceNow returns the draft's revision of the source with the code, nil where
// there is none.
func sourceNow(e *Env, code string) (*models.Doc, error) {
	s, err := e.Tx.Source(code)
	if fault.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	return e.Tx.Doc(*s, s.Head)
}

func stateOf(d *models.Doc) SourceState {
	return SourceState{
		Code: d.Source.Code, Title: d.Source.Title, Jurisdiction: d.Source.Jurisdiction, OriginURL: d.Source.OriginURL, Revision: d.Source.Head,
		Name: d.Revision.Name, SHA256: hex.EncodeToString(d.Revision.SHA256), Passages: len(d.Passages), Warnings: d.Revision.Warnings,
		Flags: d.Revision.Flags, Owner: d.Source.Owner, ReviewBy: d.Source.ReviewBy, EffectiveFrom: d.Source.EffectiveFrom, EffectiveTo: d.Source.EffectiveTo, Supersedes: d.Source.Supersedes,
	}
}

// keysBeyond returns the citation keys of ps that other has not: the first of
// them, and how many they are.
func keysBeyond(ps, other []models.Passage) (first []string, n int) {
	has := make(map[string]bool, len(other))
	for _, p := range other {
		has[p.Key] = true
	}
	for _, p := range ps {
		if p.Key != "" && !has[p.Key] {
			first = append(first, p.Key)
		}
	}
	return slices.Clip(first[:min(len(first), mostKeys)]), len(first)
}

// sourceBase names the state of a source that an import would change. Where the
// change is made now, nobody else imports under the code until it is done.
func sourceBase(e *Env, code string) (string, error) {
	if e.Queued != nil {
		if err := e.Tx.LockCode(code); err != nil {
			return "", err
		}
	}
	s, err := e.Tx.Source(code)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("revision %d", s.Head), nil
}
