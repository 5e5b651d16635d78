package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"polaris/models"
	"polaris/ops"
)

// evilText is what nobody means well by, as Markdown, HTML and htmx.
const evilText = `<img src=x onerror="window.ran=1"><script>window.ran=1</script> [x](javascript:window.ran=1) <b hx-get="/brains" hx-trigger="load">y</b> ![z](https://elsewhere.example/z.png) "><svg onload=window.ran=1>`

// evilWords is the same, for what is short.
const evilWords = `<script>window.ran=1</script><img src=x onerror="window.ran=1">`

// TestHostileTextIsInert: whatever a field holds, no page of a reader's or an
// approver's day runs it, loads it, or lets it ask for anything.
func TestHostileTextIsInert(t *testing.T) {
	ctx := realBrowser(t)
	s, ada := started(t)
	s.desk.Settings.RateLimit = models.Rate{Off: true}
	s.draft("calliope", "EV", "# Rules "+evilText+"\n\n## 1 Terms\n\n(a) **Trap** means "+evilText+"\n\n(b) A trap is answered within nine days. "+evilText+"\n")
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: "calliope", Via: ops.CLI, Rationale: evilText}
	run(s, c, ops.SaveCard, ops.SaveCardIn{ID: "trap", Label: "Trap " + evilWords, Covers: evilText, Anchors: []string{"EV 1(b)"}})
	run(s, c, ops.SaveGolden, ops.SaveGoldenIn{ID: "trap", Question: "Trap? " + evilText, TopicIDs: []string{"trap"}})
	for _, src := range run(s, c, ops.ListSources, ops.Page{}).Sources { // what addresses a browser may be held
		if run(s, c, ops.ListSources, ops.Page{}).Held[src.ID] > 0 {
			ada.post("/brains/calliope/sources/"+src.Code+"/certification", url.Values{"note": {evilText}}).want(http.StatusSeeOther)
		}
	}
	run(s, c, ops.PublishVersion, ops.PublishIn{Notes: evilText})
	token := ada.scopedToken("calliope", models.ScopeWrite)
	body := `{"label":"` + strings.ReplaceAll(evilWords, `"`, `\"`) + `","covers":"x","anchors":["EV 1(b)"]}`
	s.browser().do(http.MethodPut, "/v1/brains/calliope/draft/topic-cards/trap", body, "Content-Type", "application/json", "Authorization", "Bearer "+token).want(http.StatusAccepted)
	ada.post("/brains/calliope/ask", url.Values{"question": {"When is a trap answered? " + evilText}, "topic": {"trap"}}).want(http.StatusSeeOther)
	queue := run(s, c, ops.ListRecommendations, ops.RecommendationsIn{})
	if len(queue.Recommendations) != 1 {
		t.Fatalf("%d changes wait", len(queue.Recommendations))
	}
	rec := queue.Recommendations[0].ID

	var err error
	if c.By, err = s.desk.Terminal(t.Context(), "calliope", owner); err != nil {
		t.Fatal(err) // who knows what is published
	}
	b := &tab{t: t, ctx: ctx, site: s}
	b.do(wide)
	b.enters(owner, "/brains/calliope/wiki")
	asked := url.QueryEscape("Trap? " + evilText)
	article := ""
	for _, cat := range run(s, c, ops.ReadWiki, ops.ReadWikiIn{}).Categories {
		article = cat.Titles[0]
		for _, title := range cat.Titles {
			b.inert("/wiki/" + url.PathEscape(title))
		}
	}
	if article == "" {
		t.Fatal("the wiki is empty")
	}
	for _, path := range []string{
		"/wiki", "/wiki?q=" + asked, "/wiki/" + url.PathEscape(evilText), "/passages?key=EV+1(b)", "/ask?question=" + asked, "/answers", "/answers?text=" + asked,
		"/golden-questions", "/golden-questions/trap", "/golden-questions/report", "/golden-questions/new?gap=yes&answer=ans_000000000000&question=" + asked, "/golden-questions/new?expects=" + asked,
		"/approvals", "/approvals?by=" + asked, "/approvals/" + rec, "/approvals/review?item=" + rec, "/versions", "/versions/diff?from=1",
	} {
		b.inert(path)
	}
	b.open("/brains/calliope/answers")
	b.inert(strings.TrimPrefix(value[string](b, `document.querySelector("tbody a").getAttribute("href")`), "/brains/calliope"))
	// And as htmx swaps it in.
	b.open("/brains/calliope/ask?question=" + asked)
	b.press("Ask Ctrl ⏎")
	b.sees("Proof of this answer")
	b.sees("window.ran=1") // it is there, as text
	b.harmless("the swapped answer")
}

// inert opens a page of the brain and looks whether anything of it ran.
func (b *tab) inert(path string) {
	b.t.Helper()
	b.open("/brains/calliope" + path)
	b.sees("Sign out")
	b.harmless(path)
}

func (b *tab) harmless(what string) {
	b.t.Helper()
	for _, wrong := range []string{
		`window.ran !== undefined`, `document.querySelector("main img, main svg, main script") !== null`, `document.querySelector("main b[hx-get]") !== null`,
		`[...document.querySelectorAll("a")].some(a => a.protocol === "javascript:")`,
		`performance.getEntriesByType("resource").some(r => r.name.includes("elsewhere.example"))`,
	} {
		if value[bool](b, wrong) {
			b.t.Errorf("%s: %s", what, wrong)
		}
	}
}
