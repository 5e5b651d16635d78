// Package models holds the nouns of Polaris and the rules about them that hold
// whoever asks: brains, people and their rights, keys, sources and passages,
// topic cards, versions, answers and audit rows.
//
// The structs are plain: they carry GORM tags where their names differ from
// their columns, and import nothing that could reach a database. A rule that
// two surfaces need is a function here or in package ops, never in a page.
package models

import (
	"crypto/rand"
	"regexp"
	"strings"
)

// A BrainID is a brain's slug, such as "calliope". It is the tenant of
// everything that belongs to the brain.
type BrainID string

// BrainIDPattern is what a brain's id looks like, as a regular expression.
const BrainIDPattern = `^[a-z][a-z0-9-]{0,39}$`

var brainSlug = regexp.MustCompile(BrainIDPattern)

// Valid reports whether the id is a slug: a lower-case letter, then up to 39
// lower-case letters, digits and hyphens.
func (b BrainID) Valid() bool { return brainSlug.MatchString(string(b)) }

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// RandomBase62 returns n base62 characters from the system's secure source.
// Bytes that would favour some characters are thrown away.
func RandomBase62(n int) string {
	var s strings.Builder
	buf := make([]byte, n+n/4+8)
	for s.Len() < n {
		rand.Read(buf) // never fails since Go 1.24: it crashes the process instead
		for _, b := range buf {
			if b < 248 && s.Len() < n { // 248 = 4*62
				s.WriteByte(base62[b%62])
			}
		}
	}
	return s.String()
}

// NewSecret returns a secret of a kind, such as a session's. Like a key it says
// what it is, so that one which got where it should not be can be found.
func NewSecret(kind string) string { return kind + "-polaris-" + RandomBase62(43) }

// NewID returns an unguessable id that says what it names: "src_4kfQ…".
// Twelve base62 characters hold 71 bits.
func NewID(prefix string) string { return prefix + "_" + RandomBase62(12) }
