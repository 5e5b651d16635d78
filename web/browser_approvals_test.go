package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"

	"polaris/models"
)

// TestApprovalInTheBrowser is a change that two people make: one proposes and
// asks for a publish, the other one looks and decides, and it answers.
func TestApprovalInTheBrowser(t *testing.T) {
	ctx := realBrowser(t)
	s, ada, _ := fourEyed(t)
	b := &tab{t: t, ctx: ctx, site: s}
	signIn := func(email string) {
		b.open("/session/new?next=" + url.QueryEscape("/brains/acme/approvals"))
		b.sees("Sign in")
		b.fill("email", email, "password", password)
		b.press("Sign in")
		b.sees("Approvals")
	}
	signOut := func() {
		b.do(chromedp.Click(`//button[normalize-space()="Sign out"]`))
		b.sees("You are signed out")
	}

	b.do(wide)
	signIn(owner)
	b.sees("Nothing waits")
	b.keep("approvals-empty")
	b.press("Ask for a publish")
	b.sees("Publish the draft")
	b.fill("notes", "The first handbook of the house")
	b.keep("publish")
	b.press("Ask for a publish")
	b.sees("It waits here for a second person")
	b.sees("Another person decides on it")
	b.keep("approval-own")
	b.hasNo(`button[name=verdict]`)
	b.open("/brains/acme")
	b.sees("waiting for a decision")
	b.keep("home-waiting")
	// A program of hers proposes besides.
	token := ada.scopedToken("acme", models.ScopeWrite)
	for _, card := range []struct{ id, label, covers string }{
		{"declining", "Declining an application", "We turned someone down; what\u202e notices follow"}, {"fees", "Fees", "what we may charge"},
	} {
		s.browser().do(http.MethodPut, "/v1/brains/acme/draft/topic-cards/"+card.id, `{"label":"`+card.label+`","covers":"`+card.covers+`","anchors":["HB 1"]}`, "Content-Type", "application/json", "Authorization", "Bearer "+token).want(http.StatusAccepted)
	}
	signOut()

	signIn(ben)
	b.sees("3\u00a0changes wait")
	b.keep("approvals")
	b.do(chromedp.Click(chromedp.CSS(`tbody tr:first-child input[name=item]`)))
	b.press("Look at what is chosen")
	b.sees("Each is decided on by itself")
	b.keep("approvals-review")
	b.do(chromedp.Click(chromedp.CSS(`input[value=reject]`)))
	b.press("Record these verdicts")
	b.sees("What became of your decision")
	b.keep("approvals-batch")
	b.press("Publish")
	b.sees("You did not propose or edit this")
	b.keep("approval")
	b.fill("comment", "Read it, and it holds.")
	b.press("Approve and publish")
	b.sees("Approved and done")
	b.keep("approval-applied")
	b.open("/brains/acme/approvals")
	b.press("Save a topic card")
	b.sees("U+202E")
	b.keep("approval-hidden")
	b.press("Reject: nothing changes")
	b.sees("Rejected. Nothing was changed.")
	b.open("/brains/acme/versions")
	b.sees("Version 1 answers")
	b.keep("versions-published")
	b.open("/brains/acme/approvals?state=all")
	b.sees("rejected")
	b.keep("approvals-all")
}

// hasNo fails if the page has an element.
func (b *tab) hasNo(selector string) {
	b.t.Helper()
	if value[bool](b, `document.querySelector("`+selector+`") !== null`) {
		b.t.Errorf("the page has %s\n%s", selector, b.text())
	}
}
