package models

import "time"

// A Suspension keeps a source, or a passage of it with those below, from being
// served, in every version, until it is lifted.
type Suspension struct {
	BrainID  BrainID   `json:"-" gorm:"primaryKey"`
	SourceID string    `json:"source_id" gorm:"primaryKey"`
	Key      string    `json:"key" gorm:"primaryKey"` // citation key of the passage; empty: the whole source
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
	By       string    `json:"by"`
}

// A Withheld names what is suspended, for whoever serves.
type Withheld struct {
	SourceID string `json:"source_id"`
	Key      string `json:"key,omitempty"` // empty: the whole source
}
