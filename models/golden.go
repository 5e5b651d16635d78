package models

import (
	"fmt"
	"time"
)

// A GoldenQuestion is one that the brain's curators want answered, with the
// citations that the answer must have. All are asked before a version is
// published.
type GoldenQuestion struct {
	BrainID   BrainID   `json:"-" gorm:"primaryKey"`
	ID        string    `json:"id" gorm:"primaryKey"` // slug
	Rev       int       `json:"rev"`
	Question  string    `json:"question"`
	TopicIDs  []string  `json:"topic_ids" gorm:"serializer:json"`
	Expects   []string  `json:"expects" gorm:"serializer:json"` // citation keys
	UpdatedAt time.Time `json:"updated_at"`
	UpdatedBy string    `json:"updated_by"`
}

// ETag names the revision. The time tells one that was deleted and made anew
// from the first.
func (g *GoldenQuestion) ETag() string { return fmt.Sprintf("r%d.%d", g.Rev, g.UpdatedAt.UnixMicro()) }
