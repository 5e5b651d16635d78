package web

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/answers"
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

// decidedOn are the classes of what waits, in words.
var decidedOn = []form.Choice{
	{Value: "", Label: "any"},
	{Value: string(ops.Reversible), Label: "A2: changes the draft"},
	{Value: string(ops.Judgement), Label: "A3: a judgement"},
	{Value: string(ops.Irreversible), Label: "A4: publishes or removes"},
}

func (s *Server) listApprovals(p *page) error { return s.queuePage(p, http.StatusOK, nil, "") }

// queuePage shows a stretch of the queue, with what became of a batch.
func (s *Server) queuePage(p *page, status int, results []approvals.Result, problem string) error {
	set := url.Values{}
	for _, name := range []string{"state", "mine", "class", "by", "order"} {
		if v := p.QueryParam(name); v != "" {
			set.Set(name, v)
		}
	}
	state, mine := cmp.Or(set.Get("state"), string(models.Pending)), set.Has("mine")
	in := ops.RecommendationsIn{State: models.RecommendationState(state), Mine: mine, Class: set.Get("class"), By: set.Get("by"), Order: set.Get("order"), Page: ops.Page{Cursor: p.QueryParam("cursor")}}
	if state == allStates {
		in.State = ""
	}
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListRecommendations, in)
	if err != nil {
		return err
	}
	x := approvals.Index{
		Pending: in.State == models.Pending, Mine: mine, Warning: l.Warning, Results: results, Problem: problem, By: form.Entry{Value: in.By},
		Orders: choices(in.Order, "newest first", "oldest", "oldest first"), Narrowed: in.Class != "" || in.By != "",
	}
	x.Classes = slices.Clone(decidedOn)
	for i := range x.Classes {
		x.Classes[i].Chosen = x.Classes[i].Value == in.Class
	}
	plain := url.Values{}
	for _, name := range []string{"state", "mine"} {
		if set.Has(name) {
			plain.Set(name, set.Get(name))
			x.Kept = append(x.Kept, layout.Hidden{Name: name, Value: set.Get(name)})
		}
	}
	x.All = withQuery(p.at(approvals.Path), plain)
	for _, f := range queueStates {
		q := maps.Clone(set)
		q.Del("state")
		if f.state != models.Pending {
			q.Set("state", cmp.Or(string(f.state), allStates))
		}
		x.Filters = append(x.Filters, approvals.Filter{Label: f.label, URL: withQuery(p.at(approvals.Path), q), Chosen: f.state == in.State})
	}
	for i := range l.Recommendations {
		row := approvalRow(p, &l.Recommendations[i])
		row.Withdraw = mine && l.Recommendations[i].State == models.Pending
		row.Yours = l.Recommendations[i].Proposer == p.by.Person
		if mine || row.Yours || cannotDecide(p, &l.Recommendations[i]) != "" {
			row.Hash = ""
		} else {
			x.Decidable++
		}
		x.Rows = append(x.Rows, row)
	}
	if in.Cursor != "" {
		x.Pages.Newer, x.Pages.Words[0] = withQuery(p.at(approvals.Path), set), "To the beginning"
	}
	if l.NextCursor != "" {
		q := maps.Clone(set)
		q.Set("cursor", l.NextCursor)
		x.Pages.Older, x.Pages.Words[1] = withQuery(p.at(approvals.Path), q), map[bool]string{false: "Older", true: "Newer"}[in.Order == "oldest"]
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

// reviewedAtOnce bounds a batch: whoever decides reads each of them, and each is a
// transaction of its own.
const reviewedAtOnce = 20

// reviewSeveral shows what was chosen in the queue, each with what it changes,
// to be decided on one by one.
func (s *Server) reviewSeveral(p *page) error {
	ids := p.QueryParams()["item"]
	switch {
	case len(ids) == 0:
		return s.queuePage(p, http.StatusUnprocessableEntity, nil, "Choose what you look at first.")
	case len(ids) > reviewedAtOnce:
		return s.queuePage(p, http.StatusUnprocessableEntity, nil, "Look at "+strconv.Itoa(reviewedAtOnce)+" at once, at most.")
	}
	var b approvals.Batch
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		r, err := s.reviewed(p, id, "", "")
		if fault.Is(err, fault.NotFound) {
			b.Missing++
			continue
		}
		if err != nil {
			return err
		}
		if r.MayDecide {
			b.Decidable++
		}
		b.Reviews = append(b.Reviews, r)
	}
	return p.show(approvals.BatchPage(p.frame(), b))
}

// decideSeveral decides on what was looked at together: each by a verdict of its
// own, and by the hash of what was shown. What has none stays as it is.
func (s *Server) decideSeveral(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	var items []string
	for _, item := range sent["item"] {
		if id, _, _ := strings.Cut(item, ":"); sent.Get("verdict-"+id) != "" {
			items = append(items, item)
		}
	}
	switch {
	case len(items) == 0:
		return s.queuePage(p, http.StatusUnprocessableEntity, nil, "Nothing was decided on: no verdict was given. Choose what you look at first.")
	case len(items) > reviewedAtOnce:
		return s.queuePage(p, http.StatusUnprocessableEntity, nil, "Decide on "+strconv.Itoa(reviewedAtOnce)+" at once, at most.")
	}
	var results []approvals.Result
	for _, item := range items {
		id, hash, _ := strings.Cut(item, ":")
		out := approvals.Result{ID: id, URL: p.at(approvals.ReviewPath(id)), What: id}
		if v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetRecommendation, ops.RecommendationIDIn{ID: id}); err == nil {
			out.What = operationTitle(v.Operation) + ", " + v.Target
		}
		got, err := ops.Do(p.ctx(), s.desk, p.call(), ops.DecideRecommendation, ops.DecideIn{ID: id, Hash: hash, Verdict: sent.Get("verdict-" + id), Comment: sent.Get("comment-" + id)})
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
	return s.queuePage(p, http.StatusOK, results, "")
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
	r, err := s.reviewed(p, p.Param("id"), comment, problem)
	if err != nil {
		return err
	}
	return render(p.Context, status, privately, approvals.ReviewPage(p.frame(), r))
}

// reviewed is one change with what it comes to.
func (s *Server) reviewed(p *page, id, comment, problem string) (approvals.Review, error) {
	v, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetRecommendation, ops.RecommendationIDIn{ID: id})
	if err != nil {
		return approvals.Review{}, err
	}
	changes, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ShowChanges, ops.RecommendationIDIn{ID: id})
	if err != nil {
		return approvals.Review{}, err
	}
	r := review(p, v, comment, problem)
	addChanges(p, &r, v, changes)
	return r, nil
}

func review(p *page, v ops.RecommendationView, comment, problem string) approvals.Review {
	r := approvals.Review{
		Row: approvalRow(p, &v.Recommendation), ClassText: classText(v.Class), Diff: approvals.Diff(approvals.Lines(v.Before), approvals.Lines(v.After)),
		Input: approvals.Diff(approvals.Lines(v.Input), approvals.Lines(v.Input)), Unknown: ops.All().Find(v.Operation) == nil, Moved: v.Moved,
		Rationale: v.Rationale, Evidence: evidence(p, v.Evidence), Needed: v.Needed, Roles: rolesText(v.Roles), EndedAt: p.whenever(v.DecidedAt),
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
	r.Yours = v.Yours
	if v.Older != "" {
		r.Older = p.at(approvals.ReviewPath(v.Older))
	}
	if v.Newer != "" {
		r.Newer = p.at(approvals.ReviewPath(v.Newer))
	}
	r.Next, r.Again = nextSteps(p, v)
	return r
}

// evidence is what a proposal stands on, as links where it is an answer.
func evidence(p *page, all []string) (links []layout.Link) {
	for _, e := range all {
		l := layout.Link{Text: e}
		if id := answerID(e); id != "" {
			l.URL = p.at(answers.RecordPath(id))
		}
		links = append(links, l)
	}
	return links
}

// nextSteps say what to do about a change that ended by itself.
func nextSteps(p *page, v ops.RecommendationView) (words string, again layout.Link) {
	switch v.State {
	case models.Stale:
		words = "Somebody changed the same thing after this was proposed, so approving it would have undone their work unseen. Nothing was done. Look at what is there now, and propose what is still wanted anew."
	case models.Expired:
		words = "Nobody decided within " + strconv.Itoa(int(models.RecommendationLife.Hours()/24)) + " days, and what was true then may not be now. Nothing was done. It can be proposed anew."
	default:
		return "", layout.Link{}
	}
	_, id, _ := strings.Cut(v.Target, "topic card ")
	switch {
	case strings.HasPrefix(v.Operation, "topic_cards.") && id != "" && id == models.Slug(id):
		again = layout.Link{Text: "Open the topic card", URL: p.at("/topic-cards/" + id)}
	case strings.HasPrefix(v.Operation, "versions."):
		again = layout.Link{Text: "Ask for it again", URL: p.at("/versions")}
	case strings.HasPrefix(v.Operation, "sources."):
		again = layout.Link{Text: "Sources", URL: p.at("/sources")}
	case strings.HasPrefix(v.Operation, "golden_questions."):
		again = layout.Link{Text: "Golden questions", URL: p.at("/golden-questions")}
	}
	return words, again
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
