package web

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"polaris/cmd/bb/demo"
	"polaris/models"
	"polaris/ops"
)

// furnished is an instance whose brain is the demo's, as a visitor finds it, and
// a tab in which its owner is signed in.
func furnished(t *testing.T) (*site, *tab) {
	t.Helper()
	ctx := realBrowser(t)
	s, _ := started(t)
	s.desk.Settings.RateLimit = models.Rate{Off: true}
	s.publish("calliope")
	if err := demo.Furnish(t.Context(), s.desk, ops.Call{By: models.System("calliope"), Brain: "calliope", Via: ops.CLI}); err != nil {
		t.Fatal(err)
	}
	b := &tab{t: t, ctx: ctx, site: s}
	b.do(wide)
	b.enters(owner, "/brains/calliope/ask")
	return s, b
}

// TestReadingByKeys: a question, its quote where it stands, what becomes of it,
// and an article, without a mouse.
func TestReadingByKeys(t *testing.T) {
	_, b := furnished(t)
	b.sees("To begin with")
	b.keep("ask-examples")

	// Ask, and look at the quote beside the answer.
	b.tabTo("#question")
	b.keys("When must we acknowledge a complaint?")
	b.keys(kb.Tab)
	b.tabTo(`#ask button[type=submit]`)
	b.keys(kb.Enter)
	b.sees("Proof of this answer")
	b.keep("ask-answered")
	if got := value[string](b, `document.querySelector("#answer-text .ref").getAttribute("aria-label")`); got != "Source 1, CP 2.2(a): verbatim" {
		t.Errorf("the first sentence says %q", got)
	}
	b.tabTo(".cite [data-panel]")
	b.keys(kb.Enter)
	b.until(`Boolean(document.querySelector("#panel[open] mark")?.textContent.includes("within 3 working days"))`)
	b.keep("ask-panel")
	b.keys(kb.Escape)
	b.until(`!document.querySelector("#panel[open]") && document.activeElement.matches(".cite [data-panel]")`)
	b.tabTo(".took-steps summary")
	b.keys(kb.Enter)
	b.sees("Held each sentence against its quote")

	// It becomes a golden question, with what it cites.
	b.tabTo(`#answer a[href*="golden-questions/new"][href*="expects"]`)
	b.keys(kb.Enter)
	b.sees("From answer ans_")
	if got := value[string](b, `document.getElementById("expects").value`); got == "" {
		t.Error("the form does not say what the answer cites")
	}
	b.keep("golden-from-answer")
	b.tabTo(`main form button[type=submit]`)
	b.keys(kb.Enter)
	b.sees("It is asked before the next publish")

	// What nobody answered: the draft does, and the gap is kept.
	b.open("/brains/calliope/ask?question=Within+how+many+hours+must+I+report+a+lost+laptop%3F")
	b.tabTo(`#ask button[type=submit]`)
	b.keys(kb.Enter)
	b.sees("Fill the gap")
	b.sees("The draft answers it")
	b.sees("INC 1.2(b)")
	b.keep("ask-gap")
	b.tabTo(`.gap a[href*="gap=yes"]`)
	b.keys(kb.Enter)
	b.sees("Report a gap")
	b.tabTo("#lacks")
	b.keys("How soon, and to whom.")
	b.keep("gap")

	// An article, and where what it quotes stands.
	b.open("/brains/calliope/wiki")
	b.sees("articles of version 1")
	b.tabTo("#q")
	b.keys("completed" + kb.Enter)
	b.sees("in version 1")
	b.keep("wiki-search")
	b.tabTo(`main .columns a`)
	b.keys(kb.Enter)
	b.sees("Taken from")
	b.keep("wiki-article")
	b.tabTo(".quoted [data-panel]")
	b.keys(kb.Enter)
	b.until(`document.querySelector("#panel[open] .passage.here") !== null`)
	b.keep("wiki-panel")
	b.keys(kb.Escape)
	b.until(`!document.querySelector("#panel[open]")`)
	b.open("/brains/calliope/passages?key=HB+4.2(a)")
	b.sees("Open the whole source")
	b.keep("passage")
}

// TestQueueByKeys: the queue, a change with what it does to the golden
// questions, the next one, several at once, and the versions, without a mouse.
func TestQueueByKeys(t *testing.T) {
	s, b := furnished(t)
	s.person(ben, "calliope", models.RoleApprover)
	b.open("/brains/calliope/approvals")
	b.sees("4\u00a0changes wait")
	b.keep("queue")
	b.tabTo("#class")
	b.keys("A4")
	b.tabTo(`.filter-row button[type=submit]`)
	b.goes(kb.Enter, "1\u00a0change waits")
	b.keep("queue-filtered")

	// From one change to the next, by the letters that the page names.
	b.keys("j") // into the list
	b.until(`Boolean(document.activeElement.closest("tbody tr"))`)
	b.goes(kb.Enter, "What this publish changes")
	b.sees("Effect on the golden questions")
	b.keep("review-publish")
	b.goes("j", "Save a topic card")
	b.sees("No golden question is asked under this card")
	b.keep("review-card")
	b.goes("j", "FEES")
	b.keep("review-import")
	b.goes("j", "May I keep a gift worth")
	b.keep("review-golden")
	b.goes("k", "FEES")
	b.keys("r")
	b.until(`document.activeElement.id === "comment"`)
	b.keys("The board has not decided yet.")
	b.tabTo(`button[value=reject]`)
	b.goes(kb.Enter, "Rejected. Nothing was changed.")

	// Two at once, each by a verdict of its own.
	b.open("/brains/calliope/approvals?order=oldest")
	b.goes("", "3\u00a0changes wait")
	b.keys("jx")
	b.keys("jx")
	b.until(`document.querySelectorAll("input[name=item]:checked").length === 2`)
	b.tabTo(`form[action$="/approvals/review"] button[type=submit]`)
	b.goes(kb.Enter, "Each is decided on by itself")
	b.keep("review-several")
	b.tabTo(`input[type=radio]`)
	b.keys(kb.ArrowUp + kb.ArrowUp) // from "leave it open" to the approval
	b.tabTo(`main button[type=submit]`)
	b.goes(kb.Enter, "What became of your decision")
	b.sees("applied")
	b.sees("2\u00a0changes wait")
	b.keep("queue-decided")

	b.open("/brains/calliope/versions")
	b.sees("A publish waits for a decision")
	b.keep("versions-draft")
	b.tabTo(`a[href*="/versions/diff"]`)
	b.goes(kb.Enter, "Security Incidents")
	b.keep("versions-diff")
}

// goes presses a key that leads to another page, and waits until that hears keys.
func (b *tab) goes(key, text string) {
	b.t.Helper()
	if key != "" {
		b.keys(key)
	}
	b.sees(text)
	b.until(`document.documentElement.classList.contains("scripted")`)
}
