package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"polaris/models"
	"polaris/ops"
)

const ben = "ben@example.org"

// fourEyed is an instance whose brain acme has four eyes on and a draft to
// publish: ada owns it, ben approves. Both are signed in.
func fourEyed(t *testing.T) (s *site, a, b *browser) {
	t.Helper()
	s, a = started(t)
	s.desk.Settings.RateLimit = models.Rate{Off: true}
	a.post("/brains", url.Values{"name": {"Acme"}, "id": {"acme"}, "four_eyes": {"on"}}).want(http.StatusSeeOther)
	s.person(ben, "acme", models.RoleApprover)
	b = s.browser()
	b.signIn(ben, password).want(http.StatusSeeOther)
	s.draft("acme", "HB", "# Handbook\n\nWe answer within two days.\n")
	return s, a, b
}

// draft imports a document at the terminal.
func (s *site) draft(brain models.BrainID, code, text string) {
	s.t.Helper()
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: brain, Via: ops.CLI}
	run(s, c, ops.ImportSource, ops.ImportSourceIn{Name: "x.md", Code: code, Data: []byte(text)})
}

var aHash = regexp.MustCompile(`name="hash" value="([0-9a-f]{64})"`)

// hash is the one that the form of a review page carries.
func (a *answer) hash() string {
	a.t.Helper()
	m := aHash.FindStringSubmatch(a.text)
	if m == nil {
		a.t.Fatalf("the page carries no hash\n%s", a.text)
	}
	return m[1]
}

// asksForPublish asks for a publish at the page and returns where it is decided on.
func (b *browser) asksForPublish(notes string) string {
	b.t.Helper()
	a := b.post("/brains/acme/versions", url.Values{"notes": {notes}}).want(http.StatusSeeOther)
	to, done, _ := strings.Cut(a.Header.Get("Location"), "?")
	if !strings.HasPrefix(to, "/brains/acme/approvals/rec_") || done != "done=queued" {
		b.t.Fatalf("asking leads to %s", a.Header.Get("Location"))
	}
	return to
}

// One person asks for a publish, another one approves, and it answers.
func TestPublishAtThePages(t *testing.T) {
	t.Parallel()
	_, a, b := fourEyed(t)
	a.get("/brains/acme/versions").want(http.StatusOK, "Ask for a publish")
	b.get("/brains/acme/versions").want(http.StatusOK).lacks("Publish the draft")
	b.post("/brains/acme/versions", url.Values{}).want(http.StatusForbidden)
	b.get("/brains/acme/approvals").want(http.StatusOK, "Nothing waits")
	at := a.asksForPublish("The first handbook")

	// Who asked may withdraw, not decide.
	a.get(at+"?done=queued").want(http.StatusOK, "It waits here for a second person", "had a part in it. Another person decides", "Withdraw it", "The first handbook").lacks(`name="verdict"`)
	a.post(at, url.Values{"verdict": {"approve"}, "hash": {strings.Repeat("0", 64)}}).want(http.StatusConflict, "What you saw is not what is to be decided on")

	// The other one sees the count, the change and the decision.
	b.get("/brains/acme").want(http.StatusOK, `<span class="count hot">1</span>`, "waiting for a decision")
	b.get("/brains/acme/approvals").want(http.StatusOK, "1\u00a0change waits", owner, "at the pages", "in 13 days", `name="item" value="rec_`)
	page := b.get(at).want(http.StatusOK, "You did not propose or edit this.", "Approve and publish", "Reject: nothing changes", "<ins>", "code: HB", "One approval by")
	b.post(at, url.Values{"verdict": {"approve"}, "hash": {strings.Repeat("0", 64)}, "comment": {"as I <saw>"}}).
		want(http.StatusConflict, "What you saw is not what is to be decided on", "as I &lt;saw&gt;")
	a.post(at, url.Values{"verdict": {"approve"}, "hash": {page.hash()}}).want(http.StatusForbidden, "You proposed this")
	b.post(at, url.Values{"verdict": {"maybe"}, "hash": {page.hash()}}).want(http.StatusUnprocessableEntity, "approve or reject")
	b.post(at, url.Values{"verdict": {"approve"}, "hash": {page.hash()}, "comment": {"fine"}}).want(http.StatusSeeOther).to(at + "?done=applied")
	b.get(at+"?done=applied").want(http.StatusOK, "Approved and done", "Approved by "+ben, "fine").lacks(`name="verdict"`, "Withdraw it")
	a.get("/brains/acme/versions").want(http.StatusOK, "Version 1 answers", "The first handbook")
	b.post(at, url.Values{"verdict": {"reject"}, "hash": {page.hash()}}).want(http.StatusConflict, "decided already")
	b.get("/brains/acme").want(http.StatusOK).lacks("count hot", "waiting for a decision")
	b.get("/brains/acme/approvals?state=applied").want(http.StatusOK, "applied", at)
	b.get("/brains/acme/approvals?state=nonsense").want(http.StatusBadRequest, "is no state")
	b.get("/brains/acme/approvals/rec_000000000000").want(http.StatusNotFound)
}

// lacks fails if the page has any of the parts.
func (a *answer) lacks(parts ...string) *answer {
	a.t.Helper()
	for _, p := range parts {
		if strings.Contains(a.text, p) {
			a.t.Errorf("%s %s has %q\n%s", a.Request.Method, a.Request.URL.Path, p, a.text)
		}
	}
	return a
}

// Whoever proposed takes it back; nobody else does.
func TestWithdrawAtThePage(t *testing.T) {
	t.Parallel()
	_, a, b := fourEyed(t)
	at := a.asksForPublish("")
	b.post(at+"/withdrawal", nil).want(http.StatusForbidden, "theirs to withdraw")
	a.post(at+"/withdrawal", nil).want(http.StatusSeeOther).to(at + "?done=withdrawn")
	a.post(at+"/withdrawal", nil).want(http.StatusConflict, "decided already")
	b.get(at).want(http.StatusOK, "Withdrawn now").lacks(`name="verdict"`)
}

// What was overtaken says so before it is decided on, and changes nothing.
func TestOvertakenAtThePage(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	first := a.asksForPublish("one")
	s.draft("acme", "FEES", "# Fees\n\nA letter costs one dollar.\n")
	second := a.asksForPublish("two")
	b.post(second, url.Values{"verdict": {"approve"}, "hash": {b.get(second).hash()}}).want(http.StatusSeeOther)
	page := b.get(first).want(http.StatusOK, "What this would change has changed since", "Approve as stale")
	b.post(first, url.Values{"verdict": {"approve"}, "hash": {page.hash()}}).want(http.StatusSeeOther).to(first + "?done=stale")
	b.get(first).want(http.StatusOK, "stale")
	a.get("/brains/acme/versions").want(http.StatusOK, "Version 1 answers", "two")
}

// What a program proposes is decided on in a batch, each by itself, and every
// character of it can be seen.
func TestBatchAtThePage(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	token := a.scopedToken("acme", models.ScopeWrite)
	propose := func(id, label string) (item string) {
		s.browser().do(http.MethodPut, "/v1/brains/acme/draft/topic-cards/"+id, `{"label":"`+label+`","covers":"x","anchors":["HB 1"]}`, "Content-Type", "application/json", "Authorization", "Bearer "+token).
			want(http.StatusAccepted, `"status":"queued"`)
		m := regexp.MustCompile(`name="item" value="(rec_[0-9A-Za-z]{12})"`).FindStringSubmatch(b.get("/brains/acme/approvals").text) // the newest
		if m == nil {
			t.Fatalf("%s is not in the queue", id)
		}
		page := b.get("/brains/acme/approvals/review?item="+m[1]).want(http.StatusOK, label[len(label)-3:], "Leave it open", `name="verdict-`+m[1]+`"`)
		return regexp.MustCompile(`value="(rec_[0-9A-Za-z]{12}:[0-9a-f]{64})"`).FindStringSubmatch(page.text)[1]
	}
	one, two := propose("one", `safe\u202eevil\u200b\nanchors: HB 9`), propose("two", "Two")
	b.get("/brains/acme/approvals/"+one[:16]).want(http.StatusOK, `safe<span class="unseen" title="A character that is not seen">U+202E</span>evil<span class="unseen" title="A character that is not seen">U+200B</span>`, "by a program over REST", "Approve and save a topic card")
	a.get("/brains/acme/approvals").want(http.StatusOK, "one").lacks(`name="item"`) // her program's, so not hers to decide
	// Looked at together, and decided on one by one: never all by one verdict.
	a.get("/brains/acme/approvals/review?item="+one[:16]).want(http.StatusOK, "Another person decides").lacks(`name="verdict-`)
	b.get("/brains/acme/approvals/review").want(http.StatusUnprocessableEntity, "Choose what you look at")
	b.get("/brains/acme/approvals/review?"+strings.Repeat("item="+one[:16]+"&", reviewedAtOnce+1)).want(http.StatusUnprocessableEntity, "at most")
	b.get("/brains/acme/approvals/review?item="+one[:16]+"&item="+two[:16]+"&item=rec_000000000000").want(http.StatusOK, "Look at 2\u00a0changes", "evil", "Two", "1\u00a0change of those")
	b.post("/brains/acme/approvals", url.Values{"verdict": {"approve"}, "item": {one, two}}).want(http.StatusUnprocessableEntity, "no verdict was given", "2\u00a0changes wait")
	v := func(item string) string { return "verdict-" + item[:16] }
	none := "rec_000000000000:" + strings.Repeat("0", 64)
	b.post("/brains/acme/approvals", url.Values{v(one): {"approve"}, v(two): {"approve"}, v(none): {"reject"}, "item": {one, two[:17] + strings.Repeat("0", 64), none}}).
		want(http.StatusOK, "applied", "What you saw is not what is to be decided on", "No such recommendation", "1\u00a0change waits", `<span class="count hot">1</span>`)
	b.post("/brains/acme/approvals", url.Values{v(two): {"reject"}, "comment-" + two[:16]: {"not this one"}, "item": {two}}).want(http.StatusOK, "rejected", "Nothing waits")
	a.get("/brains/acme/approvals/"+two[:16]).want(http.StatusOK, "not this one")
	cards := a.get("/brains/acme/topic-cards").want(http.StatusOK)
	if !strings.Contains(cards.text, "evil") || strings.Contains(cards.text, "Two") {
		t.Errorf("the draft holds\n%s", cards.text)
	}
}

// A brain in which nobody could decide says so.
func TestOnlyOneCouldDecide(t *testing.T) {
	t.Parallel()
	_, a := started(t)
	a.get("/brains/calliope/approvals").want(http.StatusOK, "Fewer than two people could ever decide")
}
