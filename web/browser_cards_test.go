package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"polaris/ops"
)

// A card is written by keys alone: its anchors are completed from the keys that
// there are, their text stands beside it, it is tried before it is saved, and
// what was saved is undone.
func TestWriteCardInTheBrowser(t *testing.T) {
	_, b := furnishedDraft(t)
	b.enters(owner, "/brains/calliope/topic-cards")
	b.sees("No topic cards yet")
	b.keep("cards-empty")
	b.tabTo(`main a.button`)
	b.keys(kb.Enter)
	b.sees("Write a topic card")
	b.keep("card-new")
	b.until(`document.activeElement.id === "label"`)
	b.keys("Late fees")
	b.keys(kb.Enter) // shows, and saves nothing
	b.sees("no anchors yet")
	b.tabTo("#covers")
	b.keys("what somebody pays who pays late")
	b.tabTo("#find")
	b.keys("ru 1")
	b.until(`document.querySelector("#find").getAttribute("aria-expanded") === "true" && document.querySelectorAll("#find-options [data-key]").length > 0`)
	b.until(`performance.getEntriesByType("resource").filter(r => r.name.includes("do=check")).length > 0 && !document.querySelector(".htmx-request")`)
	b.keep("card-completing")
	b.tabTo("#find")
	b.keys("(")
	b.until(`document.querySelector("#find").getAttribute("aria-expanded") === "true" && document.querySelector("#find-options [data-key]")?.dataset.key === "RU 1(a)"`)
	b.keys(kb.ArrowDown)
	b.until(`document.querySelector("#find").getAttribute("aria-activedescendant") === "find-option-0"`)
	b.keys(kb.Enter)
	b.until(`document.querySelector("#anchors").value === "RU 1(a)"`)
	b.sees("supported: all anchors have text")
	b.sees("15 dollars") // what the anchor says
	b.keys("zzzz")
	b.sees("No passage has this in its key")
	b.keys(kb.Escape)
	b.until(`document.querySelector("#find").getAttribute("aria-expanded") === "false"`)
	b.tabTo("#question")
	b.keys("Who pays for a boat?" + kb.Enter)
	b.sees("With and without the card")
	b.sees("With the card")
	b.keep("card-tried")
	b.tabTo(`#card button:not([name])`)
	b.keys(kb.Enter)
	b.sees("Saved. It is in the draft")
	b.sees("label: Late fees")
	b.keep("card")
	b.fill("label", "Late fees and boats")
	b.press("Save the card")
	b.sees("label: Late fees Late fees and boats")
	b.press("Undo the last one")
	b.sees("Taken back.")
	b.sees("Late fees")
	b.hides("Late fees and boats")
	b.keep("cards")
}

// A card that lost an anchor says so, with the passages that could replace it, and
// one that another card competes with says with which.
func TestMendCardInTheBrowser(t *testing.T) {
	s, b := furnishedDraft(t)
	c := terminalOf("calliope")
	s.draft("calliope", "MV", "# Moves\n\n## 1 Desks\n\n(a) Complaints go to the complaints desk in the east wing.\n")
	run(s, c, ops.SaveCard, ops.SaveCardIn{ID: "desks", Label: "Desks", Covers: "where complaints go and which desk takes them", Anchors: []string{"MV 1(a)", "RU 1(a)"}})
	run(s, c, ops.SaveCard, ops.SaveCardIn{ID: "complaints", Label: "Complaints", Covers: "which desk takes complaints, where they go", Anchors: []string{"HB 1(b)", "RU 1(a)"}})
	s.draft("calliope", "MV", "# Moves\n\n## 1 Rooms\n\n## 2 Desks\n\n(a) Complaints go to the complaints desk in the east wing.\n")
	b.enters(owner, "/brains/calliope/topic-cards")
	b.sees("partly: 1\u00a0anchor without text")
	b.sees("Shares an anchor with")
	b.keep("cards-lost")
	b.open("/brains/calliope/topic-cards")
	b.keys("j")
	b.keys("j" + kb.Enter)
	b.sees("Its words are under another one now:")
	b.sees("also anchored on RU 1(a)")
	b.sees("also covers:")
	b.keep("card-lost")
	b.tabTo(`button[name=replace]`)
	b.keys(kb.Enter)
	b.until(`document.querySelector("#anchors").value === "MV 2(a)\nRU 1(a)"`)
	b.sees("supported: all anchors have text")
	b.press("Save the card")
	b.sees("Saved. It is in the draft")
	b.press("Delete it")
	b.sees("Delete this card from the draft?")
	b.keep("card-delete")
	b.tabTo(`main button[data-variant=danger]`)
	b.keys(kb.Enter)
	b.sees("Deleted from the draft")
	b.keep("card-deleted")
	b.do(chromedp.Click(chromedp.CSS("[data-flash] button")))
	b.sees("2\u00a0topic cards in the draft")
}
