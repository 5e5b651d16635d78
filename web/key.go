package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/form"
	"polaris/views/keys"
)

// The page of one key: what it is, and its changes.

func (s *Server) showKey(p *page) error {
	d, err := s.keyDetail(p)
	if err != nil {
		return err
	}
	return p.show(keys.KeyPage(p.frame(), d))
}

// keyDetail returns the page of the key in the path, with its forms as the key
// is now.
func (s *Server) keyDetail(p *page) (keys.Detail, error) {
	k, err := s.key(p)
	if err != nil {
		return keys.Detail{}, err
	}
	never, err := s.keysMayNeverExpire(p)
	if err != nil {
		return keys.Detail{}, err
	}
	d := keys.Detail{
		Key: keyRow(p, k), CreatedBy: "by " + k.CreatedBy + through[k.CreatedVia], Rotated: p.whenever(k.RotatedAt), RotatedBy: k.RotatedBy, RateText: "the server's", Rev: k.ETag(),
		Label: form.Entry{Value: k.Label}, Scopes: keys.ScopeChoices(scopeNames(k.Scopes), scopeNames(k.Scopes)),
		Expires: keys.LifetimeChoices(asItIs(p, k), lifetimes, never, ""),
	}
	if k.Actor != k.Owner {
		d.Actor = k.Actor
	}
	if k.RateN > 0 {
		d.Rate.Value = strconv.Itoa(k.RateN) + "/" + strconv.Itoa(k.RateSeconds) + "s"
		d.RateText = strconv.Itoa(k.RateN) + " requests in " + strconv.Itoa(k.RateSeconds) + " s"
	}
	return d, s.addOwners(p, k, &d)
}

// asItIs is the choice that leaves a key's end alone.
func asItIs(p *page, k models.APIKey) string {
	return "as it is (" + p.whenever(k.ExpiresAt).Text + ")"
}

// through says where a key was made.
var through = map[string]string{"web": " in the browser", "cli": " at the terminal", "rest": " through the API"}

// addOwners adds the members whom the key can be given to.
func (s *Server) addOwners(p *page, k models.APIKey, d *keys.Detail) error {
	if may := ops.Allowed(p.call(), ops.ListMembers.Entry()) == nil; !may {
		return nil
	}
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListMembers)
	for _, m := range l.Members {
		if !m.Disabled && m.Email != k.Owner {
			d.Owners = append(d.Owners, form.Choice{Value: m.Email, Label: m.Email})
		}
	}
	return err
}

func (s *Server) updateKey(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	label, in := sent.Get("label"), ops.UpdateAPIKeyIn{ID: p.Param("id"), Scopes: scopesOf(sent["scope"])}
	in.Label = &label
	days, n, seconds := 0, 0, 0
	if days, in.NeverExpires, err = readLifetime(sent.Get("expires")); err == nil {
		n, seconds, err = readRate(sent.Get("rate"))
	}
	if err == nil {
		if in.RateN, in.RateSeconds = &n, &seconds; days != 0 {
			in.ExpiresDays = &days
		}
		_, err = ops.Do(p.ctx(), s.desk, s.atRevision(p, sent), ops.UpdateAPIKey, in)
	}
	if err == nil {
		return p.Redirect(http.StatusSeeOther, p.at(keys.KeyPath(in.ID)+"?done=key-saved"))
	}
	return s.keyAgain(p, err, func(d *keys.Detail, r *refusal) {
		d.Label, d.Rate = r.entry("label", label), form.Entry{Value: sent.Get("rate"), Problem: rateProblem(r)}
		for i := range d.Scopes {
			d.Scopes[i].Chosen = slices.Contains(sent["scope"], d.Scopes[i].Value)
		}
		for i := range d.Expires {
			d.Expires[i].Chosen = d.Expires[i].Value == sent.Get("expires")
		}
		d.ScopesProblem, d.ExpiresProblem = r.about("scopes"), expiresProblem(r)
		d.Problem = r.rest("label", "scopes", "expires_days", "never_expires", "rate", "rate_limit")
	})
}

// atRevision returns a call that is meant for the revision that the form was
// made of.
func (s *Server) atRevision(p *page, sent url.Values) ops.Call {
	c := p.call()
	if rev := sent.Get("rev"); rev != "" {
		c.IfMatch = []string{rev}
	}
	return c
}

// keyAgain shows the key's page once more after a change that did not go
// through: filled in with what was sent or, where somebody was faster, with what
// the key is now.
func (s *Server) keyAgain(p *page, err error, fill func(*keys.Detail, *refusal)) error {
	outdated := fault.Is(err, fault.Outdated)
	r, ok := refused(err)
	if !ok && !outdated {
		return err
	}
	d, derr := s.keyDetail(p)
	if derr != nil {
		return derr
	}
	if outdated {
		d.Problem = "Somebody changed this key since you looked. This is what it is now: make your change again."
		return render(p.Context, fault.Outdated.Status(), privately, keys.KeyPage(p.frame(), d))
	}
	fill(&d, r)
	return render(p.Context, r.status(), privately, keys.KeyPage(p.frame(), d))
}

func (s *Server) moveKey(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	owner := sent.Get("owner")
	in := ops.UpdateAPIKeyIn{ID: p.Param("id"), Owner: &owner}
	if _, err := ops.Do(p.ctx(), s.desk, s.atRevision(p, sent), ops.UpdateAPIKey, in); err != nil {
		return s.keyAgain(p, err, func(d *keys.Detail, r *refusal) { d.OwnerProblem, d.Problem = r.about("owner"), r.rest("owner") })
	}
	return p.Redirect(http.StatusSeeOther, p.at(keys.KeyPath(in.ID)+"?done=key-moved"))
}

func (s *Server) newRotation(p *page) error {
	r, err := s.rotation(p, strconv.Itoa(int(models.KeyDefaultOverlap/time.Second)), "")
	if err != nil {
		return err
	}
	return p.show(keys.RotationPage(p.frame(), r))
}

// rotation returns the form that asks how the key in the path is rotated.
func (s *Server) rotation(p *page, overlap, expires string) (keys.Rotation, error) {
	k, err := s.key(p)
	if err != nil {
		return keys.Rotation{}, err
	}
	never, err := s.keysMayNeverExpire(p)
	return keys.Rotation{Key: keyRow(p, k), Overlap: keys.OverlapChoices(overlap), Expires: keys.LifetimeChoices(asItIs(p, k), lifetimes, never, expires)}, err
}

func (s *Server) rotateKey(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	in := ops.RotateAPIKeyIn{ID: p.Param("id")}
	var made ops.CreatedAPIKey
	if in.ExpiresDays, in.NeverExpires, err = readLifetime(sent.Get("expires")); err == nil {
		if in.OverlapSeconds, err = readOverlap(sent.Get("overlap")); err == nil {
			made, err = ops.Do(p.ctx(), s.desk, p.call(), ops.RotateAPIKey, in)
		}
	}
	if r, ok := refused(err); ok {
		again, err := s.rotation(p, sent.Get("overlap"), sent.Get("expires"))
		if err != nil {
			return err
		}
		again.OverlapProblem, again.ExpiresProblem, again.Problem = r.about("overlap_s"), expiresProblem(r), r.rest("overlap_s", "expires_days", "never_expires")
		return render(p.Context, r.status(), privately, keys.RotationPage(p.frame(), again))
	}
	if err != nil {
		return err
	}
	old := "is refused from now on"
	if made.PrevUntil != nil {
		old = "holds on until " + p.when(*made.PrevUntil).Full
	}
	return s.showSecret(p, http.StatusOK, made, old)
}

// readOverlap reads how long the old secret holds on: "" for the default.
func readOverlap(sent string) (*int, error) {
	if sent == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(sent)
	if err != nil {
		return nil, fault.Field("overlap_s", "Choose how long the old secret holds on.")
	}
	return &n, nil
}
