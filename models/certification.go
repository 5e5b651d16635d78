package models

import "time"

// A Certification says that a person vouches for one revision of a source.
type Certification struct {
	BrainID       BrainID   `json:"-" gorm:"primaryKey"`
	SourceID      string    `json:"source_id" gorm:"primaryKey"`
	Revision      int       `json:"revision" gorm:"primaryKey"`
	PersonID      string    `json:"person_id"`
	By            string    `json:"by" gorm:"->"` // the person's e-mail address as it is now
	Note          string    `json:"note,omitempty"`
	At            time.Time `json:"at"`
	ImportedBy    string    `json:"imported_by" gorm:"->"` // who brought in what is vouched for
	Authenticated bool      `json:"authenticated"`         // false: the person was named at a terminal
}
