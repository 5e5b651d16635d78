package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/form"
	"polaris/views/keys"
	"polaris/views/layout"
)

func (s *Server) listKeys(p *page) error {
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListAPIKeys)
	if err != nil {
		return err
	}
	x := keys.Index{MayCreate: p.by.May(models.MayKeys), Endpoint: s.endpoint()}
	for _, k := range l.Keys {
		x.Keys = append(x.Keys, keyRow(p, k))
	}
	return p.show(keys.IndexPage(p.frame(), x))
}

// endpoint is where agents connect to.
func (s *Server) endpoint() string { return s.conf.PublicURL + s.conf.MCPPath }

func keyRow(p *page, k models.APIKey) keys.Row {
	r := keys.Row{
		ID: k.ID, Label: k.Label, Prefix: models.KeyStart(k.ID), Scopes: scopeNames(k.Scopes), Owner: k.Owner,
		Created: p.when(k.CreatedAt), Expires: p.whenever(k.ExpiresAt), LastUsed: p.whenever(k.LastUsedAt), State: k.State,
	}
	if k.RevokedAt != nil {
		r.Ended = "by " + k.RevokedBy
		if k.RevokeCause != "" {
			r.Ended += ": " + k.RevokeCause
		}
	}
	return r
}

func scopeNames(scopes []models.Scope) []string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return names
}

// offeredScopes are those that the form offers. A key that reaches any brain is
// made at the terminal, and research is not part of this release.
var offeredScopes = []string{string(models.ScopeAdvisorRead), string(models.ScopeInvoke), string(models.ScopeWrite)}

// lifetimes are offered in days.
var lifetimes = []int{7, 30, 90, 180, 366}

// A newKeyForm is what the form holds.
type newKeyForm struct {
	label  string
	scopes []string
	days   int
}

func (s *Server) newKey(p *page) error {
	if err := ops.Allowed(p.call(), ops.CreateAPIKey.Entry()); err != nil {
		return err
	}
	return p.show(keys.NewPage(p.frame(), keyForm(newKeyForm{scopes: offeredScopes[:1], days: 90}, nil)))
}

func keyForm(n newKeyForm, r *refusal) keys.New {
	return keys.New{
		Label: r.entry("label", n.label), Scopes: keys.ScopeChoices(offeredScopes, n.scopes), Expires: keys.LifetimeChoices(lifetimes, n.days),
		ScopesProblem: r.about("scopes"), ExpiresProblem: r.about("expires_days"), Problem: r.rest("label", "scopes", "expires_days"),
	}
}

func (s *Server) createKey(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	n := newKeyForm{label: sent.Get("label"), scopes: sent["scope"]}
	made, err := ops.CreatedAPIKey{}, readDays(sent.Get("expires"), &n.days)
	if err == nil {
		made, err = ops.Do(p.ctx(), s.desk, p.call(), ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: n.label, Scopes: scopesOf(n.scopes), ExpiresDays: n.days})
	}
	if r, ok := refused(err); ok {
		return render(p.Context, r.status(), privately, keys.NewPage(p.frame(), keyForm(n, r)))
	}
	if err != nil {
		return err
	}
	// The one page that shows a key: nothing may keep it.
	return render(p.Context, http.StatusCreated, never, keys.CreatedPage(p.frame(), keys.Created{
		Label: made.Key.Label, Key: made.Secret, Endpoint: s.endpoint(), Expires: "on " + layout.Date(*made.Key.ExpiresAt), Scopes: scopeNames(made.Key.Scopes),
	}))
}

func readDays(sent string, days *int) (err error) {
	if sent == "" {
		return nil
	}
	if *days, err = strconv.Atoi(sent); err != nil {
		return fault.Field("expires_days", "Choose how long the key lives.")
	}
	return nil
}

func scopesOf(names []string) []models.Scope {
	scopes := make([]models.Scope, len(names))
	for i, n := range names {
		scopes[i] = models.Scope(n)
	}
	return scopes
}

func (s *Server) newRevocation(p *page) error {
	k, err := s.findKey(p)
	if err != nil {
		return err
	}
	return p.show(keys.RevocationPage(p.frame(), keys.Revocation{Key: keyRow(p, k)}))
}

// findKey returns the key in the path.
func (s *Server) findKey(p *page) (models.APIKey, error) {
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListAPIKeys)
	if err != nil {
		return models.APIKey{}, err
	}
	i := slices.IndexFunc(l.Keys, func(k models.APIKey) bool { return k.ID == p.Param("id") })
	if i < 0 {
		return models.APIKey{}, fault.New(fault.NotFound, "No such key.")
	}
	return l.Keys[i], nil
}

func (s *Server) revokeKey(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	in := ops.RevokeAPIKeyIn{ID: p.Param("id"), Reason: sent.Get("reason")}
	k, err := ops.Do(p.ctx(), s.desk, p.call(), ops.RevokeAPIKey, in)
	if r, ok := refused(err); ok {
		k, err = s.findKey(p)
		if err != nil {
			return err
		}
		return render(p.Context, r.status(), privately, keys.RevocationPage(p.frame(), keys.Revocation{Key: keyRow(p, k), Reason: form.Entry{Value: in.Reason, Problem: r.about("reason")}, Problem: r.rest("reason")}))
	}
	if err != nil {
		return err
	}
	return p.Redirect(http.StatusSeeOther, p.at(fmt.Sprintf("%s?done=key-revoked#key-%s", keys.Path, k.ID)))
}
