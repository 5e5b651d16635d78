package models

import (
	"crypto/sha256"
	"crypto/subtle"
	"hash/crc32"
	"regexp"
	"strings"
	"time"
)

// An APIKey lets a program act for the person who owns it, within the key's
// scopes and what that person may do now. The secret is shown once, and kept
// only as a hash.
type APIKey struct {
	BrainID     BrainID    `json:"brain_id" gorm:"primaryKey"`
	ID          string     `json:"id" gorm:"primaryKey"` // 12 base62, public
	Label       string     `json:"label"`
	Scopes      []Scope    `json:"scopes" gorm:"serializer:json"`
	Actor       string     `json:"actor"`
	OwnerID     string     `json:"-"`
	Owner       string     `json:"owner" gorm:"->;-:migration"` // the owner's e-mail, joined in
	Hash        []byte     `json:"-"`                           // SHA-256 of the whole key
	CreatedBy   string     `json:"created_by"`
	CreatedVia  string     `json:"created_via"`
	CreatedAt   time.Time  `json:"created_at"`
	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
	LastUsedAt  *time.Time `json:"last_used_at,omitempty"` // within 5 minutes
	RevokedAt   *time.Time `json:"revoked_at,omitempty"`
	RevokedBy   string     `json:"revoked_by,omitempty"`
	RevokeCause string     `json:"revoke_reason,omitempty"`
	RateN       int        `json:"rate_limit,omitempty"`    // requests; 0: the server's default
	RateSeconds int        `json:"rate_window_s,omitempty"` // in this many seconds
	State       string     `json:"state" gorm:"-"`          // active, expired or revoked
}

// Lifetimes of keys (SPEC §5).
const (
	KeyDefaultLife = 90 * 24 * time.Hour
	KeyLongestLife = 366 * 24 * time.Hour // a year, leap day included
	KeyLastUsedLag = 5 * time.Minute
)

// Shape of a key: sk-polaris-<12 id>_<32 secret><6 checksum>.
const (
	keyPrefix  = "sk-polaris-"
	keyIDLen   = 12
	keySecret  = 32
	keySum     = 6
	keyFullLen = len(keyPrefix) + keyIDLen + 1 + keySecret + keySum
)

// MintKey returns a fresh key and its public id. The key is secret: only its
// hash may be stored.
func MintKey() (key, id string) {
	id = RandomBase62(keyIDLen)
	body := keyPrefix + id + "_" + RandomBase62(keySecret)
	return body + checksum(body), id
}

// KeyID returns the public id in a key of the right shape with the right
// checksum; ok is false for anything else, so a mistyped key costs no query.
func KeyID(key string) (id string, ok bool) {
	if len(key) != keyFullLen || !strings.HasPrefix(key, keyPrefix) || key[len(keyPrefix)+keyIDLen] != '_' {
		return "", false
	}
	body, sum := key[:keyFullLen-keySum], key[keyFullLen-keySum:]
	for _, c := range []byte(key[len(keyPrefix):]) {
		if c != '_' && strings.IndexByte(base62, c) < 0 {
			return "", false
		}
	}
	if checksum(body) != sum {
		return "", false
	}
	return key[len(keyPrefix) : len(keyPrefix)+keyIDLen], true
}

// HashKey returns what is stored of a key. A key holds 190 random bits, so one
// round of SHA-256 is enough; a slow hash would only slow each request.
func HashKey(key string) []byte { h := sha256.Sum256([]byte(key)); return h[:] }

// Matches reports in constant time whether key is the one that k was made for.
func (k *APIKey) Matches(key string) bool {
	return subtle.ConstantTimeCompare(k.Hash, HashKey(key)) == 1
}

// StateAt returns "revoked", "expired" or "active".
func (k *APIKey) StateAt(now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return "expired"
	}
	return "active"
}

// checksum returns the CRC-32 of s as six base62 digits (62^6 > 2^32).
func checksum(s string) string {
	n := crc32.ChecksumIEEE([]byte(s))
	var d [keySum]byte
	for i := keySum - 1; i >= 0; i-- {
		d[i] = base62[n%62]
		n /= 62
	}
	return string(d[:])
}

// KeyStart returns the public part of the key with an id, as lists show it.
func KeyStart(id string) string { return keyPrefix + id + "_" }

// keyIn finds what is, or begins like, the secret half of a key.
var keyIn = regexp.MustCompile(`(sk-polaris-[0-9A-Za-z]{12}_)[0-9A-Za-z]+`)

// RedactIn returns s with the secret of each key in it left out: what people
// write about a key, or give in its place, goes where no secret may be.
func RedactIn(s string) string { return keyIn.ReplaceAllString(s, "${1}…") }
