package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"polaris/models"
)

const (
	eve   = "eve@example.org"
	rules = "# Rules\n\n## 1 Fees\n\n(a) The late fee is 10 dollars.\n\n(b) Complaints are answered within a week.\n"
	later = "# Rules\n\n## 1 Fees\n\n(a) The late fee is 15 dollars.\n\n(b) Complaints are answered within a week.\n\n(c) No fee is charged in the first month.\n"
)

// approves has somebody approve what waits at an address.
func (b *browser) approves(at string) {
	b.t.Helper()
	b.post(at, url.Values{"verdict": {"approve"}, "hash": {b.get(at).hash()}}).want(http.StatusSeeOther).to(at + "?done=applied")
}

// waits is where an act led that a second person decides on.
func (a *answer) waits() string {
	a.t.Helper()
	a.want(http.StatusSeeOther)
	to, done, _ := strings.Cut(a.Header.Get("Location"), "?")
	if !strings.Contains(to, "/approvals/rec_") || done != "done=queued" {
		a.t.Fatalf("%s leads to %s\n%s", a.Request.URL.Path, a.Header.Get("Location"), a.text)
	}
	return to
}

// sees opens a page and holds it against the rules of all pages.
func (b *browser) sees(path string, parts ...string) *answer {
	b.t.Helper()
	a := b.get(path).want(http.StatusOK, parts...)
	checkPage(b.t, a)
	strict(b.t, a)
	return a
}

// proposes imports a document with a program of a's.
func (s *site) proposes(a *browser, code, text string) (at string) {
	s.t.Helper()
	token := a.scopedToken("acme", models.ScopeWrite)
	body := `{"name":"rules.md","code":"` + code + `","data":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}`
	var q models.Queued
	s.browser().do(http.MethodPost, "/v1/brains/acme/sources", body, "Content-Type", "application/json", "Authorization", "Bearer "+token).want(http.StatusAccepted).json(&q)
	return "/brains/acme/approvals/" + q.ID
}

// What a program wants to import is shown passage by passage before anybody
// decides, and afterwards.
func TestReviewOfAnImport(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	s.draft("acme", "RU", rules)
	at := s.proposes(a, "RU", later)
	b.sees(at, "RU 1(a)", "The late fee is", "<del>10</del>", "<ins>15</ins>", "RU 1(c)", "1 changed", "1 gained", "as before", "Approve and import a source")
	a.sees(at, "Another person decides", "<ins>15</ins>").lacks(`name="verdict"`)
	b.approves(at)
	b.sees(at, "RU 1(a)", "<ins>15</ins>", "1 changed")
	// One that was rejected has no document any more.
	gone := s.proposes(a, "RU", rules+"\n(z) More.\n")
	b.post(gone, url.Values{"verdict": {"reject"}, "hash": {b.get(gone).hash()}}).want(http.StatusSeeOther)
	b.sees(gone, "is not kept any more")
}

// A publish shows what it changes, who made that, and what becomes of the golden
// questions.
func TestReviewOfAPublish(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	s.draft("acme", "RU", rules)
	a.sees("/brains/acme/golden-questions", "No golden questions yet", "Save the first one")
	a.post("/brains/acme/golden-questions", url.Values{"question": {""}}).want(http.StatusUnprocessableEntity, "Write a question")
	a.post("/brains/acme/golden-questions", url.Values{"question": {"How much is the late fee?"}, "expects": {"no key"}}).want(http.StatusUnprocessableEntity, "no citation key", "no key")
	a.post("/brains/acme/golden-questions", url.Values{"question": {"How much is the late fee?"}, "expects": {"RU 1(a)\n"}}).want(http.StatusSeeOther).to("/brains/acme/golden-questions?done=question-saved")
	a.post("/brains/acme/golden-questions", url.Values{"question": {"How much is the late fee?"}}).want(http.StatusUnprocessableEntity, "there already")
	a.sees("/brains/acme/golden-questions?done=question-saved", "How much is the late fee?", "RU 1(a)", "asked before the next publish")
	a.sees("/brains/acme/golden-questions/report", "1\u00a0question asked", "grounded", "cites RU 1(a)")
	first := a.asksForPublish("")
	b.sees(first, "What this publish changes", "source RU, revision 1", owner+" at a terminal", "not signed in", "Effect on the golden questions", "How much is the late fee?")
	b.approves(first)

	s.draft("acme", "RU", later)
	second := a.asksForPublish("more")
	b.sees(second, "revision 1 → 2", "1 answered otherwise", "reworded", "RU 1(a)").lacks("source HB")
	b.approves(second)

	// The versions lead to how they were decided on, are compared and restored.
	a.sees("/brains/acme/versions", first, second, "What changed", "Restore", "Compare").lacks("published while")
	a.sees("/brains/acme/versions/diff?from=1&to=2", "Version 1 → version 2", "<del>10</del>", "RU 1(c)", "1\u00a0source")
	a.sees("/brains/acme/versions/diff?from=2", "Nothing differs")
	a.get("/brains/acme/versions/diff?from=77").want(http.StatusNotFound)
	a.get("/brains/acme/versions/diff?from=x").want(http.StatusNotFound)
	a.sees("/brains/acme/versions/1/restoration", "Restore version 1?", "Ask to restore version 1")
	b.get("/brains/acme/versions/1/restoration").want(http.StatusForbidden)
	b.post("/brains/acme/versions/1/restoration", nil).want(http.StatusForbidden)
	a.post("/brains/acme/versions/2/restoration", nil).want(http.StatusUnprocessableEntity, "which answers now")
	at := a.post("/brains/acme/versions/1/restoration", url.Values{"notes": {"Back"}}).waits()
	b.sees(at, "What this publish changes", "revision 2 → 1")
	b.approves(at)
	a.sees("/brains/acme/versions", "Version 3 answers")

	a.sees("/brains/acme/golden-questions/how-much-is-the-late-fee", "Delete it")
	a.sees("/brains/acme/golden-questions/how-much-is-the-late-fee/removal", "Delete this question")
	b.get("/brains/acme/golden-questions/how-much-is-the-late-fee").want(http.StatusForbidden)
	a.post("/brains/acme/golden-questions/how-much-is-the-late-fee/removal", url.Values{"tag": {"r0.1"}}).want(http.StatusUnprocessableEntity, "Somebody else changed this")
	a.post("/brains/acme/golden-questions/how-much-is-the-late-fee/removal", nil).want(http.StatusSeeOther)
	a.get("/brains/acme/golden-questions/how-much-is-the-late-fee").want(http.StatusNotFound)
}

// Roles with a say wait for a second person, others do not.
func TestMembersAtThePage(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	s.person(eve, "acme", models.RoleReader)
	id := idOf(t, a, eve)
	a.sees("/brains/acme/settings/members", "3\u00a0people", "2 can decide", ben, eve, "bb user create EMAIL", "Link two accounts")
	b.get("/brains/acme/settings/members").want(http.StatusForbidden)
	b.get("/brains/acme").want(http.StatusOK).lacks("/settings/members", "Audit log")
	member := "/brains/acme/settings/members/" + id
	a.sees(member, "reader", "Save the roles", "when another person has decided")
	a.get("/brains/acme/settings/members/per_000000000000").want(http.StatusNotFound)
	a.post(member, url.Values{}).want(http.StatusUnprocessableEntity, "at least one role")
	a.post(member, url.Values{"role": {"king"}}).want(http.StatusUnprocessableEntity, "is no role")
	a.post(member, url.Values{"role": {"reader", "auditor"}}).want(http.StatusSeeOther).to("/brains/acme/settings/members?done=roles-saved")
	at := a.post(member, url.Values{"role": {"approver"}, "rationale": {"Our second pair of eyes"}}).waits()
	a.sees("/brains/acme/settings/members", "Waiting for a second person", strings.TrimPrefix(at, ""))
	b.sees(at, "Our second pair of eyes", "approver")
	b.approves(at)
	a.sees("/brains/acme/settings/members", "3 can decide")

	a.sees("/brains/acme/settings/members/accounts", "Ask to link them", "Ask to unlink them")
	a.post("/brains/acme/settings/members/accounts", url.Values{"account": {"x@y.example"}, "person": {ben}}).want(http.StatusUnprocessableEntity, "Nobody in this brain")
	a.post("/brains/acme/settings/members/accounts", url.Values{"account": {ben}, "person": {ben}}).want(http.StatusUnprocessableEntity, "one account")
	a.post("/brains/acme/settings/members/accounts", url.Values{"account": {eve}, "person": {ben}, "act": {"link"}}).waits()

	a.sees(member+"/removal", "Remove this member")
	mine := idOf(t, a, owner)
	a.post("/brains/acme/settings/members/"+mine+"/removal", nil).want(http.StatusUnprocessableEntity, "last active owner")
	a.post(member+"/removal", nil).want(http.StatusSeeOther).to("/brains/acme/settings/members?done=member-removed")
	a.sees("/brains/acme/settings/members", "2\u00a0people").lacks("Change roles of " + eve)
}

// idOf finds a member's id in the list.
func idOf(t *testing.T, b *browser, email string) string {
	t.Helper()
	a := b.get("/brains/acme/settings/members").want(http.StatusOK)
	m := regexp.MustCompile(`settings/members/(per_[0-9A-Za-z]{12})" aria-label="Change roles of ` + regexp.QuoteMeta(email) + `"`).FindStringSubmatch(a.text)
	if m == nil {
		t.Fatalf("%s is not in the list\n%s", email, a.text)
	}
	return m[1]
}

// Settings become stricter at once and laxer by two; off is told everywhere.
func TestSettingsAtThePage(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	a.sees("/brains/acme/settings", "2\u00a0people could decide", "Turn them off for a time", "Ask to turn four eyes off")
	b.sees("/brains/acme/settings", "one approval by").lacks("Save the rules", "<form method=\"post\" action=\"/brains/acme/settings")
	b.post("/brains/acme/settings/four-eyes", url.Values{"four_eyes": {"off"}}).want(http.StatusForbidden)
	rule := url.Values{
		"needed-A2": {"1"}, "role-A2": {"owner", "admin", "curator", "approver"}, "needed-A3": {"1"}, "role-A3": {"owner", "admin", "curator", "approver"},
		"needed-A4": {"3"}, "role-A4": {"owner", "admin", "curator", "approver"},
	}
	a.post("/brains/acme/settings/rules", rule).want(http.StatusUnprocessableEntity, "would never come together")
	rule.Set("needed-A4", "1")
	rule["role-A4"] = []string{"owner", "approver"}
	a.post("/brains/acme/settings/rules", rule).want(http.StatusSeeOther).to("/brains/acme/settings?done=rules-saved")
	b.sees("/brains/acme/settings", "one approval by approver or owner")
	rule["role-A4"] = []string{"owner", "approver", "curator"}
	at := a.post("/brains/acme/settings/rules", rule).waits()
	b.sees(at, "Change how a brain decides", "curator")
	rule["needed-A2"] = []string{"x"}
	a.post("/brains/acme/settings/rules", rule).want(http.StatusBadRequest)

	a.post("/brains/acme/settings/four-eyes", url.Values{"four_eyes": {"off"}, "days": {"many"}}).want(http.StatusUnprocessableEntity, "number of days")
	at = a.post("/brains/acme/settings/four-eyes", url.Values{"four_eyes": {"off"}, "days": {"3"}}).waits()
	a.sees("/brains/acme/settings", "Waiting for a second person")
	b.approves(at)
	until := s.desk.Now().AddDate(0, 0, 3).UTC().Format("2 January 2006")
	for _, path := range []string{"", "/sources", "/versions", "/approvals", "/settings", "/ask", "/wiki", "/answers"} {
		b.sees("/brains/acme"+path, "Four eyes are off in this brain until "+until)
	}
	a.sees("/brains/acme/settings", "They are on again", "Turn four eyes on now")
	a.post("/brains/acme/versions", nil).want(http.StatusSeeOther).to("/brains/acme/versions?done=published")
	a.sees("/brains/acme/versions", "published while four eyes were off")
	a.post("/brains/acme/settings/four-eyes", url.Values{"four_eyes": {"on"}}).want(http.StatusSeeOther).to("/brains/acme/settings?done=four-eyes-on")
	b.sees("/brains/acme").lacks("Four eyes are off in this brain")
	a.sees("/brains/acme/versions", "published while four eyes were off")
}

// One person alone is warned, and may do without a second one for a time.
func TestSettingsAlone(t *testing.T) {
	t.Parallel()
	_, a := started(t)
	a.post("/brains/calliope/settings/four-eyes", url.Values{"four_eyes": {"on"}}).want(http.StatusSeeOther)
	a.sees("/brains/calliope/settings", "Fewer than two people could ever decide", "for 30 days at most", "Turn four eyes off")
	a.sees("/brains/calliope/settings/members", "Fewer than two people could ever decide")
	a.post("/brains/calliope/settings/four-eyes", url.Values{"four_eyes": {"off"}, "days": {"90"}}).want(http.StatusUnprocessableEntity, "at most 30 days")
	a.post("/brains/calliope/settings/four-eyes", url.Values{"four_eyes": {"off"}}).want(http.StatusSeeOther).to("/brains/calliope/settings?done=four-eyes-off")
	a.sees("/brains/calliope", "Four eyes are off in this brain until")
}

// The log is narrowed, paged, verified and given out; who may not read it is
// told so.
func TestAuditAtThePage(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	s.person(eve, "acme", models.RoleAuditor)
	at := a.asksForPublish("")
	b.post("/brains/acme/versions", nil).want(http.StatusForbidden)
	b.get("/brains/acme/audit").want(http.StatusForbidden)
	b.get("/brains/acme/audit/export").want(http.StatusForbidden)
	if err := s.desk.SealNow(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	e := s.browser()
	e.signIn(eve, password).want(http.StatusSeeOther)
	e.sees("/brains/acme/audit", "Sealed to", "Every row is linked", "Import a source", "Publish", ">waits<", strings.TrimPrefix(at, "/brains/acme/approvals/"), "insufficient_role</span>", "at a terminal", "Export as CSV")
	e.sees("/brains/acme/audit?outcome=insufficient_role", "insufficient_role</span>", ben).lacks("Import a source")
	e.sees("/brains/acme/audit?person="+url.QueryEscape(owner)+"&surface=web", "Publish").lacks("Import a source")
	e.sees("/brains/acme/audit?target=HB", "sources.import").lacks("versions.publish</code>")
	e.sees("/brains/acme/audit?operation=nothing.like.it", "Nothing fits")
	e.get("/brains/acme/audit?from=yesterday").want(http.StatusUnprocessableEntity, "is a date such as", `value="yesterday"`)
	e.get("/brains/acme/audit?cursor=x").want(http.StatusUnprocessableEntity)
	v := e.sees("/brains/acme/audit/verification", "Nothing was changed, removed, reordered or inserted")
	head := regexp.MustCompile(`[0-9]+:[0-9a-f]{64}`).FindString(v.text)
	e.sees("/brains/acme/audit/verification?head="+head, "Nothing was changed")
	e.sees("/brains/acme/audit/verification?head="+head[:len(head)-4]+"0000", "What does not fit")
	e.get("/brains/acme/audit/verification?head=zz").want(http.StatusUnprocessableEntity, "SEQ:HASH")

	x := e.get("/brains/acme/audit/export?format=jsonl&operation=sources.import").want(http.StatusOK, `"polaris_audit":1`, `"head":"`, "sources.import")
	if got := x.Header.Get("Content-Disposition"); !strings.Contains(got, "audit-acme-") || strings.Contains(x.text, "versions.publish") {
		t.Errorf("the export is %s\n%s", got, x.text)
	}
	e.get("/brains/acme/audit/export?format=csv").want(http.StatusOK, "seq,hash,id")
	e.get("/brains/acme/audit/export?from=yesterday").want(http.StatusSeeOther)
	for range 60 {
		a.get("/brains/acme/answers/ans_000000000000?x").want(http.StatusNotFound)
		b.post("/brains/acme/versions", nil).want(http.StatusForbidden)
	}
	older := regexp.MustCompile(`href="([^"]+cursor=[^"]+)">Older`).FindStringSubmatch(e.sees("/brains/acme/audit").text)
	if older == nil {
		t.Fatal("there is no second page")
	}
	e.sees(strings.ReplaceAll(older[1], "&amp;", "&"), "Newest", "Publish")
}

// A curator stops a passage at once; two serve it again. Every page shows it.
func TestSuspendedAtThePages(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	s.draft("acme", "RU", rules)
	b.approves(a.asksForPublish(""))
	ask := url.Values{"question": {"How much is the late fee?"}}
	answered := a.post("/brains/acme/ask", ask).want(http.StatusSeeOther).Header.Get("Location")

	a.sees("/brains/acme/sources/RU", "What a curator can do", "Suspend RU 1(a)")
	b.sees("/brains/acme/sources/RU").lacks("What a curator can do", "Suspend RU 1(a)")
	at := "/brains/acme/sources/RU/suspension"
	a.sees(at+"?key="+url.QueryEscape("RU 1(a)"), "Suspend RU 1(a)?", "The late fee is 10 dollars.", "takes another person")
	a.get(at + "?key=nothing").want(http.StatusNotFound)
	b.get(at).want(http.StatusForbidden)
	b.post(at, url.Values{"reason": {"x"}}).want(http.StatusForbidden)
	a.post(at, url.Values{"key": {"RU 1(a)"}}).want(http.StatusUnprocessableEntity, "Say why")
	a.post(at, url.Values{"key": {"RU 1(a)"}, "reason": {"It was <withdrawn>"}}).want(http.StatusSeeOther).to("/brains/acme/sources/RU?done=suspended")
	b.sees("/brains/acme/sources/RU", "RU 1(a) is suspended and not served", "It was &lt;withdrawn&gt;", owner)
	b.sees("/brains/acme/sources", "1\u00a0passage suspended")
	b.sees("/brains/acme/versions", "1\u00a0source suspended")
	b.sees("/brains/acme/wiki", "Curators have suspended some of the sources")
	b.sees(answered, "suspended now", "10 dollars")
	b.sees(a.post("/brains/acme/ask", ask).want(http.StatusSeeOther).Header.Get("Location"), "disclaimed", "suspended")

	lift := a.post("/brains/acme/sources/RU/lift", url.Values{"key": {"RU 1(a)"}}).waits()
	a.post(lift, url.Values{"verdict": {"approve"}, "hash": {b.get(lift).hash()}}).want(http.StatusForbidden)
	b.sees(lift, "Approve and lift a suspension")
	b.approves(lift)
	b.sees("/brains/acme/sources/RU").lacks("is suspended")
	a.post("/brains/acme/sources/RU/lift", url.Values{"key": {"RU 1(a)"}}).want(http.StatusConflict, "not suspended")
}

// A source is vouched for, taken out of the draft and put back.
func TestSourceActsAtThePages(t *testing.T) {
	t.Parallel()
	_, a, b := fourEyed(t)
	a.sees("/brains/acme/sources/HB/certification", "I vouch for this revision")
	b.get("/brains/acme/sources/HB/certification").want(http.StatusForbidden)
	a.post("/brains/acme/sources/HB/certification", url.Values{"revision": {"1"}, "note": {"Read it whole"}}).want(http.StatusSeeOther).to("/brains/acme/sources/HB?done=certified")
	b.sees("/brains/acme/sources/HB", "Certified", "by "+owner, "Read it whole")
	a.post("/brains/acme/sources/HB/certification", url.Values{"revision": {"x"}}).want(http.StatusBadRequest)

	a.sees("/brains/acme/sources/HB/removal", "Take it out of the draft")
	b.post("/brains/acme/sources/HB/removal", nil).want(http.StatusForbidden)
	a.post("/brains/acme/sources/HB/removal", nil).want(http.StatusSeeOther)
	b.sees("/brains/acme/sources", "Show what was taken out")
	b.sees("/brains/acme/sources?state=removed", "HB").lacks("Restore…")
	a.sees("/brains/acme/sources?state=removed", "HB", "Restore…")
	a.sees("/brains/acme/sources/HB", "taken out of the draft", "Restore it", "Purge").lacks("Take it out of the draft", "Vouch for this revision")
	a.post("/brains/acme/sources/HB/removal", nil).want(http.StatusUnprocessableEntity, "not in the draft any more")
	a.post("/brains/acme/sources/HB/restoration", nil).want(http.StatusSeeOther).to("/brains/acme/sources/HB?done=source-restored")
	a.sees("/brains/acme/sources").lacks("Show what was taken out")
	a.get("/brains/acme/sources/NOPE/removal").want(http.StatusNotFound)
}

// Answers are found, their record says who decided on the version, and replayed.
func TestAnswersAtThePages(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	s.draft("acme", "RU", rules)
	first := a.asksForPublish("")
	b.approves(first)
	record := a.post("/brains/acme/ask", url.Values{"question": {"How much is the late fee?"}}).want(http.StatusSeeOther).Header.Get("Location")
	a.post("/brains/acme/ask", url.Values{"question": {"Where do penguins live?"}}).want(http.StatusSeeOther)
	b.sees("/brains/acme/answers", "late fee", "penguins", "Find an answer")
	b.sees("/brains/acme/answers?guardrail=disclaim", "penguins").lacks("How much is the late fee?")
	b.sees("/brains/acme/answers?text=LATE", "late fee").lacks("penguins")
	b.sees("/brains/acme/answers?source=RU", "late fee").lacks("penguins")
	b.sees("/brains/acme/answers?to=2020-01-01", "Nothing fits")
	b.get("/brains/acme/answers?source=NOPE").want(http.StatusUnprocessableEntity, "No source of this brain has this code")
	b.get("/brains/acme/answers?from=soon").want(http.StatusUnprocessableEntity, "is a date such as")
	b.get("/brains/acme/answers?text=" + strings.TrimPrefix(record, "/brains/acme/answers/")).want(http.StatusSeeOther).to(record)
	b.sees(record, "proposed by "+owner, "approved by "+ben, "How it was decided on", first, "Replay", "As JSON", "print-foot")
	b.sees(record+"/replay", "Replayed", "intact", "reproduced", "gives the same answer again")
	b.get("/brains/acme/answers/ans_000000000000/replay").want(http.StatusNotFound)
	s.person(eve, "acme", models.RoleReader)
	e := s.browser()
	e.signIn(eve, password).want(http.StatusSeeOther)
	e.get(record + "/replay").want(http.StatusForbidden)
	e.get("/brains/acme/answers").want(http.StatusForbidden)
	own := e.post("/brains/acme/ask", url.Values{"question": {"How much is the late fee?"}}).want(http.StatusSeeOther).Header.Get("Location")
	e.sees(own, "intact").lacks("Replay", "How it was decided on")
}

// What one proposed is listed, with what became of it, and taken back there.
func TestWhatOneProposed(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	at := a.asksForPublish("")
	s.proposes(a, "RU", rules) // by a program of hers
	a.sees("/brains/acme/approvals?mine=yes&state=all", "What you proposed", "Publish", "Import a source", "Withdraw").lacks(`name="item"`)
	b.sees("/brains/acme/approvals?mine=yes&state=all", "What you propose, yourself or by a key of yours").lacks("Import a source")
	a.sees("/brains/acme", "mine=yes")
	a.post(at+"/withdrawal", nil).want(http.StatusSeeOther)
	a.sees("/brains/acme/approvals?mine=yes&state=withdrawn", "Publish").lacks("Import a source")
	a.sees("/brains/acme/approvals?mine=yes&state=pending", "Import a source")
}

// What ends for good is asked for at the pages and decided on by another person.
func TestWhatEndsAtThePages(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	s.draft("acme", "RU", rules)
	b.approves(a.asksForPublish(""))
	record := a.post("/brains/acme/ask", url.Values{"question": {"How much is the late fee?"}}).want(http.StatusSeeOther).Header.Get("Location")

	a.sees("/brains/acme/sources/RU", "Make it go for good")
	a.sees("/brains/acme/sources/RU/purge", "Ask to purge it", "Nothing takes it back")
	b.get("/brains/acme/sources/RU/purge").want(http.StatusForbidden)
	b.post("/brains/acme/sources/RU/purge", url.Values{"reason": {"x"}}).want(http.StatusForbidden)
	a.post("/brains/acme/sources/RU/purge", nil).want(http.StatusUnprocessableEntity)
	at := a.post("/brains/acme/sources/RU/purge", url.Values{"reason": {"Order of <the court>"}}).waits()
	a.sees(at).lacks(`name="verdict"`)
	b.sees(at, "Order of &lt;the court&gt;", "Approve and purge a source")
	b.approves(at)
	a.sees("/brains/acme/sources/RU", "This source was purged", "Order of &lt;the court&gt;").lacks("What a curator can do", "The late fee is")
	a.sees("/brains/acme/versions", "RU purged since")
	a.sees(record, "are not kept", "hash kept", "purged").lacks("10 dollars", "How much is the late fee?")
	a.sees(record+"/replay", "Replayed", "purged")
	a.sees("/brains/acme/answers", "Question gone with a purged source")

	// What is recorded: less at once, the rest by two.
	a.sees("/brains/acme/settings", "Of each answer question and answer is kept, for ever.", "Take it away", "Delete it")
	a.post("/brains/acme/settings/recording", url.Values{"record_answers": {"full"}, "answer_days": {"x"}}).want(http.StatusUnprocessableEntity, "number of days")
	a.post("/brains/acme/settings/recording", url.Values{"record_answers": {"nothing"}, "answer_days": {"0"}}).want(http.StatusUnprocessableEntity)
	a.post("/brains/acme/settings/recording", url.Values{"record_answers": {"hash"}, "answer_days": {"0"}}).want(http.StatusSeeOther).to("/brains/acme/settings?done=saved")
	b.sees("/brains/acme/settings", "Of each answer their hash only is kept").lacks("Save what is kept", "Take it away")
	b.approves(a.post("/brains/acme/settings/recording", url.Values{"record_answers": {"hash"}, "answer_days": {"30"}}).waits())
	a.sees("/brains/acme/settings", "for 30\u00a0days")
	b.post("/brains/acme/settings/recording", url.Values{"record_answers": {"full"}}).want(http.StatusForbidden)

	// A person is forgotten, whom another one than they decides on.
	s.person(eve, "acme", models.RoleReader)
	forget := "/brains/acme/settings/members/" + idOf(t, a, eve) + "/forgetting"
	a.sees(forget, "Ask to forget this person", "Nothing takes it back")
	b.post(forget, nil).want(http.StatusForbidden)
	b.approves(a.post(forget, nil).waits())
	a.get("/brains/acme/settings/members").want(http.StatusOK).lacks(eve)

	// All of it is taken away, and asked to be deleted.
	x := a.get("/brains/acme/settings/export").want(http.StatusOK)
	if x.Header.Get("Content-Type") != "application/gzip" || !strings.HasPrefix(x.text, "\x1f\x8b") {
		t.Errorf("the export is %s", x.Header.Get("Content-Type"))
	}
	b.get("/brains/acme/settings/export").want(http.StatusForbidden)
	a.sees("/brains/acme/settings/deletion", "Ask to delete this brain")
	b.get("/brains/acme/settings/deletion").want(http.StatusForbidden)
	a.post("/brains/acme/settings/deletion", url.Values{"confirm": {"calliope"}}).want(http.StatusUnprocessableEntity)
}
