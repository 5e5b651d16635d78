package models

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// An AuditRow says that something happened: one write, decision, refusal,
// sign-in, export or served answer. Rows are only ever added. They name what
// they are about by value and have no foreign keys, so they outlive it.
type AuditRow struct {
	BrainID       BrainID       `json:"brain"` // "_instance" for what belongs to no brain
	ID            int64         `json:"id" gorm:"primaryKey"`
	At            time.Time     `json:"at"`
	Kind          PrincipalKind `json:"kind"`
	Person        string        `json:"person,omitempty"`
	Actor         string        `json:"actor"`
	Authenticated bool          `json:"authenticated"`
	KeyID         string        `json:"key_id,omitempty"` // of the API key; of a person's program the grant of its access token
	Surface       string        `json:"surface"`
	Operation     string        `json:"operation"`
	Class         string        `json:"class"`
	Outcome       string        `json:"outcome"` // "ok", or the refusal's code
	Target        string        `json:"target,omitempty"`
	RequestID     string        `json:"request_id,omitempty"`
	LatencyMicros int64         `json:"latency_us,omitempty"`
	Detail        Detail        `json:"detail,omitzero" gorm:"serializer:json"`
}

// Detail is what only some audit rows have.
type Detail struct {
	Rationale     string   `json:"rationale,omitempty"`
	ApprovedBy    string   `json:"approved_by,omitempty"` // named at a terminal, verified by nobody
	State         string   `json:"state,omitempty"`       // that a recommendation is in now; the row's target is its id
	Verdict       string   `json:"verdict,omitempty"`     // of who decided on it
	Applies       string   `json:"applies,omitempty"`     // operation that a recommendation is of
	Subject       string   `json:"subject,omitempty"`     // what a recommendation changes
	FourEyes      string   `json:"four_eyes,omitempty"`   // "off" or "bootstrap" where a second person was not asked
	Version       int      `json:"version,omitempty"`
	TopicsUsed    []string `json:"topics_used,omitempty"`
	TopicsIgnored []string `json:"topics_ignored,omitempty"`
	Guardrail     string   `json:"guardrail,omitempty"`
	Spans         []string `json:"spans,omitempty"` // "src_x@1:120-260"
	BodyHash      string   `json:"body_hash,omitempty"`
	Changes       []Change `json:"changes,omitempty"`
	Undoes        int64    `json:"undoes,omitempty"` // id of the row of the change that was taken back

	Suspended []Withheld `json:"suspended,omitempty"` // when it was served
	Policy    *Policy    `json:"policy,omitempty"`    // as it bore on it: a threshold of the brain's own, and the topic that was refused
}

// A Change says what a field was and is.
type Change struct {
	Field string `json:"field"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
}

// Redact leaves the secrets of keys out of what callers wrote. The log is kept
// for ever, and a secret in it could never be taken back.
func (a *AuditRow) Redact() {
	d := &a.Detail
	for _, s := range []*string{&a.Actor, &a.Target, &a.RequestID, &d.Rationale, &d.ApprovedBy} {
		*s = RedactIn(*s)
	}
	for i := range d.TopicsIgnored {
		d.TopicsIgnored[i] = RedactIn(d.TopicsIgnored[i])
	}
	for i, c := range d.Changes {
		d.Changes[i] = Change{c.Field, RedactIn(c.From), RedactIn(c.To)}
	}
}

// Bytes returns the row in the one form that is hashed into the chain.
func (a *AuditRow) Bytes() []byte {
	c := *a
	// The database keeps microseconds; what is hashed must survive the round trip.
	c.At = c.At.UTC().Truncate(time.Microsecond)
	b, err := json.Marshal(&c)
	if err != nil {
		panic("audit row: " + err.Error()) // strings, numbers and times always marshal
	}
	return b
}

// ChainHash links a row to the one before it: SHA-256(previous ‖ seq ‖ row).
func ChainHash(prev []byte, seq int64, row []byte) []byte {
	h := sha256.New()
	h.Write(prev)
	for i := 7; i >= 0; i-- {
		h.Write([]byte{byte(seq >> (8 * i))})
	}
	h.Write(row)
	return h.Sum(nil)
}

// A Link is one row's place in its brain's hash chain.
type Link struct {
	Seq  int64
	Hash []byte
}

// An Answer is a served answer's record: what its page shows and its replay
// compares.
type Answer struct {
	BrainID BrainID `gorm:"primaryKey"`
	ID      string  `gorm:"primaryKey"`
	At      time.Time
	Query   string
	Topics  []string `gorm:"serializer:json"`
	Version int
	Surface string
	Actor   string
	Person  string
	KeyID   string
	AuditID int64

	Guardrail string // status; what lists show
	Body      string `gorm:"column:envelope"` // the envelope's JSON as it was served, byte for byte

	Kept   string     // what of it is kept: full, or why the question and the body are not there
	GoneAt *time.Time // when they went
}

// Envelope reads the body.
func (a *Answer) Envelope() (*Envelope, error) {
	var e Envelope
	if err := json.Unmarshal([]byte(a.Body), &e); err != nil {
		return nil, fmt.Errorf("answer %s: %w", a.ID, err)
	}
	return &e, nil
}

// BodyHash returns the SHA-256 of the body: what the audit row keeps of it, so
// that the body can be checked, and can expire, outside the chain.
func (a *Answer) BodyHash() string {
	h := sha256.Sum256([]byte(a.Body))
	return hex.EncodeToString(h[:])
}

// A Version is a frozen manifest: which revision of each source, and which
// cards, answer from it.
type Version struct {
	BrainID     BrainID   `json:"-" gorm:"primaryKey"`
	N           int       `json:"n" gorm:"primaryKey"`
	Manifest    Manifest  `json:"manifest" gorm:"serializer:json"`
	Hash        []byte    `json:"hash"` // SHA-256 of the manifest's JSON
	Engine      string    `json:"engine"`
	Notes       string    `json:"notes,omitempty"`
	FourEyes    string    `json:"four_eyes"` // "off" or "bootstrap"
	PublishedAt time.Time `json:"published_at"`
	PublishedBy string    `json:"published_by"`

	Recommendation string   `json:"recommendation,omitempty" gorm:"-"` // by which it was decided on; absent where nobody was asked
	Purged         []string `json:"purged,omitempty" gorm:"-"`         // codes of its sources that were purged since
}

// A Manifest lists what a version holds, in a fixed order.
type Manifest struct {
	Sources []ManifestSource `json:"sources"` // by code
	Cards   []TopicCard      `json:"cards"`   // by id
}

// A ManifestSource names one revision of one source, with the title and code
// that it had.
type ManifestSource struct {
	Source   Source `json:"source"`
	Revision int    `json:"revision"`
	SHA256   []byte `json:"sha256"`
}

// HashManifest returns the SHA-256 of m's JSON.
func HashManifest(m Manifest) []byte {
	b, err := json.Marshal(m)
	if err != nil {
		panic("manifest: " + err.Error())
	}
	h := sha256.Sum256(b)
	return h[:]
}

// A Session is a signed-in browser.
type Session struct {
	Hash      []byte `gorm:"primaryKey"` // SHA-256 of the cookie's random id
	PersonID  string
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time
}

// How long sessions last (DESIGN §7).
const (
	SessionIdle     = 12 * time.Hour
	SessionAbsolute = 7 * 24 * time.Hour
)
