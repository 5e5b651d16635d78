package models

import (
	"crypto/sha256"
	"encoding/json"
	"regexp"
	"time"
)

// A ResearchState says where a research job stands.
type ResearchState string

// The states. The last three are final.
const (
	ResearchQueued    ResearchState = "queued"
	ResearchRunning   ResearchState = "running"
	ResearchComplete  ResearchState = "complete"
	ResearchFailed    ResearchState = "failed"
	ResearchCancelled ResearchState = "cancelled"
)

// Open reports whether there is still work to do.
func (s ResearchState) Open() bool { return s == ResearchQueued || s == ResearchRunning }

// A ResearchJob is a large question and how far the work on it has come.
type ResearchJob struct {
	BrainID    BrainID       `json:"brain" gorm:"primaryKey"`
	Ref        string        `json:"ref" gorm:"primaryKey"` // names it to people and logs; opens nothing
	IDHash     []byte        `json:"-"`
	Depth      string        `json:"depth"` // meta, shallow or deep
	State      ResearchState `json:"state"`
	Question   string        `json:"question"`
	Topics     []string      `json:"topics" gorm:"serializer:json"`
	Version    int           `json:"version"` // of the brain, which it reads to its end
	Plan       string        `json:"-"`       // JSON
	Findings   string        `json:"-"`       // JSON: one for each part that is done, in order
	Result     string        `json:"result,omitempty"`
	Citations  string        `json:"-"` // JSON
	Gaps       []string      `json:"gaps,omitempty" gorm:"serializer:json"`
	Error      string        `json:"error,omitempty"` // why it failed, as a code
	Kind       PrincipalKind `json:"-"`
	Person     string        `json:"-"`
	Actor      string        `json:"by"`
	KeyID      string        `json:"-"`
	Surface    string        `json:"surface"`
	CreatedAt  time.Time     `json:"created_at"`
	StartedAt  *time.Time    `json:"started_at,omitempty"`
	FinishedAt *time.Time    `json:"finished_at,omitempty"`
}

// TableName is where research jobs are.
func (ResearchJob) TableName() string { return "research_jobs" }

// Mine reports whether a principal asked for the job.
func (j *ResearchJob) Mine(p Principal) bool {
	return j.Kind == p.Kind && (j.Person == p.Person && p.Person != "" || p.KeyID != "" && j.KeyID == p.KeyID || p.Kind == KindTerminal)
}

// Unpack reads one of the JSON columns; an empty one leaves out as it is.
func Unpack(column string, out any) error {
	if column == "" {
		return nil
	}
	return json.Unmarshal([]byte(column), out)
}

var canonicalID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// ResearchIDHash is what of a job's id is kept, and false for what can be no id:
// ids are UUIDs of version 4, in small letters and written one way.
func ResearchIDHash(id string) ([]byte, bool) {
	if !canonicalID.MatchString(id) {
		return nil, false
	}
	sum := sha256.Sum256([]byte(id))
	return sum[:], true
}
