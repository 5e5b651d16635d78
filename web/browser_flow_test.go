package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	printing "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"polaris/models"
)

// enters signs somebody in at the browser, and opens a page.
func (b *tab) enters(email, path string) {
	b.t.Helper()
	b.open("/session/new?next=" + url.QueryEscape(path))
	b.sees("Sign in")
	b.fill("email", email, "password", password)
	b.press("Sign in")
	b.sees(email)
}

// leaves signs out.
func (b *tab) leaves() {
	b.t.Helper()
	b.do(chromedp.Click(`//button[normalize-space()="Sign out"]`))
	b.sees("You are signed out")
}

// agentProposes imports a document over REST with a program of ada's.
func (b *tab) agentProposes(token, text string) {
	b.t.Helper()
	body := `{"name":"rules.md","code":"RU","data":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}`
	b.site.browser().do(http.MethodPost, "/v1/brains/acme/sources", body, "Content-Type", "application/json", "Authorization", "Bearer "+token).
		want(http.StatusAccepted)
}

// A program proposes; a second person looks at the passages and approves; a
// publish is asked for, and approved; an answer uses it, is printed and replayed.
func TestFlowInTheBrowser(t *testing.T) {
	ctx := realBrowser(t)
	s, ada, _ := fourEyed(t)
	s.draft("acme", "RU", rules)
	b := &tab{t: t, ctx: ctx, site: s}
	b.do(wide)

	// The first version, with a golden question.
	b.enters(owner, "/brains/acme/golden-questions")
	b.sees("No golden questions yet")
	b.keep("golden-empty")
	b.press("Save the first one")
	b.sees("Citations that the answer must have")
	b.fill("question", "How much is the late fee?", "expects", "RU 1(a)")
	b.keep("golden-new")
	b.press("Save the question")
	b.sees("It is asked before the next publish")
	b.keep("golden")
	b.press("Run them on the draft")
	b.sees("The draft, asked")
	b.sees("Each has what it must have")
	b.open("/brains/acme/versions")
	b.press("Ask for a publish")
	b.sees("It waits here for a second person")
	b.keep("publish-own")
	b.leaves()
	b.enters(ben, "/brains/acme/approvals")
	b.press("Publish")
	b.sees("What this publish changes")
	b.sees("not signed in") // it was imported at a terminal
	b.keep("publish-review")
	b.press("Approve and publish")
	b.sees("Approved and done")

	// A program proposes another text, which he reviews and approves.
	b.agentProposes(ada.scopedToken("acme", models.ScopeWrite), later)
	b.open("/brains/acme/approvals")
	b.sees("1\u00a0change waits")
	b.press("Import a source")
	b.sees("1 changed, 1 gained")
	if got := value[string](b, `[...document.querySelectorAll(".change del, .change ins")].map(e => e.textContent).join(" ")`); got != "10 15" {
		t.Errorf("the words that are marked are %q", got)
	}
	b.keep("import-review")
	b.press("Approve and import a source")
	b.sees("Approved and done")
	b.leaves()

	// She asks for the publish, he approves that as well.
	b.enters(owner, "/brains/acme/versions/diff")
	b.sees("Version 1 → the draft")
	b.keep("versions-diff")
	b.open("/brains/acme/versions")
	b.fill("notes", "The fee of December")
	b.press("Ask for a publish")
	b.sees("It waits here for a second person")
	b.leaves()
	b.enters(ben, "/brains/acme/approvals")
	b.press("Publish")
	b.sees("1 answered otherwise")
	b.keep("publish-effect")
	b.press("Approve and publish")
	b.sees("Approved and done")
	b.open("/brains/acme/versions")
	b.sees("Version 2 answers")
	b.keep("versions")

	// The answer uses it, with who decided in its proof.
	b.open("/brains/acme/ask")
	b.fill("question", "How much is the late fee?")
	b.press("Ask Ctrl ⏎")
	b.sees("15 dollars")
	b.press("Proof of this answer")
	b.sees("approved by " + ben)
	b.keep("record")
	b.prints("record")
	b.press("Replay")
	b.sees("gives the same answer again")
	b.keep("record-replayed")
	b.open("/brains/acme/answers")
	b.do(chromedp.Click(chromedp.CSS("details.filter summary")))
	b.fill("text", "LATE FEE")
	b.press("Find")
	b.sees("How much is the late fee?")
	b.keep("answers-found")
	b.leaves()

	if err := s.desk.SealNow(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	b.enters(owner, "/brains/acme/audit")
	b.sees("Sealed to")
	b.keep("audit")
	b.open("/brains/acme/audit/verification")
	b.sees("Nothing was changed")
	b.keep("audit-verified")
	b.open("/brains/acme/approvals?mine=yes&state=all")
	b.sees("What you proposed")
	b.keep("approvals-mine")
}

// prints looks at the page as it is printed: without navigation and buttons, with
// its address and its place in the chain at the end.
func (b *tab) prints(name string) {
	b.t.Helper()
	set := func(media string) {
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media}); err != nil {
			b.t.Fatal(err)
		}
	}
	set("print")
	defer set("")
	shown := value[string](b, `[".side", ".bar.noprint", ".print-foot", ".answer"].map(s => getComputedStyle(document.querySelector(s)).display).join(" ")`)
	if shown != "none none block block" {
		b.t.Errorf("on paper the side, the buttons, the foot and the answer are %q", shown)
	}
	if got := value[bool](b, `document.querySelector(".print-foot").textContent.includes(location.href)`); !got {
		b.t.Error("the foot does not say the page's address")
	}
	folder := os.Getenv("POLARIS_SHOTS")
	if folder == "" {
		return
	}
	pdf, err := chromedp.Call(b.ctx, printing.PrintToPDF, printing.PrintToPDFParams{PreferCSSPageSize: new(true)})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".pdf"), pdf.Data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// A curator stops a passage alone, answers disclaim at once, and it takes a
// second person to serve it again.
func TestSuspendInTheBrowser(t *testing.T) {
	ctx := realBrowser(t)
	s, a, ben2 := fourEyed(t)
	s.draft("acme", "RU", rules)
	ben2.approves(a.asksForPublish(""))
	b := &tab{t: t, ctx: ctx, site: s}
	ask := func() {
		b.open("/brains/acme/ask")
		b.fill("question", "How much is the late fee?")
		b.press("Ask Ctrl ⏎")
	}
	b.do(wide)
	b.enters(owner, "/brains/acme/sources/RU")
	b.sees("What a curator can do")
	b.keep("source-acts")
	b.do(chromedp.Click(`//a[@aria-label="Suspend RU 1(a)"]`))
	b.sees("Suspend RU 1(a)?")
	b.fill("reason", "The bank has withdrawn this rule.")
	b.keep("suspend")
	b.press("Stop serving it")
	b.sees("RU 1(a) is suspended and not served")
	b.keep("source-suspended")
	ask()
	b.sees("suspended")
	b.sees("disclaimed")
	b.keep("ask-suspended")
	b.open("/brains/acme/wiki")
	b.sees("what is suspended is left out")
	b.keep("wiki-suspended")
	b.open("/brains/acme/sources/RU")
	b.press("Ask to serve it again")
	b.sees("It waits here for a second person")
	b.hasNo(`button[name=verdict]`)
	ask()
	b.sees("disclaimed") // until somebody else has decided
	b.leaves()
	b.enters(ben, "/brains/acme/approvals")
	b.press("Lift a suspension")
	b.sees("The bank has withdrawn this rule.")
	b.keep("lift-review")
	b.press("Approve and lift a suspension")
	b.sees("Approved and done")
	ask()
	b.sees("10 dollars")
	b.leaves()

	// The pages of the owner, as they are for the eye.
	b.enters(owner, "/brains/acme/settings")
	b.sees("Who decides on what")
	b.keep("settings")
	b.open("/brains/acme/settings/members")
	b.sees("can decide")
	b.keep("members")
	b.open("/brains/acme/settings/members/accounts")
	b.sees("Ask to link them")
	b.keep("accounts")
	b.open("/brains/acme/sources/HB/certification")
	b.press("I vouch for this revision")
	b.sees("You vouch for this revision")
	b.open("/brains/acme/sources/HB/removal")
	b.press("Take it out of the draft")
	b.sees("Taken out of the draft")
	b.sees("Undo")
	b.open("/brains/acme/sources")
	b.press("Show what was taken out")
	b.sees("Restore it")
	b.keep("sources-removed")
}
