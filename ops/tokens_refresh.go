package ops

import (
	"context"
	"slices"

	"polaris/models"
	"polaris/models/fault"
)

// The answers to a refresh token that does not hold. Only who had one of a
// grant's tokens learns that it was used before.
var (
	badRefresh  = fault.New(fault.Unauthenticated, "This refresh token is not valid here, or no longer. Sign in again.").WithCode("invalid_refresh_token")
	usedRefresh = fault.New(fault.Unauthenticated, "This refresh token was used before, so all tokens of its sign-in were ended: one of the two who used it had it without right. Sign in again.").WithCode("token_reuse")
)

// RefreshPrincipal returns whose a refresh token is, old or new, by one query. It
// says nothing about whether the token can still be used: that is judged under
// the grant's lock.
func (d *Desk) RefreshPrincipal(ctx context.Context, token string) (models.Principal, error) {
	id, ok := models.RefreshID(token)
	if !ok {
		return models.Principal{}, badRefresh
	}
	h, err := d.Store.GrantByID(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return models.Principal{}, badRefresh
	}
	if err != nil {
		return models.Principal{}, err
	}
	if family, _ := models.HashRefresh(token); !models.SameHash(family, h.FamilyHash) {
		return models.Principal{}, badRefresh
	}
	return models.Principal{Kind: models.KindPerson, Person: h.PersonID, Actor: h.Email, Authenticated: true, Brain: h.BrainID}, nil
}

// RefreshTokensIn is a refresh token, and what the next access token may do.
type RefreshTokensIn struct {
	RefreshToken string         `json:"refresh_token"`
	Scopes       []models.Scope `json:"scopes,omitempty"` // default: all of the grant's that the person's role covers now
}

// RefreshedTokens are the next tokens of a grant, or the news that it has ended.
type RefreshedTokens struct {
	Tokens
	reused bool
}

// RefreshTokens gives the holder of a refresh token the next ones, once. Call it
// through [Desk.Refresh], which turns a reuse into a refusal.
//
// A token that comes a second time ends the grant, whoever sends it: of a thief
// and a client that repeats itself because an answer was lost, nothing that they
// send can tell one from the other. The client has to sign in again.
var RefreshTokens = &Op[RefreshTokensIn, RefreshedTokens]{
	Name: "tokens.refresh", Title: "Refresh an access token", Summary: "Replace a refresh token by the next one, with a new access token. One that is used twice ends them all.",
	Class: Reversible, Needs: models.MaySelf, Offered: Web,
	Final:       "the token of before is not used again",
	Unrehearsed: "a refresh token is used once",
	Run:         refreshTokens,
}

// Refresh runs [RefreshTokens]. That a token was used twice is an error only
// here, so that the operation's transaction, which ends the grant and records
// why, is kept.
func (d *Desk) Refresh(ctx context.Context, c Call, in RefreshTokensIn) (Tokens, error) {
	out, err := Do(ctx, d, c, RefreshTokens, in)
	if err == nil && out.reused {
		err = usedRefresh
	}
	if err != nil {
		return Tokens{}, err
	}
	return out.Tokens, nil
}

func refreshTokens(_ context.Context, e *Env, in RefreshTokensIn) (RefreshedTokens, error) {
	var out RefreshedTokens
	g, err := heldGrant(e, in.RefreshToken)
	if err != nil {
		return out, err
	}
	m, err := e.Tx.Member(g.PersonID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return out, err
	}
	if err != nil || g.RevokedAt != nil || !e.Now.Before(g.ExpiresAt) || m.TokenVersion != g.TokenVersion {
		return out, badRefresh
	}
	if _, whole := models.HashRefresh(in.RefreshToken); !models.SameHash(whole, g.RefreshHash) {
		e.Audit.Outcome, out.reused = usedRefresh.Code, true
		return out, e.Tx.RevokeGrant(g.ID, models.RevokedByReuse, e.Now)
	}
	scopes, err := narrowed(in.Scopes, g.Scopes, m.Roles)
	if err != nil {
		return out, err
	}
	next := models.NextRefresh(in.RefreshToken)
	_, hash := models.HashRefresh(next)
	if err := e.Tx.Refreshed(g.ID, hash, e.Now); err != nil {
		return out, err
	}
	out.Tokens, err = e.tokens(g, scopes, next)
	return out, err
}

// heldGrant returns the grant of which somebody holds a refresh token, old or
// new, locked; it must be of whoever calls.
func heldGrant(e *Env, token string) (*models.TokenGrant, error) {
	id, ok := models.RefreshID(token)
	if !ok {
		return nil, badRefresh
	}
	e.Audit.Target = id
	g, err := e.Tx.Grant(id)
	if fault.Is(err, fault.NotFound) {
		return nil, badRefresh
	}
	if err != nil {
		return nil, err
	}
	if family, _ := models.HashRefresh(token); g.PersonID != e.Call.By.Person || !models.SameHash(family, g.FamilyHash) {
		return nil, badRefresh
	}
	return g, nil
}

// narrowed returns what the next access token may do: what was asked for, within
// the grant, or else all of the grant; without what the person's role does not
// cover any more.
func narrowed(asked, granted []models.Scope, roles []models.Role) ([]models.Scope, error) {
	for _, s := range asked {
		if !slices.Contains(granted, s) {
			return nil, fault.Field("scopes", "%q is not what this sign-in was for, which is %v. Sign in again for more.", s, granted)
		}
	}
	var scopes []models.Scope
	for _, s := range granted {
		if models.Covers(roles, s) && (len(asked) == 0 || slices.Contains(asked, s)) {
			scopes = append(scopes, s)
		}
	}
	if len(scopes) == 0 {
		return nil, fault.New(fault.Forbidden, "Your role in this brain covers nothing that this sign-in was for any more.").WithCode("insufficient_role")
	}
	return scopes, nil
}

// RevokeTokensIn is a refresh token of the sign-in to end, old or new.
type RevokeTokensIn struct {
	RefreshToken string `json:"refresh_token"`
}

// RevokeTokens ends one sign-in of a program: its refresh token, and the access
// tokens that came of it. One that has ended stays as it is.
var RevokeTokens = &Op[RevokeTokensIn, None]{
	Name: "tokens.revoke", Title: "End a program's sign-in", Summary: "End a refresh token, and with it every access token that came of it.",
	Class: Reversible, Needs: models.MaySelf, Offered: Web,
	Final: "a token that was revoked stays so; sign in again",
	Run: func(_ context.Context, e *Env, in RevokeTokensIn) (None, error) {
		g, err := heldGrant(e, in.RefreshToken)
		if err != nil {
			return None{}, err
		}
		return None{}, e.Tx.RevokeGrant(g.ID, models.RevokedByHolder, e.Now)
	},
}

// EndSignInsIn names the person, at the terminal; at a browser it is oneself.
type EndSignInsIn struct {
	Email string `json:"email,omitempty"`
}

// EndSignIns signs a person out everywhere: all browser sessions and all sign-ins
// of programs end at once. API keys stay; each is revoked by itself.
var EndSignIns = &Op[EndSignInsIn, None]{
	Name: "tokens.revoke_all", Title: "Sign out everywhere", Summary: "End every browser session and every access and refresh token of a person.",
	Class: Reversible, Needs: models.MaySelf, Offered: Web | CLI,
	Final: "sign-ins that were ended stay so; sign in again",
	Run: func(_ context.Context, e *Env, in EndSignInsIn) (None, error) {
		if err := ofInstance(e); err != nil {
			return None{}, err
		}
		person, err := signedOut(e, in.Email)
		if err != nil {
			return None{}, err
		}
		there, err := e.Tx.EndSignIns(person)
		if err == nil && !there {
			err = fault.New(fault.NotFound, "No such person.")
		}
		return None{}, err
	},
}

// signedOut returns whom a sign-out everywhere is for.
func signedOut(e *Env, email string) (person string, err error) {
	if e.Call.By.Kind == models.KindPerson {
		if email != "" {
			return "", fault.Field("email", "You sign yourself out here, so leave this empty.")
		}
		e.Audit.Target = e.Call.By.Actor
		return e.Call.By.Person, nil
	}
	addr, err := cleanEmail(email)
	if err != nil {
		return "", err
	}
	e.Audit.Target = addr
	p, err := e.Tx.PersonByEmail(addr)
	if err != nil {
		return "", err
	}
	return p.ID, nil
}
