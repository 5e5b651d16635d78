package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"polaris/models"
	"polaris/ops"
)

// hostile is what somebody who means harm puts into every field that holds text.
const hostile = `<img src="/live?x" onerror="window.ran=1"><script>window.ran=1</script>[a](javascript:window.ran=1)![p](http://127.0.0.1:1/p.png)" hx-get="/live" data-x='`

// curatePages are the pages of sources and cards, with who may open each.
var curatePages = []struct {
	path string
	may  []models.Role // beside the owner
}{
	{"/sources", []models.Role{models.RoleCurator, models.RoleApprover, models.RoleAuditor}},
	{"/sources?state=held&format=application%2Fpdf&sort=title&text=x", []models.Role{models.RoleCurator, models.RoleApprover, models.RoleAuditor}},
	{"/sources/HB", []models.Role{models.RoleCurator, models.RoleApprover, models.RoleAuditor}},
	{"/sources/HB?revision=1&span=0-5", []models.Role{models.RoleCurator, models.RoleApprover, models.RoleAuditor}},
	{"/sources/HB/diff", []models.Role{models.RoleCurator, models.RoleApprover, models.RoleAuditor}},
	{"/sources/HB/trial", []models.Role{models.RoleCurator, models.RoleApprover, models.RoleAuditor}},
	{"/sources/HB/trial?question=late+fee", []models.Role{models.RoleCurator, models.RoleApprover, models.RoleAuditor}},
	{"/sources/HB/facts", []models.Role{models.RoleCurator}},
	{"/sources/HB/reversion?revision=1", []models.Role{models.RoleCurator}},
	{"/sources/HB/removal", []models.Role{models.RoleCurator}},
	{"/imports/new", []models.Role{models.RoleCurator}},
	{"/topic-cards", []models.Role{models.RoleCurator, models.RoleApprover, models.RoleAuditor}},
	{"/topic-cards/fees-we-may-charge", []models.Role{models.RoleCurator, models.RoleApprover, models.RoleAuditor}},
	{"/topic-cards/fees-we-may-charge/removal", []models.Role{models.RoleCurator}},
	{"/topic-cards/new", []models.Role{models.RoleCurator}},
}

// curateForms are what they send, all of which is a curator's.
var curateForms = []struct {
	path string
	sent url.Values
}{
	{"/sources", url.Values{"do": {"remove"}, "source": {"HB"}, "confirmed": {"yes"}}},
	{"/sources/HB/facts", url.Values{"title": {"X"}}},
	{"/sources/HB/reversion", url.Values{"revision": {"1"}}},
	{"/sources/HB/undo", url.Values{"change": {"1"}}},
	{"/imports", url.Values{}},
	{"/topic-cards", url.Values{"label": {"x"}, "covers": {"x"}, "anchors": {"HB 1"}}},
	{"/topic-cards", url.Values{"do": {"check"}, "anchors": {"HB 1"}}},
	{"/topic-cards/fees-we-may-charge", url.Values{"do": {"try"}, "question": {"x"}}},
	{"/topic-cards/fees-we-may-charge/removal", url.Values{}},
	{"/topic-cards/fees-we-may-charge/undo", url.Values{"change": {"1"}}},
}

// Each page and form of sources and cards, to each role, to somebody who is not
// signed in, and of a brain that is somebody else's.
func TestWhoCurates(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	s.brain("zebra", "eve@example.org")
	opens := func(who string, b *browser, role models.Role) {
		for _, x := range curatePages {
			want := http.StatusForbidden
			for _, r := range append([]models.Role{models.RoleOwner}, x.may...) {
				if r == role {
					want = http.StatusOK
				}
			}
			a := b.get("/brains/calliope" + x.path)
			if a.StatusCode != want {
				t.Errorf("%s opens %s: %d, want %d", who, x.path, a.StatusCode, want)
			}
			checkPage(t, a)
			b.get("/brains/zebra" + x.path).want(http.StatusNotFound)
		}
	}
	opens("the owner", b, models.RoleOwner)
	for _, role := range []models.Role{models.RoleReader, models.RoleAuditor, models.RoleApprover, models.RoleCurator} {
		s.person(string(role)+"@example.org", "calliope", role)
		p := s.browser()
		p.signIn(string(role)+"@example.org", password)
		opens("a "+string(role), p, role)
		if role == models.RoleCurator {
			continue
		}
		for _, f := range curateForms {
			p.post("/brains/calliope"+f.path, f.sent).want(http.StatusForbidden)
		}
	}
	stranger := s.browser()
	for _, x := range curatePages {
		stranger.get("/brains/calliope" + x.path).want(http.StatusSeeOther)
	}
	for _, f := range curateForms {
		b.post("/brains/zebra"+f.path, f.sent).want(http.StatusNotFound)
		stranger.post("/brains/calliope"+f.path, f.sent).want(http.StatusSeeOther)
	}
	if l := run(s, terminalOf("calliope"), ops.ListCards, ops.Page{}); len(l.Cards) == 0 {
		t.Error("somebody deleted the cards")
	}
}

// hostileDraft fills every field of sources and cards with what means harm, and
// returns the pages that show it.
func (s *site) hostileDraft(b *browser) []string {
	s.t.Helper()
	c := terminalOf("calliope")
	text := "# " + hostile + "\n\n## 1 " + hostile + "\n\n(a) " + hostile + "\n\n(b) | " + hostile + " | x |\n\n"
	in := ops.ImportSourceIn{Name: hostile + ".md", Title: hostile, Code: "EVIL", Data: []byte(text)}
	in.Owner = hostile
	run(s, c, ops.ImportSource, in)
	in.Data = []byte(text + "(c) More " + hostile + "\n")
	run(s, c, ops.ImportSource, in)
	key := run(s, c, ops.GetSource, ops.GetSourceIn{Source: "EVIL"}).Passages[1].Key
	run(s, c, ops.SuspendSource, ops.SuspendIn{Source: "EVIL", Key: key, Reason: hostile})
	run(s, c, ops.SaveCard, ops.SaveCardIn{ID: "evil", Label: hostile, Covers: hostile, Anchors: []string{key, "HB 99"}})
	run(s, c, ops.SaveCard, ops.SaveCardIn{ID: "evil", Label: hostile + "2", Covers: hostile, Anchors: []string{key}})
	q := url.QueryEscape(hostile)
	b.post("/brains/calliope/topic-cards", url.Values{"do": {"check"}, "label": {hostile}, "covers": {hostile}, "anchors": {hostile + "\n" + key}, "question": {hostile}}).want(http.StatusOK)
	return []string{
		"/sources", "/sources?text=" + q, "/sources?import=" + q, "/sources/EVIL", "/sources/EVIL?revision=1&span=0-40", "/sources/EVIL/diff", "/sources/EVIL/facts",
		"/sources/EVIL/removal", "/sources/EVIL/reversion?revision=1", "/sources/EVIL/suspension?key=" + url.QueryEscape(key), "/sources/EVIL/trial?question=" + q,
		"/topic-cards", "/topic-cards/evil", "/topic-cards/evil/removal", "/topic-cards/new?question=" + q + "&anchor=" + q,
	}
}

// What means harm is words on every page, and comes back as words from every form.
func TestHostileTextIsWords(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	pages := s.hostileDraft(b)
	words := func(what string, a *answer) {
		t.Helper()
		checkPage(t, a)
		for _, harm := range []string{"<img", "<script>window", `hx-get="/live`, `href="javascript`} {
			if strings.Contains(a.text, harm) {
				t.Errorf("%s has %s", what, harm)
			}
		}
	}
	for _, path := range pages {
		words(path, b.get("/brains/calliope"+path).want(http.StatusOK))
	}
	for _, f := range []struct {
		path string
		sent url.Values
	}{
		{"/sources", url.Values{"do": {"suspend"}, "source": {hostile}, "reason": {hostile}}},
		{"/sources", url.Values{"do": {"suspend"}, "source": {hostile, "EVIL"}, "reason": {hostile}, "confirmed": {"yes"}}},
		{"/sources", url.Values{"do": {"facts"}, "source": {"EVIL"}, "owner": {hostile}, "review_by": {hostile}, "confirmed": {"yes"}}},
		{"/sources/EVIL/facts", url.Values{"title": {hostile}, "owner": {hostile}, "origin_url": {hostile}, "jurisdiction": {hostile}, "supersedes": {hostile}, "review_by": {hostile}}},
		{"/topic-cards", url.Values{"label": {hostile}, "covers": {hostile}, "anchors": {hostile}, "question": {hostile}}},
		{"/topic-cards/evil", url.Values{"do": {"try"}, "label": {hostile}, "covers": {hostile}, "anchors": {"HB 1"}, "question": {hostile}}},
		{"/topic-cards/evil", url.Values{"replace": {hostile + " → " + hostile}, "label": {hostile}, "covers": {hostile}, "anchors": {hostile}}},
	} {
		words("the answer to "+f.path, b.post("/brains/calliope"+f.path, f.sent))
	}
}

// Nor does anything of it run or ask for anything in a browser.
func TestHostileTextInTheBrowser(t *testing.T) {
	ctx := realBrowser(t)
	s, agent := unhurried(t)
	pages := s.hostileDraft(agent)
	b := &tab{t: t, ctx: ctx, site: s}
	b.do(wide)
	b.enters(owner, "/brains/calliope/sources")
	for _, path := range pages {
		b.open("/brains/calliope" + path)
		if got := value[string](b, `JSON.stringify([window.ran ?? 0, document.images.length, [...document.querySelectorAll("main [onerror], main [hx-get='/live'], main a[href^=javascript]")].length, performance.getEntriesByType("resource").filter(r => r.name.includes("p.png") || r.name.includes("/live")).length])`); got != "[0,0,0,0]" {
			t.Errorf("%s: it ran, drew, holds, or asked: %s", path, got)
		}
	}
	// What is completed comes as data, and is words in the list, too.
	b.open("/brains/calliope/topic-cards/new")
	b.do(chromedp.SendKeys(chromedp.CSS("#find"), "EVIL"))
	b.until(`document.querySelectorAll("#find-options [data-key]").length > 0`)
	if got := value[string](b, `JSON.stringify([window.ran ?? 0, document.images.length, document.querySelectorAll("#find-options script").length])`); got != "[0,0,0]" {
		t.Errorf("what is completed ran: %s", got)
	}
}

// Several sources are changed without script, each by itself, and what one is
// refused does not stop the others.
func TestChangeSeveralSources(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	at := "/brains/calliope/sources"
	b.post(at, url.Values{"do": {"remove"}}).want(http.StatusUnprocessableEntity, "Choose the sources first.")
	b.post(at, url.Values{"do": {"dance"}, "source": {"HB"}}).want(http.StatusBadRequest)
	b.post(at, url.Values{"do": {"remove"}, "source": {"HB", "FEES"}}).want(http.StatusOK, "Take 2\u00a0sources out of the draft?", `name="source" value="HB"`)
	b.post(at, url.Values{"do": {"facts"}, "source": {"HB"}, "confirmed": {"yes"}}).want(http.StatusUnprocessableEntity, "Name an owner or a review date.")
	b.post(at, url.Values{"do": {"suspend"}, "source": {"HB"}, "confirmed": {"yes"}}).want(http.StatusUnprocessableEntity, "Say why")
	b.post(at, url.Values{"do": {"remove"}, "source": {"HB", "NOPE", "FEES"}, "confirmed": {"yes"}}).want(http.StatusOK, "What was done", "No such source.", `value="restore"`)
	b.get(at+"?state=removed").want(http.StatusOK, "Lending Handbook", "Restore…", "Restore it")
	b.post(at, url.Values{"do": {"restore"}, "source": {"HB", "FEES"}, "confirmed": {"yes"}}).want(http.StatusOK, "What was done")
	b.post(at, url.Values{"do": {"facts"}, "source": {"HB", "FEES"}, "owner": {"Legal"}, "review_by": {"2020-01-31"}, "confirmed": {"yes"}}).want(http.StatusOK)
	b.get(at+"?state=review_due").want(http.StatusOK, "2\u00a0sources are like that", "Legal", "review due")
	b.get(at + "?state=nonsense").want(http.StatusNotFound)
	b.get(at + "?cursor=nonsense").want(http.StatusBadRequest)
	many := url.Values{"do": {"remove"}, "confirmed": {"yes"}}
	for i := range changesAtOnce + 1 {
		many.Add("source", fmt.Sprint("S", i))
	}
	b.post(at, many).want(http.StatusUnprocessableEntity, "at most 200")
	if h := run(s, ops.Call{By: terminalOf("calliope").By, Brain: "calliope", Via: ops.CLI}, ops.GetSource, ops.GetSourceIn{Source: "HB"}); h.Source.Owner != "Legal" || h.Source.RemovedAt != nil {
		t.Errorf("in the end: %+v", h.Source)
	}
}

// Without script a card is checked, mended, tried and saved by its buttons; what
// somebody else saved meanwhile is not overwritten.
func TestCardWithoutScript(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	at := "/brains/calliope/topic-cards"
	card := url.Values{"label": {"Answering letters"}, "covers": {"by when we answer"}, "anchors": {"HB 4.2(a)\nHB 4.99"}}
	with := func(name, v string) url.Values {
		out := url.Values{}
		for k, all := range card {
			out[k] = all
		}
		out.Set(name, v)
		return out
	}
	b.post(at, with("do", "check")).want(http.StatusOK, "partly: 1\u00a0anchor without text", "Tell the applicant", "also anchored on HB 4.2(a)", "Use it instead")
	a := b.post(at, with("replace", "HB 4.99 → HB 4.2(c)")).want(http.StatusOK, "supported: all anchors have text")
	if !strings.Contains(a.text, "HB 4.2(a)\nHB 4.2(c)</textarea>") {
		t.Error("the anchor is not replaced")
	}
	part := b.post(at+"?do=check", card, "HX-Request", "true").want(http.StatusOK, `id="check"`)
	if strings.Contains(part.text, "<html") {
		t.Error("the part is a whole page")
	}
	card.Set("question", "By when must we tell an applicant that we decline?")
	b.post(at, with("do", "try")).want(http.StatusOK, "With and without the card", "Without the card", "no text")
	b.post(at, url.Values{"label": {""}, "covers": {"x"}, "anchors": {"HB 4"}}).want(http.StatusUnprocessableEntity, "Give the card a label")
	b.post(at, card).want(http.StatusSeeOther).to(at + "/answering-letters?done=card-saved")
	b.post(at, card).want(http.StatusUnprocessableEntity, "there already")
	page := b.get(at+"/answering-letters").want(http.StatusOK, "Undo the last one", "covers: ")
	_, tag, _ := strings.Cut(page.text, `name="tag" value="`)
	tag, _, _ = strings.Cut(tag, `"`)
	run(s, terminalOf("calliope"), ops.SaveCard, ops.SaveCardIn{ID: "answering-letters", Label: "Else", Covers: "x", Anchors: []string{"HB 4"}})
	card.Set("tag", tag)
	b.post(at+"/answering-letters", card).want(http.StatusUnprocessableEntity, "Somebody else changed this meanwhile", "by when we answer")
	b.get(at + "/nowhere").want(http.StatusNotFound)
	if n := len(run(s, terminalOf("calliope"), ops.ListAnswers, ops.AnswersIn{}).Answers); n != 0 {
		t.Errorf("trying recorded %d answers", n)
	}
}
