package models

import (
	"encoding/hex"
	"time"
)

// A RecommendationState says where a queued change stands. All but pending are
// final.
type RecommendationState string

// The states.
const (
	Pending    RecommendationState = "pending"
	Applied    RecommendationState = "applied"
	Rejected   RecommendationState = "rejected"
	Withdrawn  RecommendationState = "withdrawn"
	Expired    RecommendationState = "expired"
	Stale      RecommendationState = "stale"      // what it would change has changed
	Superseded RecommendationState = "superseded" // another one took its place
)

// DefaultDeciders returns the roles that decide where a brain has no rule of its
// own.
func DefaultDeciders() []Role { return []Role{RoleAdmin, RoleApprover, RoleCurator, RoleOwner} }

// RecommendationLife is how long a recommendation waits for a decision.
const RecommendationLife = 14 * 24 * time.Hour

// A Recommendation is a change that waits for another person's decision. Its
// content never changes; the database computes the hash of it, by which whoever
// decides says what they saw.
type Recommendation struct {
	BrainID       BrainID             `json:"brain" gorm:"primaryKey"`
	ID            string              `json:"id" gorm:"primaryKey"`
	Operation     string              `json:"operation"`
	Class         string              `json:"class"`
	Input         string              `json:"-"` // JSON, frozen
	InputVersion  int                 `json:"input_version"`
	Target        string              `json:"target"` // what it changes: "topic_card late-fee"
	Base          string              `json:"base"`   // the revision of it that the proposer saw
	Before        string              `json:"-"`      // JSON of the target; "" where there is none
	After         string              `json:"-"`
	Rationale     string              `json:"rationale"`
	Evidence      []string            `json:"evidence" gorm:"serializer:json"` // answers, citation keys, addresses
	Proposer      string              `json:"-"`                               // a person's id
	Actor         string              `json:"proposed_by"`
	KeyID         string              `json:"key_id,omitempty"`
	Surface       string              `json:"surface"`
	Authenticated bool                `json:"authenticated"`
	Supersedes    string              `json:"supersedes,omitempty"`
	Needed        int                 `json:"approvals_needed" gorm:"->"`
	Roles         []Role              `json:"may_decide" gorm:"->;serializer:json"`
	Payload       []byte              `json:"-" gorm:"->"`
	State         RecommendationState `json:"state" gorm:"->"`
	CreatedAt     time.Time           `json:"created_at"`
	ExpiresAt     time.Time           `json:"expires_at"`
	DecidedAt     *time.Time          `json:"decided_at,omitempty" gorm:"->"`
	Note          string              `json:"note,omitempty" gorm:"->"` // why applying failed, or why it ended
}

// Hash returns the hash of the content, in hexadecimal.
func (r *Recommendation) Hash() string { return hex.EncodeToString(r.Payload) }

// A Part is what one human being did with a recommendation.
type Part struct {
	PersonID  string    `json:"-"`
	AccountID string    `json:"-"`
	Email     string    `json:"person"`
	Part      string    `json:"part"` // contributor, approve or reject
	Comment   string    `json:"comment,omitempty"`
	At        time.Time `json:"at"`
}

// A Queued is what an operation gives when its change waits for another person.
type Queued struct {
	Status    string    `json:"status"` // "queued"
	ID        string    `json:"recommendation_id"`
	ReviewURL string    `json:"review_url"`
	ExpiresAt time.Time `json:"expires_at"`
}
