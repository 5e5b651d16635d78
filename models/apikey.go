package models

import (
	"crypto/sha256"
	"crypto/subtle"
	"hash/crc32"
	"regexp"
	"strconv"
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
	PrevHash    []byte     `json:"-"`                           // of the one before the last rotation
	PrevUntil   *time.Time `json:"previous_valid_until,omitempty"`
	RotatedAt   *time.Time `json:"rotated_at,omitempty"`
	RotatedBy   string     `json:"rotated_by,omitempty"`
	Rev         int        `json:"rev"` // counts changes, so that nobody overwrites what they have not seen
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
	OwnerGone   bool       `json:"-" gorm:"->;-:migration"` // disabled, or no member any more; joined in
	State       string     `json:"state" gorm:"-"`          // active, suspended, expired or revoked
	Start       string     `json:"start" gorm:"-"`          // its public part: "sk-polaris-k7Qd2mXw91aB_"
}

// Lifetimes of keys (SPEC §5).
const (
	KeyDefaultLife    = 90 * 24 * time.Hour
	KeyLongestLife    = 366 * 24 * time.Hour // a year, leap day included
	KeyLastUsedLag    = 5 * time.Minute
	KeyDefaultOverlap = 24 * time.Hour
	KeyLongestOverlap = 7 * 24 * time.Hour
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

// A Secret says which of a key's secrets somebody sent.
type Secret int

// What can be sent.
const (
	WrongSecret   Secret = iota // one that the key does not have, or had too long ago
	CurrentSecret               // the one that was shown last
	OverlapSecret               // the one before it, while it still holds
	RotatedSecret               // the one before it, after that
)

// Secret says which of k's secrets key is at a time. It compares with both in
// constant time, whichever it is.
func (k *APIKey) Secret(key string, now time.Time) Secret {
	h := HashKey(key)
	current := subtle.ConstantTimeCompare(k.Hash, h)
	previous := subtle.ConstantTimeCompare(k.PrevHash, h)
	switch {
	case current == 1:
		return CurrentSecret
	case previous == 1 && k.PrevUntil != nil && now.Before(*k.PrevUntil):
		return OverlapSecret
	case previous == 1:
		return RotatedSecret
	}
	return WrongSecret
}

// Rotate gives k a secret of its own once more and returns it. The one that it
// had until now holds on for the overlap, and none before that: of a key there
// are two secrets at most. With no overlap no clock is asked, so the old secret
// is refused at once on every node.
func (k *APIKey) Rotate(by string, overlap time.Duration, now time.Time) (key string) {
	body := KeyStart(k.ID) + RandomBase62(keySecret)
	key = body + checksum(body)
	k.PrevHash, k.Hash, k.PrevUntil = k.Hash, HashKey(key), nil
	if overlap > 0 {
		until := now.Add(overlap)
		k.PrevUntil = &until
	}
	k.RotatedAt, k.RotatedBy = &now, by
	return key
}

// Youth returns when the secret that holds now was made: what the longest
// lifetime is counted from.
func (k *APIKey) Youth() time.Time {
	if k.RotatedAt != nil {
		return *k.RotatedAt
	}
	return k.CreatedAt
}

// StateAt returns "revoked", "expired", "suspended" (its owner may not act in
// the brain now) or "active".
func (k *APIKey) StateAt(now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return "expired"
	case k.OwnerGone:
		return "suspended"
	}
	return "active"
}

// ETag returns what tells one revision of k from another. That it was used is
// no change of it.
func (k APIKey) ETag() string { return strconv.Itoa(k.Rev) }

// Shown fills in what is told of k and not stored.
func (k *APIKey) Shown(now time.Time) {
	k.State, k.Start = k.StateAt(now), KeyStart(k.ID)
	if k.State == "revoked" || k.PrevUntil != nil && !now.Before(*k.PrevUntil) {
		k.PrevUntil = nil
	}
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

// keyIn finds what is, or begins like, the secret half of a key or of a refresh
// token; accessIn finds access tokens.
var (
	keyIn    = regexp.MustCompile(`((?:sk|rt)-polaris-[0-9A-Za-z]{12}_)[0-9A-Za-z]+`)
	accessIn = regexp.MustCompile(`eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]+(\.[0-9A-Za-z_-]*)?`)
)

// RedactIn returns s with the secret of each key and token in it left out: what
// people write about a key, or give in its place, goes where no secret may be.
func RedactIn(s string) string {
	return accessIn.ReplaceAllString(keyIn.ReplaceAllString(s, "${1}…"), "eyJ…")
}
