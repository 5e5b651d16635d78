package web

import (
	"net/url"
	"slices"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/approvals"
	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/members"
)

// decides reports whether one of the roles has a say by default.
func decides(roles []models.Role) bool {
	return slices.ContainsFunc(roles, func(r models.Role) bool { return slices.Contains(models.DefaultDeciders(), r) })
}

func memberRow(p *page, m ops.Member) members.Row {
	row := members.Row{ID: m.PersonID, URL: members.MemberPath(m.PersonID), Name: m.Name, Email: m.Email, Decides: decides(m.Roles), Disabled: m.Disabled, You: m.PersonID == p.by.Person}
	for _, r := range m.Roles {
		row.Roles = append(row.Roles, string(r))
	}
	return row
}

func (s *Server) listMembers(p *page) error {
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListMembers)
	if err != nil {
		return err
	}
	waiting, warning, err := s.waitingFor(p, ops.GrantRoles.Name, ops.LinkPersons.Name, ops.UnlinkPersons.Name)
	if err != nil {
		return err
	}
	x := members.Index{Warning: warning, Waiting: waiting, Link: true, Add: "bb user create EMAIL --role approver --brain-id " + string(p.brain)}
	for _, m := range l.Members {
		x.Rows = append(x.Rows, memberRow(p, m))
	}
	return p.show(members.IndexPage(p.frame(), x))
}

// waitingFor returns the newest changes by some operations that wait, and what
// everybody should know of how this brain decides.
func (s *Server) waitingFor(p *page, operations ...string) (waiting []layout.Link, warning string, err error) {
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListRecommendations, ops.RecommendationsIn{State: models.Pending, Page: ops.Page{Limit: 200}})
	for i := range l.Recommendations {
		r := &l.Recommendations[i]
		if slices.Contains(operations, r.Operation) {
			waiting = append(waiting, layout.Link{Text: operationTitle(r.Operation) + ", " + r.Target, URL: p.at(approvals.ReviewPath(r.ID))})
		}
	}
	return waiting, l.Warning, err
}

// memberWith finds a member by the id in the path.
func (s *Server) memberWith(p *page) (ops.Member, error) {
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListMembers)
	if err != nil {
		return ops.Member{}, err
	}
	i := slices.IndexFunc(l.Members, func(m ops.Member) bool { return m.PersonID == p.Param("id") })
	if i < 0 {
		return ops.Member{}, fault.New(fault.NotFound, "Nobody in this brain goes by that name.").WithCode("no_such_member")
	}
	return l.Members[i], nil
}

// What a member's page asks.
const (
	askRoles = iota
	askRemoval
	askForgetting
)

func (s *Server) showMember(p *page) error { return s.memberPage(p, nil, nil, askRoles) }

func (s *Server) newRemoval(p *page) error { return s.memberPage(p, nil, nil, askRemoval) }

func (s *Server) newForgetting(p *page) error { return s.memberPage(p, nil, nil, askForgetting) }

// roleHints say what each role is for.
var roleHints = map[models.Role]string{
	models.RoleOwner: "All, and who decides on what.", models.RoleAdmin: "Members, keys and settings, and what a curator may.", models.RoleCurator: "Edits the draft, proposes and decides.",
	models.RoleApprover: "Reads the draft and decides.", models.RoleAuditor: "Reads everything, changes nothing.", models.RoleReader: "Reads and asks what is published.",
}

// memberPage shows one member, with the roles as they were sent.
func (s *Server) memberPage(p *page, sent []models.Role, r *refusal, ask int) error {
	m, err := s.memberWith(p)
	if err != nil {
		return err
	}
	have := m.Roles
	if sent != nil {
		have = sent
	}
	d := members.Detail{Row: memberRow(p, m), Waits: p.fourEyes(), About: r.about("roles"), Problem: r.rest("roles"), Removing: ask == askRemoval, Forgetting: ask == askForgetting}
	for _, role := range models.Roles() {
		d.Roles = append(d.Roles, form.Choice{Value: string(role), Label: string(role), Hint: roleHints[role], Chosen: slices.Contains(have, role)})
	}
	return render(p.Context, r.status(), privately, members.MemberPage(p.frame(), d))
}

func rolesOf(sent url.Values, field string) []models.Role {
	roles := []models.Role{}
	for _, v := range sent[field] {
		roles = append(roles, models.Role(v))
	}
	return roles
}

func (s *Server) grantRoles(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	call := p.call()
	call.Rationale = sent.Get("rationale")
	roles := rolesOf(sent, "role")
	_, err = ops.Do(p.ctx(), s.desk, call, ops.GrantRoles, ops.GrantIn{Member: p.Param("id"), Roles: roles})
	return p.ended(err, p.at(members.Path)+"?done=roles-saved", func(r *refusal) error { return s.memberPage(p, roles, r, askRoles) })
}

func (s *Server) removeMember(p *page) error {
	_, err := ops.Do(p.ctx(), s.desk, p.call(), ops.RemoveMember, ops.MemberIn{Member: p.Param("id")})
	to := p.at(members.Path) + "?done=member-removed"
	if p.Param("id") == p.by.Person {
		to = "/brains"
	}
	return p.ended(err, to, func(r *refusal) error { return s.memberPage(p, nil, r, askRemoval) })
}

// forgetMember asks for a person to be forgotten, which another one decides on.
func (s *Server) forgetMember(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	call := p.call()
	call.Rationale = sent.Get("rationale")
	_, err = ops.Do(p.ctx(), s.desk, call, ops.ForgetPerson, ops.MemberIn{Member: p.Param("id")})
	return p.ended(err, p.at(members.Path)+"?done=saved", func(r *refusal) error { return s.memberPage(p, nil, r, askForgetting) })
}

func (s *Server) newAccounts(p *page) error { return s.accountsPage(p, ops.LinkIn{}, nil) }

// accountsPage shows the forms that link and unlink accounts, as they were sent.
func (s *Server) accountsPage(p *page, in ops.LinkIn, r *refusal) error {
	l, err := ops.Whole(p.ctx(), s.desk, p.call(), ops.ListMembers)
	if err != nil {
		return err
	}
	a := members.Accounts{
		Account: r.entry("account", in.Account), Person: r.entry("person", in.Person), Problem: r.rest("account", "person"), Off: !p.fourEyes(),
		Unlink: ops.Allowed(p.call(), ops.UnlinkPersons.Entry()) == nil,
	}
	for _, m := range l.Members {
		a.Members = append(a.Members, m.Email)
	}
	return render(p.Context, r.status(), privately, members.AccountsPage(p.frame(), a))
}

func (s *Server) linkAccounts(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	call := p.call()
	call.Rationale = sent.Get("rationale")
	in := ops.LinkIn{Account: sent.Get("account"), Person: sent.Get("person")}
	if sent.Get("act") == "unlink" {
		_, err = ops.Do(p.ctx(), s.desk, call, ops.UnlinkPersons, in)
	} else {
		_, err = ops.Do(p.ctx(), s.desk, call, ops.LinkPersons, in)
	}
	return p.ended(err, p.at(members.Path)+"?done=saved", func(r *refusal) error { return s.accountsPage(p, in, r) })
}
