package web

import (
	"net/http"
	"slices"

	"polaris/models"
	"polaris/ops"
	"polaris/views/brains"
)

// front leads to the brain that the reader looked at last, or to their only
// one; without one, to the list.
func (s *Server) front(p *page) error {
	ms := p.visit.Memberships
	if k, err := p.Cookie(brainCookie); err == nil {
		if slices.ContainsFunc(ms, func(m ops.Membership) bool { return string(m.Brain) == k.Value }) {
			return p.Redirect(http.StatusSeeOther, "/brains/"+k.Value)
		}
	}
	if len(ms) == 1 {
		return p.Redirect(http.StatusSeeOther, brainURL(ms[0].Brain))
	}
	return p.Redirect(http.StatusSeeOther, brains.Path)
}

func (s *Server) listBrains(p *page) error {
	x := brains.Index{MayCreate: p.by.May(models.MayAdminister)}
	for _, m := range p.visit.Memberships {
		x.Rows = append(x.Rows, brains.Row{ID: string(m.Brain), Name: m.Name, URL: brainURL(m.Brain), Version: versionText(m.Published), Roles: rolesText(m.Roles)})
	}
	return p.show(brains.IndexPage(p.frame(), x))
}

func (s *Server) newBrain(p *page) error {
	if err := ops.Allowed(p.call(), ops.CreateBrain.Entry()); err != nil {
		return err
	}
	return p.show(brains.NewPage(p.frame(), brainForm(ops.CreateBrainIn{FourEyes: true, OwnerEmail: p.visit.Email}, nil)))
}

func (s *Server) createBrain(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	in := ops.CreateBrainIn{ID: models.BrainID(sent.Get("id")), Name: sent.Get("name"), OwnerEmail: p.visit.Email, FourEyes: sent.Get("four_eyes") == "on"}
	call := p.call()
	call.Brain = in.ID
	made, err := ops.Do(p.ctx(), s.desk, call, ops.CreateBrain, in)
	if r, ok := refused(err); ok {
		return render(p.Context, r.status(), privately, brains.NewPage(p.frame(), brainForm(in, r)))
	}
	if err != nil {
		return err
	}
	return p.Redirect(http.StatusSeeOther, brainURL(made.Brain.ID)+"?done=brain-created")
}

func brainForm(in ops.CreateBrainIn, r *refusal) brains.New {
	return brains.New{Name: r.entry("name", in.Name), ID: r.entry("id", string(in.ID)), FourEyes: in.FourEyes, Owner: in.OwnerEmail, Problem: r.rest("name", "id")}
}
