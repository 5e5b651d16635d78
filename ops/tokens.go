package ops

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// badToken is the answer to an access token that does not hold.
var badToken = fault.New(fault.Unauthenticated, "This access token is not valid here. Get a new one, or send an API key as `Authorization: Bearer sk-polaris-…` or `X-API-Key`.").WithCode("invalid_token")

// accessType is the media type of access tokens (RFC 9068). A token that was
// made for something else, by whomever, has another one.
const accessType = "at+jwt"

// longestToken bounds what is read of an access token, in bytes. Ours have about
// 600.
const longestToken = 4096

// clockSkew is how far the clocks of two servers may differ: a token that one has
// just issued is not from the future for the other. No token lives longer by it.
const clockSkew = 5 * time.Second

// access are the claims of an access token. The issuer is its audience: no other
// server takes it, and this one takes no other's.
type access struct {
	Issuer       string         `json:"iss"`
	Audience     string         `json:"aud"`
	Subject      string         `json:"sub"` // the person
	IssuedAt     int64          `json:"iat"`
	Expires      int64          `json:"exp"`
	ID           string         `json:"jti"`
	Grant        string         `json:"grant_id"`
	Brain        models.BrainID `json:"brain_id"`
	Scope        string         `json:"scope"` // separated by spaces
	TokenVersion int            `json:"token_version"`
}

// GetIssuer, GetSubject, GetAudience, GetExpirationTime, GetIssuedAt and
// GetNotBefore are what the library asks of claims.
func (a *access) GetIssuer() (string, error)                   { return a.Issuer, nil }
func (a *access) GetSubject() (string, error)                  { return a.Subject, nil }
func (a *access) GetAudience() (jwt.ClaimStrings, error)       { return jwt.ClaimStrings{a.Audience}, nil }
func (a *access) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (a *access) GetIssuedAt() (*jwt.NumericDate, error)       { return seconds(a.IssuedAt), nil }
func (a *access) GetExpirationTime() (*jwt.NumericDate, error) { return seconds(a.Expires), nil }
func (a *access) at() (issued, expires time.Time) {
	return time.Unix(a.IssuedAt, 0), time.Unix(a.Expires, 0)
}
func (a *access) scopes() []models.Scope { return scopesIn(a.Scope) }

func seconds(n int64) *jwt.NumericDate {
	if n == 0 {
		return nil // was not there
	}
	return jwt.NewNumericDate(time.Unix(n, 0))
}

func scopesIn(s string) []models.Scope {
	var scopes []models.Scope
	for name := range strings.FieldsSeq(s) {
		scopes = append(scopes, models.Scope(name))
	}
	return scopes
}

func scopeText(scopes []models.Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, " ")
}

// header is a token's, in the order in which the library writes it.
type header struct {
	Alg string `json:"alg"`
	KID string `json:"kid"`
	Typ string `json:"typ"`
}

// sign returns the claims as a token.
func (s *signer) sign(a *access) (string, error) {
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, a)
	t.Header["typ"], t.Header["kid"] = accessType, s.kid
	return t.SignedString(s.key)
}

// TokenPrincipal returns whom an access token stands for, by one query and no
// cache: a revoked grant, a sign-out everywhere, a disabled person, a lost
// membership and a dropped signing key hold from the next request on.
func (d *Desk) TokenPrincipal(ctx context.Context, token string) (models.Principal, error) {
	a, h, err := verify(token, d.Settings.PublicURL, d.Now(), func(kid, grant string) (*store.TokenHolder, error) {
		return d.Store.TokenByID(ctx, kid, grant)
	})
	if err != nil {
		return models.Principal{}, err
	}
	_, until := a.at()
	return models.Principal{
		Kind: models.KindPerson, Person: a.Subject, Actor: h.Email, TokenID: a.Grant, Brain: a.Brain,
		Roles: h.Roles, Scopes: a.scopes(), Authenticated: true, Published: h.Published, Suspended: h.Suspended, Policy: h.Policy, ExpiresAt: &until, TokenVersion: a.TokenVersion,
	}, nil
}

// verify reads a token that says it is of issuer, finds its key and grant by the
// one look-up, and holds the signature and every claim against what was found.
// What the look-up says of an outage is returned as it is: it is no word on the
// token. Nothing is looked up for a token that could not hold anyway.
func verify(token, issuer string, now time.Time, look func(kid, grant string) (*store.TokenHolder, error)) (*access, *store.TokenHolder, error) {
	if len(token) > longestToken {
		return nil, nil, badToken
	}
	var a access
	var h *store.TokenHolder
	var away error
	// The first two options are a second lock: [access.written] lets nothing else
	// through.
	p := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
	_, err := p.ParseWithClaims(token, &a, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		if !models.IsPublicID(kid) || !models.IsPublicID(a.Grant) || !a.written(token, kid, t.Signature) || !a.fits(issuer, now) {
			return nil, badToken
		}
		if h, away = look(kid, a.Grant); away != nil {
			return nil, away
		}
		return ed25519.PublicKey(h.PublicKey), nil
	})
	switch {
	case away != nil && !fault.Is(away, fault.NotFound):
		return nil, nil, away
	case err != nil:
		return nil, nil, badToken.Because(err)
	case !a.holds(h, now):
		return nil, nil, badToken
	}
	return &a, h, nil
}

// written reports whether the token is, byte for byte, how we would write these
// claims under this key. That leaves no room for claims that are there twice or
// in another case, for lists and headers that others may read differently, or for
// a key that the token brings along.
func (a *access) written(token, kid string, signature []byte) bool {
	head, err1 := json.Marshal(header{jwt.SigningMethodEdDSA.Alg(), kid, accessType})
	body, err2 := json.Marshal(a)
	if errors.Join(err1, err2) != nil {
		return false
	}
	ours := base64.RawURLEncoding.AppendEncode(nil, head)
	ours = append(ours, '.')
	ours = append(base64.RawURLEncoding.AppendEncode(ours, body), '.')
	ours = base64.RawURLEncoding.AppendEncode(ours, signature) // line breaks are decoded, too
	return token == string(ours)
}

// fits reports whether claims that nobody has verified yet are of this issuer,
// for it, and of now.
func (a *access) fits(issuer string, now time.Time) bool {
	v := jwt.NewValidator(jwt.WithIssuer(issuer), jwt.WithAudience(issuer), jwt.WithExpirationRequired(), jwt.WithTimeFunc(func() time.Time { return now }))
	issued, expires := a.at()
	return v.Validate(a) == nil && a.ID != "" &&
		!issued.After(now.Add(clockSkew)) && issued.Before(expires) && expires.Sub(issued) <= models.AccessLife
}

// holds reports whether each claim is what the grant says now, and whether grant,
// key and person are still good.
func (a *access) holds(h *store.TokenHolder, now time.Time) bool {
	g := &h.Grant
	scopes := a.scopes()
	for _, s := range scopes {
		if !slices.Contains(g.Scopes, s) {
			return false
		}
	}
	return len(scopes) > 0 &&
		a.Subject == g.PersonID && a.Brain == g.BrainID && a.TokenVersion == g.TokenVersion && g.TokenVersion == h.TokenVersion &&
		g.RevokedAt == nil && now.Before(g.ExpiresAt) && now.Before(h.VerifiesUntil) && !h.Disabled && len(h.Roles) > 0
}
