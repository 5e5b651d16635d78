package models

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A TopicCard names a kind of question and the citation keys that its answers
// turn on.
type TopicCard struct {
	BrainID   BrainID   `json:"-" gorm:"primaryKey"`
	ID        string    `json:"id" gorm:"primaryKey"` // slug of the label, stable
	Rev       int       `json:"-"`
	Label     string    `json:"label"`
	Covers    string    `json:"covers"`
	Anchors   []string  `json:"anchors" gorm:"serializer:json"`
	UpdatedAt time.Time `json:"-"`
	UpdatedBy string    `json:"-"`
}

// ETag names the card's revision. Revisions count anew where a card was deleted
// and somebody made another one of its id, so the time of the change is a part.
func (c TopicCard) ETag() string {
	return "r" + strconv.Itoa(c.Rev) + "-" + strconv.FormatInt(c.UpdatedAt.UnixMicro(), 36)
}

// A Topic is a published topic card, as the catalog shows it.
type Topic struct {
	ID                   string   `json:"id" jsonschema:"pass this back as an entry of topic_ids"`
	Label                string   `json:"label"`
	Covers               string   `json:"covers" jsonschema:"the fact patterns it covers, in the words people ask in; match questions against this"`
	Anchors              []string `json:"anchors" jsonschema:"the citation keys that answers on this subject turn on"`
	UnsupportableAnchors int      `json:"unsupportable_anchors" jsonschema:"how many of the anchors the published corpus cannot supply"`
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// Slug returns s in lower case with everything but letters and digits turned
// into single hyphens, at most 64 bytes long.
func Slug(s string) string {
	s = strings.Trim(notSlug.ReplaceAllString(strings.ToLower(s), "-"), "-")
	if len(s) > 64 {
		s = strings.Trim(s[:64], "-")
	}
	return s
}
