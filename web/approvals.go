package web

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/approvals"
	"polaris/views/form"
	"polaris/views/layout"
)

// queueStates are what the queue can be narrowed to; "all" is no state.
var queueStates = []struct {
	label string
	state models.RecommendationState
}{
	{"Waiting", models.Pending},
	{"Applied", models.Applied},
	{"Rejected", models.Rejected},
	{"Withdrawn", models.Withdrawn},
	{"Stale", models.Stale},
	{"Expired", models.Expired},
	{"Superseded", models.Superseded},
	{"All", ""},
}

const allStates = "all"

func (s *Server) listApprovals(p *page) error {
	return s.queuePage(p, http.StatusOK, cmp.Or(p.QueryParam("state"), string(models.Pending)), nil, "")
}

// queuePage shows a stretch of the queue, with what became of a batch.
func (s *Server) queuePage(p *page, status int, state string, results []approvals.Result, problem string) error {
	mine := p.QueryParam("mine") != ""
	in := ops.RecommendationsIn{State: models.RecommendationState(state), Mine: mine, Page: ops.Page{Cursor: p.QueryParam("cursor")}}
	if state == allStates {
		in.State = ""
	}
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListRecommendations, in)
	if err != nil {
		return err
	}
	x := approvals.Index{Pending: in.State == models.Pending, Mine: mine, Warning: l.Warning, Results: results, Problem: problem}
	narrowed := url.Values{}
	if mine {
		narrowed.Set("mine", "yes")
	}
	for _, f := range queueStates {
		q := maps.Clone(narrowed)
		if f.state != models.Pending {
			q.Set("state", cmp.Or(string(f.state), allStates))
		}
		x.Filters = append(x.Filters, approvals.Filter{Label: f.label, URL: withQuery(p.at(approvals.Path), q), Chosen: f.state == in.State})
	}
	for i := range l.Recommendations {
		row := approvalRow(p, &l.Recommendations[i])
		row.Withdraw = mine && l.Recommendations[i].State == models.Pending
		if mine || l.Recommendations[i].Proposer == p.by.Person || cannotDecide(p, &l.Recommendations[i]) != "" {
			row.Hash = ""
		} else {
			x.Decidable++
		}
		x.Rows = append(x.Rows, row)
	}
	if l.NextCursor != "" {
		narrowed.Set("state", state)
		narrowed.Set("cursor", l.NextCursor)
		x.Older = withQuery(p.at(approvals.Path), narrowed)
	}
	return render(p.Context, status, privately, approvals.IndexPage(p.frame(), x))
}

func approvalRow(p *page, r *models.Recommendation) approvals.Row {
	return approvals.Row{
		ID: r.ID, URL: p.at(approvals.ReviewPath(r.ID)), What: operationTitle(r.Operation), Target: r.Target, Class: r.Class,
		By: r.Actor, Through: cameBy(r), Authenticated: r.Authenticated, Proposed: p.when(r.CreatedAt), Expires: p.when(r.ExpiresAt),
		State: approvals.State{Name: string(r.State)}, Hash: r.Hash(),
	}
}

func operationTitle(name string) string {
	if o := ops.All().Find(name); o != nil {
		return o.Title
	}
	return name
}

// cameBy says by which way a change was proposed.
func cameBy(r *models.Recommendation) string {
	way := map[string]string{"web": "at the pages", "cli": "at a terminal", "stdio": "by an agent at a terminal", "mcp": "by an agent over MCP", "rest": "by a program over REST"}[r.Surface]
	way = cmp.Or(way, "through "+r.Surface)
	if r.KeyID != "" {
		way += " with key " + r.KeyID
	}
	return way
}

// cannotDecide says why whoever looks does not decide, as far as it is known
// without who had a part; "" where they may.
func cannotDecide(p *page, r *models.Recommendation) string {
	switch {
	case r.State != models.Pending:
		return "This was decided already."
	case !r.ExpiresAt.After(p.now):
		return "This waited too long and has expired. It can be proposed again."
	case !slices.ContainsFunc(p.by.Roles, func(have models.Role) bool { return slices.Contains(r.Roles, have) }):
		return "Your role in this brain does not decide on this. It is for: " + rolesText(r.Roles) + "."
	}
	return ""
}

// verdictsAtOnce bounds a batch: each item is a transaction, and an approval may
// build an index.
const verdictsAtOnce = 50

// decideSeveral decides on what was chosen in the queue, one by one, each by the
// hash that the list showed.
func (s *Server) decideSeveral(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	items := sent["item"]
	switch {
	case len(items) == 0:
		return s.queuePage(p, http.StatusUnprocessableEntity, string(models.Pending), nil, "Choose what you decide on first.")
	case len(items) > verdictsAtOnce:
		return s.queuePage(p, http.StatusUnprocessableEntity, string(models.Pending), nil, "Decide on at most 50 at once.")
	}
	var results []approvals.Result
	for _, item := range items {
		id, hash, _ := strings.Cut(item, ":")
		out := approvals.Result{ID: id, URL: p.at(approvals.ReviewPath(id)), What: id}
		if v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetRecommendation, ops.RecommendationIDIn{ID: id}); err == nil {
			out.What = operationTitle(v.Operation) + ", " + v.Target
		}
		got, err := ops.Do(p.ctx(), s.desk, p.call(), ops.DecideRecommendation, ops.DecideIn{ID: id, Hash: hash, Verdict: sent.Get("verdict"), Comment: sent.Get("comment")})
		switch f := faultOf(err); {
		case err == nil:
			out.Kind, out.Text = outcome(got.State)
		case f.Kind == fault.Internal || f.Kind == fault.Unavailable:
			return err
		default:
			out.Kind, out.Text = layout.Bad, f.Message
		}
		results = append(results, out)
	}
	p.waiting = nil
	return s.queuePage(p, http.StatusOK, string(models.Pending), results, "")
}

// outcome names the state that followed from a verdict.
func outcome(state models.RecommendationState) (layout.Kind, string) {
	switch state {
	case models.Pending:
		return layout.Caution, "approved, another must as well"
	case models.Stale:
		return layout.Caution, "stale: what it would change has changed"
	case models.Rejected:
		return layout.Neutral, "rejected"
	}
	return layout.Good, string(state)
}

func (s *Server) showApproval(p *page) error { return s.reviewPage(p, http.StatusOK, "", "") }

// reviewPage shows one change, with the form as it was sent.
func (s *Server) reviewPage(p *page, status int, comment, problem string) error {
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetRecommendation, ops.RecommendationIDIn{ID: p.Param("id")})
	if err != nil {
		return err
	}
	changes, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ShowChanges, ops.RecommendationIDIn{ID: p.Param("id")})
	if err != nil {
		return err
	}
	r := review(p, v, comment, problem)
	addChanges(p, &r, v, changes)
	return render(p.Context, status, privately, approvals.ReviewPage(p.frame(), r))
}

func review(p *page, v ops.RecommendationView, comment, problem string) approvals.Review {
	r := approvals.Review{
		Row: approvalRow(p, &v.Recommendation), ClassText: classText(v.Class), Diff: approvals.Diff(approvals.Lines(v.Before), approvals.Lines(v.After)),
		Input: approvals.Diff(approvals.Lines(v.Input), approvals.Lines(v.Input)), Unknown: ops.All().Find(v.Operation) == nil, Moved: v.Moved,
		Rationale: v.Rationale, Evidence: v.Evidence, Needed: v.Needed, Roles: rolesText(v.Roles), EndedAt: p.whenever(v.DecidedAt),
		Comment: form.Entry{Value: comment}, Problem: problem,
	}
	if v.State == models.Pending {
		r.Failed = v.Note
	} else {
		r.Ended = v.Note
	}
	if v.Supersedes != "" {
		r.Supersede = layout.Link{Text: v.Supersedes, URL: p.at(approvals.ReviewPath(v.Supersedes))}
	}
	if v.State == models.Superseded {
		r.Ended = "Another change took its place: " + v.Note + "."
	}
	for _, part := range v.Parts {
		if part.Part == "approve" {
			r.Approved++
		}
		r.Parts = append(r.Parts, approvals.Part{Who: part.Email, What: partText(v.Recommendation, part), Comment: part.Comment, At: p.when(part.At)})
	}
	r.MayDecide, r.Standing = standing(p, v)
	r.Withdraw = v.State == models.Pending && v.Proposer == p.by.Person
	return r
}

// standing says whether whoever looks decides, and why.
func standing(p *page, v ops.RecommendationView) (may bool, why string) {
	if why := cannotDecide(p, &v.Recommendation); why != "" {
		return false, why
	}
	decided := slices.ContainsFunc(v.Parts, func(part models.Part) bool { return part.AccountID == p.by.Person && part.Part != "contributor" })
	switch {
	case decided:
		return false, "You have approved this. Another person must as well."
	case v.Yours:
		return false, "You proposed this, or had a part in it. Another person decides on it."
	}
	return true, "You did not propose or edit this."
}

func partText(r models.Recommendation, part models.Part) string {
	switch {
	case part.Part == "approve":
		return "Approved by"
	case part.Part == "reject":
		return "Rejected by"
	case part.AccountID == r.Proposer:
		return "Proposed by"
	}
	return "Contributed to by"
}

func classText(class string) string {
	return map[string]string{
		string(ops.Reversible):   "A2: changes the draft, and can be undone",
		string(ops.Judgement):    "A3: a curator’s judgement",
		string(ops.Irreversible): "A4: publishes, or leaves the system",
	}[class]
}

func (s *Server) decide(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	in := ops.DecideIn{ID: p.Param("id"), Hash: sent.Get("hash"), Verdict: sent.Get("verdict"), Comment: sent.Get("comment")}
	out, err := ops.Do(p.ctx(), s.desk, p.call(), ops.DecideRecommendation, in)
	if f := undecided(err); f != nil {
		status := f.Kind.Status()
		if f.Kind == fault.Invalid {
			status = http.StatusUnprocessableEntity // as of every form that is shown again
		}
		return s.reviewPage(p, status, in.Comment, f.Message)
	}
	if err != nil {
		return err
	}
	done := string(out.State)
	if out.State == models.Pending {
		done = "approved"
	}
	return p.Redirect(http.StatusSeeOther, p.at(approvals.ReviewPath(in.ID))+"?done="+done)
}

// undecided returns why a decision did not come about, where its page says so
// best.
func undecided(err error) *fault.Error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil
	}
	switch f.Kind {
	case fault.Invalid, fault.Conflict, fault.Forbidden:
		return f
	}
	return nil
}

func (s *Server) withdraw(p *page) error {
	in := ops.RecommendationIDIn{ID: p.Param("id")}
	_, err := ops.Do(p.ctx(), s.desk, p.call(), ops.WithdrawRecommendation, in)
	if f := undecided(err); f != nil {
		return s.reviewPage(p, f.Kind.Status(), "", f.Message)
	}
	if err != nil {
		return err
	}
	return p.Redirect(http.StatusSeeOther, p.at(approvals.ReviewPath(in.ID))+"?done=withdrawn")
}
