package models

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// A Date is a day as "2026-01-31"; "" is none.
type Date string

// ParseDate reads a day that there is, or "".
func ParseDate(s string) (Date, bool) {
	if s == "" {
		return "", true
	}
	t, err := time.Parse(time.DateOnly, s)
	return Date(s), err == nil && t.Year() > 0
}

// Value is what the database stores.
func (d Date) Value() (driver.Value, error) {
	if d == "" {
		return nil, nil //nolint:nilnil // NULL is no date
	}
	return string(d), nil
}

// Scan reads what the database stores.
func (d *Date) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*d = ""
	case time.Time:
		*d = Date(v.Format(time.DateOnly))
	case string:
		*d = Date(v)
	default:
		return fmt.Errorf("a date is no %T", v)
	}
	return nil
}

// A Source is a document that a curator imported. Its bytes are in its
// revisions.
type Source struct {
	BrainID      BrainID   `json:"-" gorm:"primaryKey"`
	ID           string    `json:"id" gorm:"primaryKey"`
	Code         string    `json:"code"` // short, unique in its brain: "HB"
	Title        string    `json:"title"`
	OriginURL    string    `json:"origin_url,omitempty"`
	Jurisdiction string    `json:"jurisdiction,omitempty"`
	Head         int       `json:"revision"` // the draft's revision of it
	CreatedAt    time.Time `json:"created_at"`
	CreatedBy    string    `json:"created_by"`

	Owner         string `json:"owner,omitempty"`          // who answers for it
	ReviewBy      Date   `json:"review_by,omitempty"`      // when somebody is to look at it again
	EffectiveFrom Date   `json:"effective_from,omitempty"` // of the draft's revision, as EffectiveTo; a new one begins without
	EffectiveTo   Date   `json:"effective_to,omitempty"`   // the last day
	Supersedes    string `json:"supersedes,omitempty"`     // code of the source that it takes the place of

	RemovedAt *time.Time `json:"removed_at,omitempty"` // from the draft; its revisions stay, because versions name them
}

// A Revision is one immutable text of a source, named by the hash of the bytes
// that it was made from.
type Revision struct {
	BrainID   BrainID   `json:"-" gorm:"primaryKey"`
	SourceID  string    `json:"source_id" gorm:"primaryKey"`
	N         int       `json:"n" gorm:"primaryKey"`         // from 1
	SHA256    []byte    `json:"sha256" gorm:"column:sha256"` // of the bytes imported
	MediaType string    `json:"media_type"`
	Language  string    `json:"language"`
	Title     string    `json:"title"` // the document's own
	Name      string    `json:"name"`  // of the file
	Text      string    `json:"-"`     // UTF-8; passages are spans of it
	Warnings  []string  `json:"warnings" gorm:"serializer:json"`
	CreatedAt time.Time `json:"created_at"`
	CreatedBy string    `json:"created_by"`
	BroughtBy string    `json:"-"` // the account that brought it in, where one is known

	Flags  []Flag      `json:"flags,omitempty" gorm:"serializer:json"` // one that has any waits for a curator
	Report *ReadReport `json:"report,omitempty" gorm:"serializer:json"`
}

// A HeldSource is a source whose draft revision is not published until a curator
// has certified it.
type HeldSource struct {
	SourceID string `json:"source_id"`
	Code     string `json:"code"`
	Title    string `json:"title"`
	Revision int    `json:"revision"` // that is held
	Flags    int    `json:"flags"`
	Stays    int    `json:"stays,omitempty"` // the revision that goes on answering; absent where none was published
}

// A ReadReport says how a document was read, and what of it is not in the text.
type ReadReport struct {
	Stages   []ReadStage   `json:"stages,omitempty"`
	Pages    int           `json:"pages,omitempty"`
	Found    int           `json:"found,omitempty"` // characters of text in the file; 0: not counted
	Kept     int           `json:"kept,omitempty"`  // of them in the text
	Margins  []string      `json:"margins,omitempty"`
	Comments []ReadComment `json:"comments,omitempty"`
}

// A ReadStage is a step of reading and how long it took.
type ReadStage struct {
	Name   string `json:"name"`
	Micros int64  `json:"micros"`
}

// A ReadComment is a reviewer's remark in a document.
type ReadComment struct {
	By   string `json:"by,omitempty"`
	On   string `json:"on,omitempty"`
	Text string `json:"text"`
}

// Held reports whether the revision waits for a curator before it is published,
// as long as none has certified it.
func (r *Revision) Held() bool { return len(r.Flags) > 0 }

// A Passage is the smallest citable piece of a revision: a span of its text,
// and the names by which people cite it. Its text is Text[Start:End] of the
// revision; with the passages below it in the document's structure it is
// Text[Start:SpanEnd], so a parent assembles its children in order without
// copying them.
//
// Offsets are bytes of the revision's UTF-8 text.
type Passage struct {
	BrainID  BrainID     `json:"-" gorm:"primaryKey"`
	SourceID string      `json:"source_id" gorm:"primaryKey"`
	Revision int         `json:"revision" gorm:"primaryKey"`
	Ordinal  int         `json:"ordinal" gorm:"primaryKey"` // place in the revision, from 0
	Parent   int         `json:"parent"`                    // ordinal of the passage above, -1 at the top
	Kind     PassageKind `json:"kind"`
	Key      string      `json:"key"`     // canonical citation key, unique in its revision: "12 CFR 1002.9(a)(1)"
	Locator  string      `json:"locator"` // as a reader writes it in the document: "§ 1002.9(a)(1)"
	Heading  []string    `json:"heading" gorm:"serializer:json"`
	Start    int         `json:"start"`
	End      int         `json:"end"`
	SpanEnd  int         `json:"span_end"`       // ≥ End
	Page     int         `json:"page,omitempty"` // on which it begins, from 1; 0 where the format has none
}

// A Flag is something in a document that makes its source wait for a curator:
// text that its readers would not see, or that addresses a machine.
type Flag struct {
	Kind FlagKind `json:"kind"`
	Page int      `json:"page,omitempty"` // from 1
	Text string   `json:"text"`           // what was found, its beginning, control characters written out
}

// A FlagKind says what was found.
type FlagKind string

// The kinds of flags.
const (
	HiddenText  FlagKind = "hidden_text" // there, and not seen by readers
	Instruction FlagKind = "instruction" // worded as an order to a language model
	Invisible   FlagKind = "invisible"   // zero-width characters inside words, tags
	Direction   FlagKind = "direction"   // characters that turn the order of others around
)

// A PassageKind says what a passage is in its document.
type PassageKind string

// The kinds of passages.
const (
	Paragraph PassageKind = "paragraph" // running text, numbered or not
	Section   PassageKind = "section"   // a heading, whose own text is the heading
	Comment   PassageKind = "comment"   // of an official interpretation
	Appendix  PassageKind = "appendix"
	Table     PassageKind = "table"
)

// A Term is something that a document defines, and where.
type Term struct {
	Name    string `json:"name"`
	Ordinal int    `json:"ordinal"` // the passage that defines it
}
