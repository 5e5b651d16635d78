package models

import (
	"fmt"
	"time"
)

// A Purge is the tombstone of a source that had to go: every text of it left
// every version, and what names it stayed.
type Purge struct {
	BrainID        BrainID          `json:"brain" gorm:"primaryKey"`
	SourceID       string           `json:"source_id" gorm:"primaryKey"`
	Code           string           `json:"code"`
	Reason         string           `json:"reason"`
	Went           []PurgedRevision `json:"went" gorm:"serializer:json"`
	Answers        int64            `json:"answers"`                  // recorded bodies that went with it
	Recommendation string           `json:"recommendation,omitempty"` // by which it was decided on
	ProposedBy     string           `json:"proposed_by"`              // a person's id, or who was at the terminal
	ApprovedBy     []string         `json:"approved_by" gorm:"serializer:json"`
	At             time.Time        `json:"purged_at"`
}

// A PurgedRevision is what of one revision is known still.
type PurgedRevision struct {
	Revision int    `json:"revision"`
	SHA256   string `json:"sha256"` // of its bytes, hex
	Passages int    `json:"passages"`
}

// What of an answer's body is kept, or why it is gone.
const (
	KeptFull    = "full"
	KeptHash    = "hash" // no text was recorded, only its hash in the audit row
	KeptExpired = "expired"
	KeptPurged  = "purged" // it quoted a source that had to go
)

// What a brain records of its answers.
const (
	RecordFull = "full"
	RecordHash = "hash" // that it was served, and the hash of what was
	RecordOff  = "off"  // nothing beside the audit row
)

// An EndedBrain is the tombstone of a brain that was deleted.
type EndedBrain struct {
	ID       BrainID   `json:"id"`
	EndedAt  time.Time `json:"ended_at"`
	HeadSeq  int64     `json:"head_seq"` // of its audit chain, which is gone
	HeadHash []byte    `json:"head_hash"`
	Rows     int64     `json:"rows"` // that went
}

// Change is how the instance's log names the tombstone.
func (e *EndedBrain) Change() Change {
	return Change{Field: "brain", From: fmt.Sprintf("audit head %d:%x", e.HeadSeq, e.HeadHash), To: fmt.Sprintf("deleted, %d rows", e.Rows)}
}
