package web

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"time"

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
		ID: k.ID, Label: k.Label, Prefix: k.Start, Scopes: scopeNames(k.Scopes), Owner: k.Owner,
		Created: p.when(k.CreatedAt), Expires: p.whenever(k.ExpiresAt), LastUsed: p.whenever(k.LastUsedAt), State: k.State, OldUntil: p.whenever(k.PrevUntil),
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
// made at the terminal.
var offeredScopes = []string{string(models.ScopeAdvisorRead), string(models.ScopeResearchRun), string(models.ScopeInvoke), string(models.ScopeWrite)}

// lifetimes are offered in days.
var lifetimes = []int{7, 30, 90, 180, 366}

// A newKeyForm is what the form holds.
type newKeyForm struct {
	label, expires, rate string
	scopes               []string
	mayNever             bool // end: what the brain says
}

func (s *Server) newKey(p *page) error {
	if err := ops.Allowed(p.call(), ops.CreateAPIKey.Entry()); err != nil {
		return err
	}
	never, err := s.keysMayNeverExpire(p)
	if err != nil {
		return err
	}
	return p.show(keys.NewPage(p.frame(), keyForm(newKeyForm{scopes: offeredScopes[:1], expires: "90", mayNever: never}, nil)))
}

// keysMayNeverExpire reports what the brain says of keys without an end.
func (s *Server) keysMayNeverExpire(p *page) (bool, error) {
	o, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ShowBrain, ops.None{})
	return o.Brain.KeysMayNeverExpire, err
}

func keyForm(n newKeyForm, r *refusal) keys.New {
	return keys.New{
		Label: r.entry("label", n.label), Scopes: keys.ScopeChoices(offeredScopes, n.scopes), Rate: form.Entry{Value: n.rate, Problem: rateProblem(r)},
		Expires:       keys.LifetimeChoices("", lifetimes, n.mayNever, n.expires),
		ScopesProblem: r.about("scopes"), ExpiresProblem: expiresProblem(r), Problem: r.rest("label", "scopes", "expires_days", "never_expires", "rate", "rate_limit"),
	}
}

// The forms have one field where operations have two.
func rateProblem(r *refusal) string { return cmp.Or(r.about("rate"), r.about("rate_limit")) }

func expiresProblem(r *refusal) string {
	return cmp.Or(r.about("expires_days"), r.about("never_expires"))
}

func (s *Server) createKey(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	n := newKeyForm{label: sent.Get("label"), scopes: sent["scope"], expires: cmp.Or(sent.Get("expires"), "90"), rate: sent.Get("rate")}
	in := ops.CreateAPIKeyIn{Label: n.label, Scopes: scopesOf(n.scopes)}
	if in.ExpiresDays, in.NeverExpires, err = readLifetime(n.expires); err == nil {
		in.RateN, in.RateSeconds, err = readRate(n.rate)
	}
	var made ops.CreatedAPIKey
	if err == nil {
		made, err = ops.Do(p.ctx(), s.desk, p.call(), ops.CreateAPIKey, in)
	}
	if r, ok := refused(err); ok {
		if n.mayNever, err = s.keysMayNeverExpire(p); err != nil {
			return err
		}
		return render(p.Context, r.status(), privately, keys.NewPage(p.frame(), keyForm(n, r)))
	}
	if err != nil {
		return err
	}
	return s.showSecret(p, http.StatusCreated, made, "")
}

// showSecret sends the one page that shows a key: nothing may keep it.
func (s *Server) showSecret(p *page, status int, made ops.CreatedAPIKey, old string) error {
	return render(p.Context, status, never, keys.CreatedPage(p.frame(), keys.Created{
		Label: made.Label, Key: made.Secret, Endpoint: s.endpoint(), OpenAI: s.conf.PublicURL + "/v1", Expires: endText(made.ExpiresAt), Scopes: scopeNames(made.Scopes), Old: old,
	}))
}

func endText(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return "on " + layout.Date(*t)
}

// readLifetime reads what a form says of a key's end: "" for nothing.
func readLifetime(sent string) (days int, never bool, err error) {
	switch sent {
	case "":
		return 0, false, nil
	case keys.Never:
		return 0, true, nil
	}
	if days, err = strconv.Atoi(sent); err != nil {
		return 0, false, fault.Field("expires_days", "Choose how long the key lives.")
	}
	return days, false, nil
}

// readRate reads what a form says of a key's rate: "" for the server's.
func readRate(sent string) (n, seconds int, err error) {
	if sent == "" {
		return 0, 0, nil
	}
	r, err := models.ParseRate(sent)
	if err == nil && r.Off {
		err = fault.Field("rate", "Only the server's limit can be off. Leave this empty for it.")
	}
	return r.N, int(r.Window / time.Second), err
}

func scopesOf(names []string) []models.Scope {
	scopes := make([]models.Scope, len(names))
	for i, n := range names {
		scopes[i] = models.Scope(n)
	}
	return scopes
}

// key returns the key in the path.
func (s *Server) key(p *page) (models.APIKey, error) {
	return ops.Do(p.ctx(), s.desk, p.call(), ops.GetAPIKey, ops.APIKeyIDIn{ID: p.Param("id")})
}

func (s *Server) newRevocation(p *page) error {
	k, err := s.key(p)
	if err != nil {
		return err
	}
	return p.show(keys.RevocationPage(p.frame(), keys.Revocation{Key: keyRow(p, k)}))
}

func (s *Server) revokeKey(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	in := ops.RevokeAPIKeyIn{ID: p.Param("id"), Reason: sent.Get("reason")}
	k, err := ops.Do(p.ctx(), s.desk, p.call(), ops.RevokeAPIKey, in)
	if r, ok := refused(err); ok {
		k, err = s.key(p)
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
