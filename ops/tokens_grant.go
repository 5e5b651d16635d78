package ops

import (
	"context"
	"slices"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// Tokens are what a program gets by signing in as a person: an access token for
// now, and a refresh token for the next one.
type Tokens struct {
	AccessToken      string         `json:"access_token"`
	TokenType        string         `json:"token_type"` // "Bearer"
	ExpiresIn        int            `json:"expires_in"` // seconds
	RefreshToken     string         `json:"refresh_token"`
	RefreshExpiresIn int            `json:"refresh_expires_in"` // seconds, until the person must sign in again
	Scope            string         `json:"scope"`              // separated by spaces
	BrainID          models.BrainID `json:"brain_id"`
}

// CreateTokensIn says what a program wants to do in the brain acted on.
type CreateTokensIn struct {
	Scopes []models.Scope `json:"scopes,omitempty"` // default: advisor:read

	via string // how the person signed in; empty: by their session
}

// CreateTokens lets a program act for the signed-in person in one brain.
var CreateTokens = &Op[CreateTokensIn, Tokens]{
	Name: "tokens.create", Title: "Get an access token", Summary: "Get an access token and a refresh token for a program that acts for you in this brain.",
	Class: Reversible, Needs: models.MaySelf, Offered: Web,
	Final: "tokens are revoked with tokens.revoke",
	Run:   createTokens,
}

func createTokens(_ context.Context, e *Env, in CreateTokensIn) (Tokens, error) {
	m, err := e.Tx.Member(e.Call.By.Person)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.Forbidden, "You are not a member of this brain any more.").WithCode("not_a_member")
	}
	if err != nil {
		return Tokens{}, err
	}
	scopes, err := grantable(in.Scopes, m.Roles)
	if err != nil {
		return Tokens{}, err
	}
	refresh, id := models.MintRefresh()
	// The version of when the person signed in, not of now: whatever ended their
	// sign-ins in between has ended this one, too.
	g := &models.TokenGrant{ID: id, PersonID: e.Call.By.Person, Scopes: scopes, TokenVersion: e.Call.By.TokenVersion, Via: "session", CreatedAt: e.Now, ExpiresAt: e.Now.Add(models.GrantLife)}
	if in.via != "" {
		g.Via = in.via
	}
	g.FamilyHash, g.RefreshHash = models.HashRefresh(refresh)
	e.Audit.Target = id
	if err := e.Tx.InsertGrant(g); err != nil {
		return Tokens{}, err
	}
	return e.tokens(g, scopes, refresh)
}

// grantable returns the scopes that were asked for, if a person with these roles
// may give them to a program.
func grantable(asked []models.Scope, roles []models.Role) ([]models.Scope, error) {
	if len(asked) == 0 {
		asked = []models.Scope{models.ScopeAdvisorRead}
	}
	for _, s := range asked {
		switch {
		case !slices.Contains(models.Scopes(), s):
			return nil, noScope(s)
		case s == models.ScopeAnyBrain:
			return nil, fault.Field("scopes", "%s is for API keys that are made at the terminal.", s)
		case !models.Covers(roles, s):
			return nil, &fault.Error{Kind: fault.Forbidden, Code: "insufficient_role", Field: "scopes", Message: "Your role in this brain does not cover " + string(s) + "."}
		}
	}
	scopes := slices.Clone(asked)
	slices.Sort(scopes)
	return slices.Compact(scopes), nil
}

// tokens returns what the holder of a grant gets: an access token with these of
// the grant's scopes, and the refresh token.
func (e *Env) tokens(g *models.TokenGrant, scopes []models.Scope, refresh string) (Tokens, error) {
	s, err := e.desk.signerNow(e.Tx, e.Now)
	if err != nil {
		return Tokens{}, err
	}
	until := e.Now.Add(models.AccessLife)
	if g.ExpiresAt.Before(until) {
		until = g.ExpiresAt
	}
	a := &access{
		Issuer: e.desk.Settings.PublicURL, Audience: e.desk.Settings.PublicURL, Subject: g.PersonID, IssuedAt: e.Now.Unix(), Expires: until.Unix(),
		ID: models.RandomBase62(12), Grant: g.ID, Brain: g.BrainID, Scope: scopeText(scopes), TokenVersion: g.TokenVersion,
	}
	token, err := s.sign(a)
	if err != nil {
		return Tokens{}, err
	}
	left := func(t time.Time) int { return int(t.Sub(e.Now) / time.Second) }
	return Tokens{token, "Bearer", left(until), refresh, left(g.ExpiresAt), a.Scope, g.BrainID}, nil
}

// CheckedPassword is the person whose password fitted.
type CheckedPassword struct {
	person *models.Person
}

// CheckPassword signs a program in with a person's password, within the limits
// of the sign-in page.
var CheckPassword = &Op[SignInIn, CheckedPassword]{
	Name: "tokens.sign_in", Title: "Sign a program in", Summary: "Check a person's password for a program that asks for an access token.",
	Class: Reversible, Needs: models.MayEnter, Offered: Web,
	Final:       "tokens are revoked with tokens.revoke",
	Unrehearsed: "it is how a program signs in",
	Stage:       func(ctx context.Context, e *Env, in SignInIn) (any, error) { return checkSignIn(ctx, e, in) },
	Run: func(_ context.Context, e *Env, _ SignInIn) (CheckedPassword, error) {
		p := e.Staged.(*models.Person)
		cameIn(e, p)
		return CheckedPassword{p}, stillFits(e, p)
	},
}

// TokensByPassword signs a program in with a person's password, by a call of a
// visitor, and gives it tokens for one brain.
func (d *Desk) TokensByPassword(ctx context.Context, c Call, who SignInIn, brain models.BrainID, in CreateTokensIn) (Tokens, error) {
	out, err := Do(ctx, d, c, CheckPassword, who)
	if err != nil {
		return Tokens{}, err
	}
	p := out.person
	by := models.Principal{Kind: models.KindPerson, Person: p.ID, Actor: p.Email, Authenticated: true, Brain: brain, TokenVersion: p.TokenVersion}
	if !brain.Valid() {
		return Tokens{}, store.NoBrain
	}
	// A brain that the person is no member of is not there for them, and its audit
	// log is not for their attempts.
	err = d.Store.InBrain(ctx, brain, func(tx *store.Tx) error {
		m, err := tx.Member(p.ID)
		if err == nil {
			by.Roles = m.Roles
		}
		return err
	})
	if err != nil {
		return Tokens{}, err
	}
	in.via = "password"
	c.By, c.Brain = by, brain
	return Do(ctx, d, c, CreateTokens, in)
}

// noScope refuses what is not the name of a scope, with those that are.
func noScope(s models.Scope) error {
	var all []string
	for _, s := range models.Scopes() {
		all = append(all, string(s))
	}
	return fault.Field("scopes", "%q is no scope. Scopes are %s.", s, strings.Join(all, ", "))
}
