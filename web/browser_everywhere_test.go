package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"polaris/models"
)

// observed is told to the browser before any page: how much its content jumps,
// and how long the next paint takes after a key or a click.
const observed = `
window.jumps = 0; window.slowest = 0;
new PerformanceObserver(l => { for (const e of l.getEntries()) if (!e.hadRecentInput) window.jumps += e.value }).observe({type: "layout-shift", buffered: true});
new PerformanceObserver(l => { for (const e of l.getEntries()) if (e.interactionId) window.slowest = Math.max(window.slowest, e.duration) }).observe({type: "event", buffered: true, durationThreshold: 16});`

// Somebody goes everywhere without a mouse: search and commands, letters, rows of
// lists, other brains, the sheet of keys. Whatever opens closes by Esc, and the
// focus is where it was.
func TestGettingAroundInTheBrowser(t *testing.T) {
	ctx := realBrowser(t)
	s, _ := published(t)
	s.brain("thalia", owner)
	b := &tab{t: t, ctx: ctx, site: s}
	b.do(wide)
	b.enters(owner, "/brains/calliope")

	// Search: opened by keys, led by arrows, closed by Esc.
	b.tabTo(`a.item[href$="/wiki"]`)
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until(`document.activeElement.matches("#palette input")`)
	b.sees("Create an API key") // what can be done, before anything is typed
	b.keys("lending hand")
	b.until(`document.querySelector("#found").dataset.for === "lending hand"`)
	b.sees("Lending Handbook")
	b.keep("search")
	b.keys(kb.Escape)
	b.until(`!document.querySelector("dialog[open]") && document.activeElement.matches('a.item[href$="/wiki"]')`)
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until(`document.activeElement.matches("#palette input")`)
	b.keys("HB 4.2")
	b.until(`document.querySelector("#found").dataset.for?.endsWith("HB 4.2")`)
	b.keys(kb.ArrowDown)
	b.until(`document.activeElement.matches("#found a")`)
	b.keys(kb.ArrowUp)
	b.until(`document.activeElement.matches("#palette input")`)
	value[any](b, `document.querySelector("#palette input").select()`)
	b.keys("golden")
	b.until(`document.querySelector("#found").dataset.for === "golden"`)
	b.keys(kb.Enter) // the first that was found
	b.arrives("/golden-questions")

	// Letters: g and one more, j and k through rows, Enter, nothing while typing.
	b.keys("g")
	b.keys("s")
	b.arrives("/sources")
	b.sees("Lending Handbook")
	b.keys("j")
	b.until(`Boolean(document.activeElement.closest("main [data-rows]"))`)
	first := value[string](b, `document.activeElement.getAttribute("href")`)
	b.keys("j")
	b.until(`document.activeElement.getAttribute("href") !== "` + first + `"`)
	b.keys("k")
	b.until(`document.activeElement.getAttribute("href") === "` + first + `"`)
	b.keys(kb.Enter)
	b.arrives(first)
	b.keys("g")
	b.keys("a")
	b.arrives("/ask")
	b.until(`document.activeElement.matches("#question")`)
	b.keys("g?s")
	if got := value[string](b, `location.pathname + document.querySelector("#question").value`); got != "/brains/calliope/askg?s" {
		t.Errorf("while typing, keys did something else: %q", got)
	}

	// The sheet of keys.
	b.keys(kb.Tab)
	b.keys("?")
	b.until(`document.querySelector("#key-sheet").open`)
	b.sees("Next and previous row of a list")
	b.keep("key-sheet")
	b.keys(kb.Escape)
	b.until(`!document.querySelector("dialog[open]")`)

	// Another brain.
	b.tabTo(`.switch`)
	b.keys(kb.Enter)
	b.sees("Switch to")
	b.keep("switcher")
	b.keys(kb.Escape)
	b.until(`!document.querySelector("#other-brains:popover-open") && document.activeElement.matches(".switch")`)
	b.keys(kb.Enter)
	b.tabTo(`a[href="/brains/thalia"]`)
	b.keys(kb.Enter)
	b.arrives("/brains/thalia")
	b.sees("From documents to answers")
	b.keep("home-empty")

	// What was done is told once, and is not in the address.
	b.open("/brains/calliope?done=saved")
	b.sees("Saved.")
	if got := value[string](b, `location.search`); got != "" {
		t.Errorf("the address still says %q", got)
	}
	if got := value[string](b, `document.querySelector("time")?.title ?? "none"`); got != "none" && !strings.ContainsAny(got, "0123456789") {
		t.Errorf("a time is told on hover as %q", got)
	}
}

// arrives waits for the page whose address ends so, and for its script.
func (b *tab) arrives(path string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`location.pathname.endsWith(%q) && Boolean(document.documentElement?.classList.contains("scripted"))`, path))
}

// No page jumps while it comes, and after each key and click the next paint is
// soon.
func TestPagesHoldStillInTheBrowser(t *testing.T) {
	ctx := realBrowser(t)
	s, a, ben2 := fourEyed(t)
	s.draft("acme", "RU", rules)
	ben2.approves(a.asksForPublish(""))
	s.proposes(a, "RU", later)
	s.person("reader@example.org", "acme", models.RoleReader)
	b := &tab{t: t, ctx: ctx, site: s}
	b.do(wide)
	b.open("/session/new")
	if _, err := chromedp.Call(ctx, cdpage.AddScriptToEvaluateOnNewDocument, cdpage.AddScriptToEvaluateOnNewDocumentParams{Source: observed}); err != nil {
		t.Fatal(err)
	}
	b.enters(owner, "/brains/acme/ask")
	b.fill("question", "How much is the late fee?")
	b.press("Ask Ctrl ⏎")
	b.sees("10 dollars")
	for _, width := range []int64{1280, 390} {
		b.do(chromedp.EmulateViewport(width, 900))
		for _, path := range []string{"", "/ask", "/wiki", "/sources", "/sources/RU", "/topic-cards", "/golden-questions", "/approvals", "/versions", "/answers", "/settings", "/settings/api-keys", "/settings/members", "/audit", "/search?q=r"} {
			b.open("/brains/acme" + path)
			b.until(`document.readyState === "complete" && document.documentElement.classList.contains("scripted")`)
			time.Sleep(80 * time.Millisecond) // a late jump
			if got := value[float64](b, `window.jumps`); got > 0.01 {
				t.Errorf("%s at %d px jumps by %.3f", path, width, got)
			}
		}
	}
	b.do(wide)
	b.open("/brains/acme/sources")
	b.until(`document.documentElement.classList.contains("scripted")`)
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until(`document.activeElement.matches("dialog input")`)
	b.keys("rules")
	b.until(`document.querySelector("#found").dataset.for === "rules"`)
	b.keys(kb.Escape)
	b.keys("j")
	b.keys("?")
	b.keys(kb.Escape)
	b.do(chromedp.Click(chromedp.CSS(".find")))
	b.until(`document.querySelector("#palette").open`)
	b.keys(kb.Escape)
	time.Sleep(200 * time.Millisecond) // what is measured comes by and by
	slowest := value[float64](b, `window.slowest`)
	t.Logf("the slowest interaction took %.0f ms to the next paint", slowest)
	if slowest > 200 {
		t.Errorf("an interaction took %.0f ms to the next paint", slowest)
	}
}
