package models

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"
	"strings"
	"time"
)

// A TokenGrant is what a program got by signing in as a person: a refresh token
// that is replaced with each use, and the access tokens that come of it. It ends
// for good after [GrantLife], or when it is revoked.
type TokenGrant struct {
	BrainID      BrainID `gorm:"primaryKey"`
	ID           string  `gorm:"primaryKey"` // 12 base62, public: it is in every access token
	PersonID     string
	Scopes       []Scope `gorm:"serializer:json"`
	TokenVersion int     // the person's, when they signed in for it
	Via          string  // "session" or "password"
	CreatedAt    time.Time
	ExpiresAt    time.Time
	FamilyHash   []byte // SHA-256 of what all of the grant's refresh tokens have in common
	RefreshHash  []byte // SHA-256 of the newest refresh token
	RefreshedAt  *time.Time
	RevokedAt    *time.Time
	RevokeCause  string
}

// How long what a sign-in of a program brings is good for.
const (
	AccessLife = 10 * time.Minute    // an access token
	GrantLife  = 30 * 24 * time.Hour // a grant, however often it is refreshed
)

// Why a grant was revoked.
const (
	RevokedByHolder = "ended by its holder"
	RevokedByReuse  = "a refresh token was used twice"
)

// Shape of a refresh token: rt-polaris-<12 id>_<32 secret><6 checksum>, of which
// the first 16 of the secret stay the same for the life of the grant, and the
// other 16 are new each time. Whoever brings the first half had one of the
// grant's tokens once; who made one up, knowing the id, has not. Each half holds
// 95 random bits.
const (
	refreshPrefix = "rt-polaris-"
	refreshFamily = len(refreshPrefix) + keyIDLen + 1 + keySecret/2
)

// MintRefresh returns the first refresh token of a new grant, and the grant's
// public id. The token is secret: only its hashes may be stored.
func MintRefresh() (token, id string) {
	id = RandomBase62(keyIDLen)
	return NextRefresh(refreshPrefix + id + "_" + RandomBase62(keySecret/2)), id
}

// NextRefresh returns the refresh token that comes after one of the same grant.
func NextRefresh(token string) string {
	body := token[:refreshFamily] + RandomBase62(keySecret-keySecret/2)
	return body + checksum(body)
}

// IsPublicID reports whether s has the shape of a grant's or a signing key's id.
// Whoever makes a token up writes there what they like.
func IsPublicID(s string) bool {
	return len(s) == keyIDLen && strings.Trim(s, base62) == ""
}

// RefreshID returns the id of the grant in a refresh token of the right shape
// with the right checksum; ok is false for anything else, so a mistyped one costs
// no query.
func RefreshID(token string) (id string, ok bool) {
	rest, ours := strings.CutPrefix(token, refreshPrefix)
	if !ours {
		return "", false
	}
	return shapedID(rest, token)
}

// shapedID returns the id of a secret whose part after the prefix is rest, if
// shape and checksum are right.
func shapedID(rest, whole string) (id string, ok bool) {
	if len(rest) != keyIDLen+1+keySecret+keySum || rest[keyIDLen] != '_' {
		return "", false
	}
	for i := range len(rest) {
		if i != keyIDLen && strings.IndexByte(base62, rest[i]) < 0 {
			return "", false
		}
	}
	body, sum := whole[:len(whole)-keySum], whole[len(whole)-keySum:]
	return rest[:keyIDLen], checksum(body) == sum
}

// HashRefresh returns what is stored of a refresh token of the right shape: the
// hash of what its grant keeps for life, and of the whole.
func HashRefresh(token string) (family, whole []byte) {
	f, w := sha256.Sum256([]byte(token[:refreshFamily])), sha256.Sum256([]byte(token))
	return f[:], w[:]
}

// SameHash compares two hashes in constant time.
func SameHash(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }

// A SigningKey signs access tokens. The private half is sealed.
type SigningKey struct {
	KID           string `gorm:"column:kid;primaryKey"`
	PublicKey     []byte
	Sealed        []byte
	CreatedAt     time.Time
	SignsUntil    time.Time
	VerifiesUntil time.Time
}

// How long a signing key is used. Once it signs no more it verifies until the
// last of its tokens has run out, by the slowest of clocks.
const (
	SigningLife    = 30 * 24 * time.Hour
	SigningOverlap = AccessLife + time.Minute
)

// Covers reports whether the roles together have every right that the scope
// promises. No role has what is given at the terminal only.
func Covers(roles []Role, s Scope) bool {
	if s == ScopeAnyBrain || len(roles) == 0 {
		return false
	}
	for _, r := range rightsOfScope[s] {
		if !slices.ContainsFunc(roles, func(o Role) bool { return slices.Contains(rightsOfRole[o], r) }) {
			return false
		}
	}
	return true
}
