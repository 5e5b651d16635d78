package web

import (
	"cmp"
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
	"polaris/views/audit"
	"polaris/views/form"
	"polaris/views/layout"
)

// auditQuery are the parts of the page's address by which the log is narrowed,
// and the field of the operation's input that each is.
func auditQuery(p *page) (ops.AuditFilterIn, url.Values) {
	in := ops.AuditFilterIn{
		From: p.QueryParam("from"), To: p.QueryParam("to"), Person: p.QueryParam("person"), KeyID: p.QueryParam("key"), Operation: p.QueryParam("operation"),
		Target: p.QueryParam("target"), Outcome: p.QueryParam("outcome"), Surface: p.QueryParam("surface"),
	}
	set := url.Values{}
	for name, v := range map[string]string{"from": in.From, "to": in.To, "person": in.Person, "key": in.KeyID, "operation": in.Operation, "target": in.Target, "outcome": in.Outcome, "surface": in.Surface} {
		if v != "" {
			set.Set(name, v)
		}
	}
	return in, set
}

// withQuery returns an address with what narrows its list.
func withQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

func (s *Server) listAudit(p *page) error {
	in, set := auditQuery(p)
	l, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ListAudit, ops.AuditListIn{AuditFilterIn: in, Page: ops.Page{Cursor: p.QueryParam("cursor")}})
	r, wrong := refused(err)
	if wrong {
		l, err = ops.Do(p.ctx(), s.desk, p.call(), ops.ListAudit, ops.AuditListIn{})
		l.Rows, l.NextCursor = nil, ""
	}
	if err != nil {
		return err
	}
	x := audit.Index{Chain: chainOf(l), Filter: auditFilter(in, r), Filtered: len(set) > 0}
	for _, row := range l.Rows {
		x.Rows = append(x.Rows, auditRow(p, row))
	}
	if p.QueryParam("cursor") != "" {
		x.Newest = withQuery(p.at(audit.Path), set)
	}
	if l.NextCursor != "" {
		older := maps.Clone(set)
		older.Set("cursor", l.NextCursor)
		x.Older = withQuery(p.at(audit.Path), older)
	}
	if !wrong {
		for _, format := range []struct{ name, label string }{{"jsonl", "Export as JSON lines"}, {"csv", "Export as CSV"}} {
			q := maps.Clone(set)
			q.Set("format", format.name)
			x.Exports = append(x.Exports, layout.Link{Text: format.label, URL: withQuery(p.at(audit.ExportPath), q)})
		}
	}
	return render(p.Context, r.status(), privately, audit.IndexPage(p.frame(), x))
}

func chainOf(l ops.AuditList) audit.Chain {
	c := audit.Chain{Hash: l.Head}
	if l.Unsealed > 0 {
		c.Unsealed = layout.Plural(int(l.Unsealed), "row is", "rows are")
	}
	return c
}

func auditFilter(in ops.AuditFilterIn, r *refusal) audit.Filter {
	f := audit.Filter{
		From: r.entry("from", in.From), To: r.entry("to", in.To), Person: r.entry("person", in.Person), Operation: r.entry("operation", in.Operation),
		Target: r.entry("target", in.Target), Key: r.entry("key_id", in.KeyID), Problem: r.rest("from", "to", "person", "operation", "target", "key_id"),
	}
	for _, o := range ops.All() {
		f.Operations = append(f.Operations, o.Name)
	}
	slices.Sort(f.Operations)
	f.Outcomes = choices(in.Outcome, "any", "ok", "done", "queued", "waits for a second person", "insufficient_role", "refused: not in the role", "insufficient_scope", "refused: not in the scopes", "session_required", "refused: no browser session", "own_proposal", "refused: their own proposal", "content_changed", "refused: not what was seen", "invalid", "refused: not valid", "rate_limited", "refused: too many requests")
	f.Surfaces = choices(in.Surface, "anywhere", "web", "the pages", "rest", "REST", "mcp", "MCP", "openai", "the OpenAI endpoint", "cli", "a terminal", "stdio", "an agent at a terminal", "system", "Polaris itself")
	return f
}

// choices are the empty one and pairs of value and label; a chosen value that is
// none of them is added.
func choices(chosen, none string, pairs ...string) []form.Choice {
	cs := []form.Choice{{Label: none, Chosen: chosen == ""}}
	known := chosen == ""
	for i := 0; i < len(pairs); i += 2 {
		cs = append(cs, form.Choice{Value: pairs[i], Label: pairs[i+1], Chosen: pairs[i] == chosen})
		known = known || pairs[i] == chosen
	}
	if !known {
		cs = append(cs, form.Choice{Value: chosen, Label: chosen, Chosen: true})
	}
	return cs
}

func auditRow(p *page, l ops.AuditLine) audit.Row {
	a := l.Row
	r := audit.Row{
		ID: strconv.FormatInt(a.ID, 10), At: p.when(a.At), What: operationTitle(a.Operation), Operation: a.Operation, Class: a.Class, Target: a.Target, URL: auditTarget(p, a),
		Who: cmp.Or(a.Actor, string(a.Kind)), Surface: surfaceWords(a.Surface), Verified: a.Authenticated, Outcome: "refused", Code: a.Outcome, Kind: layout.Bad, Lines: auditLines(a.Detail),
	}
	switch a.Outcome {
	case "ok":
		r.Outcome, r.Code, r.Kind = "done", "", layout.Good
	case "queued":
		r.Outcome, r.Code, r.Kind = "waits", "", layout.Caution
	}
	switch {
	case a.KeyID != "" && a.Kind == models.KindKey:
		r.Key = models.KeyStart(a.KeyID) + "…"
	case a.KeyID != "":
		r.Key = "access " + a.KeyID // the grant of a program's token
	}
	if l.Seq > 0 {
		r.Seq, r.Hash = layout.Number(int(l.Seq)), l.Hash
	}
	return r
}

// auditTarget leads to what a row is about, where that has a page of its own.
func auditTarget(p *page, a models.AuditRow) string {
	switch {
	case a.Outcome != "ok" && a.Outcome != "queued":
		return ""
	case strings.HasPrefix(a.Target, "rec_"):
		return p.at(approvals.ReviewPath(a.Target))
	case strings.HasPrefix(a.Target, "ans_"):
		return p.at(answers.RecordPath(a.Target))
	}
	return ""
}

// surfaceWords says through what somebody came.
func surfaceWords(surface string) string {
	words := map[string]string{"web": "at the pages", "cli": "at a terminal", "stdio": "an agent at a terminal", "mcp": "over MCP", "rest": "over REST", "openai": "the OpenAI endpoint", "system": "by itself"}
	return cmp.Or(words[surface], surface)
}

// auditLines are what else a row says.
func auditLines(d models.Detail) []string {
	var all []string
	add := func(label, v string) {
		if v != "" {
			all = append(all, label+v)
		}
	}
	if d.Applies != "" {
		add("", strings.TrimSuffix(operationTitle(d.Applies)+": "+d.Subject, ": "))
	}
	if d.Undoes > 0 {
		add("takes back the row with the id ", strconv.FormatInt(d.Undoes, 10))
	}
	add("verdict: ", d.Verdict)
	add("now ", d.State)
	for _, c := range d.Changes {
		switch {
		case c.From == "":
			add(c.Field+": ", c.To)
		case c.To == "":
			add(c.Field+": ", c.From+" → nothing")
		default:
			add(c.Field+": ", c.From+" → "+c.To)
		}
	}
	if d.Version > 0 {
		add("version ", strconv.Itoa(d.Version))
	}
	add("guardrail: ", d.Guardrail)
	add("four eyes: ", d.FourEyes)
	add("approval named by: ", d.ApprovedBy)
	add("why: ", d.Rationale)
	return all
}

func (s *Server) verifyAudit(p *page) error {
	known := p.QueryParam("head")
	report, err := ops.Do(p.ctx(), s.desk, p.call(), ops.VerifyAudit, ops.VerifyAuditIn{Head: known})
	r, wrong := refused(err)
	if wrong {
		report, err = ops.Do(p.ctx(), s.desk, p.call(), ops.VerifyAudit, ops.VerifyAuditIn{})
	}
	if err != nil {
		return err
	}
	v := audit.Verification{
		Sealed: layout.Number(int(report.Sealed)), Unsealed: layout.Number(int(report.Unsealed)), Head: "none yet", Problems: report.Problems, Known: r.entry("head", known),
	}
	if report.Removed > 0 {
		v.Removed = layout.Number(int(report.Removed))
	}
	if report.HeadSeq > 0 {
		v.Head = strconv.FormatInt(report.HeadSeq, 10) + ":" + report.HeadHash
	}
	return render(p.Context, r.status(), never, audit.VerificationPage(p.frame(), v))
}

// exportAudit gives the log out as a file. The export is recorded before the
// first line leaves.
func (s *Server) exportAudit(p *page) error {
	in, _ := auditQuery(p)
	x, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ExportAudit, ops.ExportAuditIn{AuditFilterIn: in, Format: p.QueryParam("format")})
	if fault.Is(err, fault.Invalid) {
		return p.Redirect(http.StatusSeeOther, withQuery(p.at(audit.Path), p.QueryParams()))
	}
	if err != nil {
		return err
	}
	return s.stream(p.Context, x)
}
