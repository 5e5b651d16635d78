package web

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/sources"
)

// actOn finds the source in the path, for who may change it.
func (s *Server) actOn(p *page, o *ops.Entry) (ops.SourceView, sources.Act, error) {
	code, err := param(p.Context, "code")
	if err != nil {
		return ops.SourceView{}, sources.Act{}, err
	}
	if err := ops.Allowed(p.call(), o); err != nil {
		return ops.SourceView{}, sources.Act{}, err
	}
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetSource, ops.GetSourceIn{Source: code})
	return v, sources.Act{Code: v.Source.Code, Title: v.Source.Title, Revision: strconv.Itoa(v.Source.Head)}, err
}

// acted ends an act on a source, which leads back to it.
func (s *Server) acted(p *page, err error, code, done string, again func(*refusal) (templ.Component, error)) error {
	return p.ended(err, p.at(sources.SourcePath(url.PathEscape(code)))+"?done="+done, func(r *refusal) error {
		t, err := again(r)
		if err != nil {
			return err
		}
		return render(p.Context, r.status(), privately, t)
	})
}

func (s *Server) newSuspension(p *page) error {
	t, err := s.suspensionPage(p, p.QueryParam("key"), "", nil)
	if err != nil {
		return err
	}
	return p.show(t)
}

func (s *Server) suspensionPage(p *page, key, reason string, r *refusal) (templ.Component, error) {
	v, a, err := s.actOn(p, ops.SuspendSource.Entry())
	if err != nil {
		return nil, err
	}
	a.Key, a.Reason, a.Problem = key, r.entry("reason", reason), r.rest("reason")
	if key != "" {
		i := slices.IndexFunc(v.Passages, func(ps ops.SourcePassage) bool { return ps.Key == key })
		if i < 0 && r == nil {
			return nil, fault.New(fault.NotFound, "The source has no passage with this citation key.")
		}
		if i >= 0 {
			a.Text = v.Passages[i].Text
		}
	}
	return sources.SuspensionPage(p.frame(), a), nil
}

func (s *Server) suspendSource(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	in := ops.SuspendIn{Source: code, Key: sent.Get("key"), Reason: sent.Get("reason")}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.SuspendSource, in)
	return s.acted(p, err, code, "suspended", func(r *refusal) (templ.Component, error) { return s.suspensionPage(p, in.Key, in.Reason, r) })
}

// liftSuspension asks for what is suspended to be served again.
func (s *Server) liftSuspension(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.LiftSuspension, ops.LiftIn{Source: code, Key: sent.Get("key")})
	return s.acted(p, err, code, "lifted", func(r *refusal) (templ.Component, error) { return nil, r.Error })
}

func (s *Server) newSourceRemoval(p *page) error {
	_, a, err := s.actOn(p, ops.RemoveSource.Entry())
	if err != nil {
		return err
	}
	return p.show(sources.RemovalPage(p.frame(), a))
}

func (s *Server) removeSource(p *page) error {
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.RemoveSource, ops.GetSourceIn{Source: code})
	return s.acted(p, err, code, "source-removed", func(r *refusal) (templ.Component, error) {
		_, a, err := s.actOn(p, ops.RemoveSource.Entry())
		a.Problem = r.Message
		return sources.RemovalPage(p.frame(), a), err
	})
}

func (s *Server) restoreSource(p *page) error {
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.RestoreSource, ops.GetSourceIn{Source: code})
	return s.acted(p, err, code, "source-restored", func(r *refusal) (templ.Component, error) { return nil, r.Error })
}

func (s *Server) newPurge(p *page) error {
	_, a, err := s.actOn(p, ops.PurgeSource.Entry())
	if err != nil {
		return err
	}
	return p.show(sources.PurgePage(p.frame(), a))
}

// purgeSource asks for a source to go for good, which another person decides on.
func (s *Server) purgeSource(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	in := ops.PurgeIn{Source: code, Reason: sent.Get("reason")}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.PurgeSource, in)
	return s.acted(p, err, code, "purged", func(r *refusal) (templ.Component, error) {
		_, a, err := s.actOn(p, ops.PurgeSource.Entry())
		a.Reason, a.Problem = r.entry("reason", in.Reason), r.rest("reason")
		return sources.PurgePage(p.frame(), a), err
	})
}

func (s *Server) newCertification(p *page) error {
	_, a, err := s.actOn(p, ops.CertifySource.Entry())
	if err != nil {
		return err
	}
	return p.show(sources.CertificationPage(p.frame(), a))
}

func (s *Server) certifySource(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	code, err := param(p.Context, "code")
	if err != nil {
		return err
	}
	in := ops.CertifyIn{Source: code, Note: sent.Get("note")}
	if in.Revision, err = strconv.Atoi(sent.Get("revision")); err != nil {
		return fault.Field("revision", "Say which revision you vouch for.")
	}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.CertifySource, in)
	return s.acted(p, err, code, "certified", func(r *refusal) (templ.Component, error) {
		_, a, err := s.actOn(p, ops.CertifySource.Entry())
		a.Reason, a.Problem = form.Entry{Value: in.Note, Problem: r.about("note")}, r.rest("note")
		return sources.CertificationPage(p.frame(), a), err
	})
}

// suspendedIn counts the sources of a manifest of which something is suspended.
func suspendedIn(p *page, m models.Manifest) string {
	n := 0
	for _, src := range m.Sources {
		if slices.ContainsFunc(p.by.Suspended, func(w models.Withheld) bool { return w.SourceID == src.Source.ID }) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return layout.Plural(n, "source", "sources") + " suspended"
}
