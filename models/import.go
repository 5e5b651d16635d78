package models

import "time"

// An AffectedCard is a topic card with an anchor that a new revision of a source
// took its text from, or gave another one.
type AffectedCard struct {
	Card   string `json:"card"` // its id
	Label  string `json:"label"`
	Anchor string `json:"anchor"`       // citation key
	Status string `json:"status"`       // lost, changed or moved
	To     string `json:"to,omitempty"` // the key that the words have now
}

// An ItemState says where a document of an import stands.
type ItemState string

// The states. All but the first two are final.
const (
	ItemQueued    ItemState = "queued"
	ItemReading   ItemState = "reading"
	ItemDone      ItemState = "done"      // it is in the draft
	ItemUnchanged ItemState = "unchanged" // the draft had these very bytes
	ItemHeld      ItemState = "held"      // it is in the draft, and waits for a curator before it is published
	ItemWaits     ItemState = "waits"     // it waits for a second person
	ItemUnpacked  ItemState = "unpacked"  // an archive, whose documents are items of their own
	ItemFetched   ItemState = "fetched"   // an address, whose documents are items of their own
	ItemFailed    ItemState = "failed"
	ItemCancelled ItemState = "cancelled"
)

// Open reports whether the item has not ended.
func (s ItemState) Open() bool { return s == ItemQueued || s == ItemReading }

// A Crawl says how far links are followed from an address. It never leaves the
// address's host.
type Crawl struct {
	MaxPages int    `json:"max_pages"`
	MaxBytes int64  `json:"max_bytes,omitempty"` // of all documents together; 0: 256 MiB
	Below    string `json:"below,omitempty"`     // only paths that begin so; default: the folder of the address
	Sitemap  bool   `json:"sitemap,omitempty"`   // take what the site's sitemap names, and follow no links
}

// An Import is what one person asked to be read at once.
type Import struct {
	BrainID       BrainID       `json:"-" gorm:"primaryKey"`
	ID            string        `json:"id" gorm:"primaryKey"`
	Kind          PrincipalKind `json:"-"`
	Person        string        `json:"-"`
	Actor         string        `json:"by"`
	TokenID       string        `json:"-"`
	Scopes        []Scope       `json:"-" gorm:"serializer:json"`
	Authenticated bool          `json:"authenticated"`
	Surface       string        `json:"surface"`
	Rationale     string        `json:"rationale,omitempty"`
	RequestID     string        `json:"-"`
	Options       string        `json:"-"` // JSON, as the operation that reads documents takes it
	StartedAt     time.Time     `json:"started_at"`
	CancelledAt   *time.Time    `json:"cancelled_at,omitempty"`
	CancelledBy   string        `json:"cancelled_by,omitempty"`
}

// An ImportItem is one document of an import.
type ImportItem struct {
	BrainID   BrainID   `json:"-" gorm:"primaryKey"`
	ImportID  string    `json:"-" gorm:"primaryKey"`
	N         int       `json:"n" gorm:"primaryKey"`  // from 1
	OfArchive int       `json:"of_archive,omitempty"` // the item that it was unpacked from, or fetched for
	Name      string    `json:"name"`
	Wanted    string    `json:"-"` // code that it is to be imported under
	SHA256    []byte    `json:"-" gorm:"column:sha256"`
	Size      int64     `json:"bytes"`
	State     ItemState `json:"state"`
	Status    string    `json:"status,omitempty"` // new, revised or restored
	Reason    string    `json:"reason,omitempty"` // why it failed
	Fault     string    `json:"code_of_failure,omitempty"`

	URL          string `json:"url,omitempty"` // where it is fetched from, or was
	Crawl        *Crawl `json:"crawl,omitempty" gorm:"serializer:json"`
	ETag         string `json:"-" gorm:"column:etag"` // how the server marked what it sent
	LastModified string `json:"-"`

	SourceID       string         `json:"source_id,omitempty"`
	Code           string         `json:"code,omitempty"`
	Title          string         `json:"title,omitempty"`
	Revision       int            `json:"revision,omitempty"`
	Passages       int            `json:"passages,omitempty"`
	Warnings       []string       `json:"warnings,omitempty" gorm:"serializer:json"`
	Flags          int            `json:"flags,omitempty"`
	CardsAffected  []AffectedCard `json:"cards_affected,omitempty" gorm:"serializer:json"`
	Recommendation string         `json:"recommendation_id,omitempty"`

	QueuedAt   time.Time  `json:"queued_at"`
	StartedAt  *time.Time `json:"started_at,omitempty"`
	FinishedAt *time.Time `json:"finished_at,omitempty"`
}
