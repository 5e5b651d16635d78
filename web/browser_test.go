package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"polaris/internal/axe"
	"polaris/internal/chromium"
	"polaris/models"
)

// realBrowser returns a browser without a user's profile. Every complaint of its
// console, which includes each violation of the policy, fails the test.
func realBrowser(t *testing.T) context.Context {
	t.Helper()
	path := chromium.Path(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	messages := chromedp.Console(ctx)
	said := make(chan []string)
	go func() {
		var all []string
		for m, err := range messages {
			if err != nil {
				break
			}
			// That a form was refused is what the test asked for; and on a slow
			// machine the test has clicked into a page before its autofocus came.
			if s := m.String(); m.Source != "network" && !strings.Contains(s, "Autofocus processing was blocked") {
				all = append(all, s)
			}
		}
		said <- all
	}()
	t.Cleanup(func() {
		cancel()
		for _, s := range <-said {
			t.Errorf("the browser says %s", s)
		}
	})
	return ctx
}

// A tab is one window of the browser.
type tab struct {
	t    *testing.T
	ctx  context.Context
	site *site
	shot int
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	err := chromedp.Do(ctx, steps...)
	for range 3 { // what was found was of a page that has just been left
		if err == nil || !strings.Contains(err.Error(), "Could not find node with given id") {
			break
		}
		err = chromedp.Do(ctx, steps...)
	}
	if err != nil {
		b.t.Fatalf("%v\n%s", err, b.text())
	}
}

// value runs a script and returns what it gives.
func value[T any](b *tab, script string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return v
}

// text returns what is in sight, and where.
func (b *tab) text() string {
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + (document.body ? document.body.innerText : "")`))
	if err != nil {
		return err.Error() // between two pages there is nothing to see
	}
	return text
}

// open goes to a page.
func (b *tab) open(path string) { b.t.Helper(); b.do(chromedp.Navigate(b.site.url + path)) }

// sees waits until the page has the text.
func (b *tab) sees(text string) {
	b.t.Helper()
	got := ""
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if got = b.text(); strings.Contains(got, text) {
			return
		}
	}
	b.t.Fatalf("the page does not say %q\n%s", text, got)
}

// fill types into fields by name, in pairs.
func (b *tab) fill(pairs ...string) {
	b.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		value[string](b, fmt.Sprintf(`document.getElementById(%q).value = ""`, pairs[i]))
		b.do(chromedp.SendKeys(chromedp.CSS("#"+pairs[i]), pairs[i+1]))
	}
}

// press clicks the button or link with the text.
func (b *tab) press(text string) {
	b.t.Helper()
	b.do(chromedp.Click(fmt.Sprintf(`//main//button[normalize-space()=%[1]q] | //main//a[normalize-space()=%[1]q]`, text)))
}

// wide is a desk's screen; a headless browser's own is narrow.
var wide = chromedp.EmulateViewport(1280, 900)

// keep holds the page against the rules of accessibility, light and wide, and
// dark on a phone. Where POLARIS_SHOTS names a folder it writes pictures, also of
// the narrowest phone.
func (b *tab) keep(name string) {
	b.t.Helper()
	folder := os.Getenv("POLARIS_SHOTS")
	b.shot++
	type look struct {
		as     string
		scheme string
		width  int64
	}
	looks := []look{{"light", "light", 1280}, {"phone", "dark", 390}}
	if folder != "" {
		looks = append(looks, look{"dark", "dark", 1280}, look{"narrow", "light", 320})
	}
	for _, v := range looks {
		b.media(v.scheme)
		b.do(chromedp.EmulateViewport(v.width, 900))
		b.judge(name + " " + v.as)
		if folder == "" {
			continue
		}
		png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			b.t.Fatal(err)
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%02d-%s-%s.png", strings.TrimPrefix(b.t.Name(), "Test"), b.shot, name, v.as)), png, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	b.media("")
	b.do(wide)
}

// judge holds the page against axe's rules of accessibility.
func (b *tab) judge(name string) {
	b.t.Helper()
	value[any](b, axe.Script+"; true")
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](axe.Findings, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, f := range found {
		b.t.Errorf("%s: %s", name, f)
	}
}

// media says which colours the reader prefers; "" leaves it to the browser.
func (b *tab) media(scheme string) {
	b.t.Helper()
	p := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
		{Name: "prefers-reduced-motion", Value: "reduce"}, // or the picture shows colours on their way
	}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, p); err != nil {
		b.t.Fatal(err)
	}
}

// TestInTheBrowser is the first day of an instance, as its first person lives
// it: set up, a brain, a key, an answer with its proof, the key's end.
func TestInTheBrowser(t *testing.T) {
	ctx := realBrowser(t)
	s := open(t)
	token, err := s.desk.PrepareSetup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{t: t, ctx: ctx, site: s}
	agent := s.browser()

	b.do(wide)
	b.open("/setup?token=" + token)
	b.sees("Set up this server")
	b.keep("setup")
	b.fill("name", "Ada Marchetti", "email", owner, "password", password, "again", password+"x")
	b.press("Set up and sign in")
	b.sees("The two passwords differ")
	b.keep("setup-wrong")
	b.fill("password", password, "again", password)
	b.press("Set up and sign in")
	b.sees("No brain yet")
	b.keep("brains-empty")
	b.press("Create a brain")
	b.sees("It belongs to")
	b.fill("name", "Calliope Home Lending", "id", "calliope")
	b.do(chromedp.Click(chromedp.CSS(`input[name=four_eyes]`)))
	b.keep("brain-new")
	b.press("Create the brain")
	b.sees("Four eyes are off")
	b.keep("home-begun")

	// A key: shown once, good at once, gone at once.
	b.press("Create a key")
	b.sees("Expires")
	b.fill("label", "Letters agent")
	b.keep("key-new")
	b.press("Create the key")
	b.sees("Copy the key now")
	key := value[string](b, `document.getElementById("key").value`)
	if !rawKey.MatchString(key) {
		t.Fatalf("the page shows %q", key)
	}
	b.keep("key-created")
	b.do(chromedp.Click(chromedp.CSS(`button[data-copy=key]`)))
	b.sees("opied") // or "Selected. Copy it …" where there is no clipboard
	b.press("Done")
	b.sees("Letters agent")
	b.hides(key)
	b.keep("keys")
	value[any](b, `history.back()`)
	b.sees("/api-keys/new") // the page that showed the key has no place in the history
	b.hides(key)

	agent.mcp(key, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`).want(http.StatusOK, "serverInfo", "2025-06-18")
	agent.mcp(key, toolsList).want(http.StatusOK, `"answer"`, `"read_wiki"`)

	s.publish("calliope")
	b.asks()
	b.reads(agent, key)

	b.rotates(agent, key)
	b.open("/brains/calliope/settings/api-keys")
	b.press("Revoke")
	b.sees("This cannot be undone")
	b.keep("key-revoke")
	b.fill("reason", "agent retired")
	b.press("Revoke this key")
	b.sees("The key is revoked")
	b.keep("keys-revoked")
	agent.mcp(key, toolsList).want(http.StatusUnauthorized, "revoked_api_key")

	b.do(chromedp.Click(`//button[normalize-space()="Sign out"]`))
	b.sees("You are signed out")
	b.keep("signed-out")
	b.open("/brains/calliope/versions")
	b.sees("Sign in")
	b.fill("email", owner, "password", "wrong password here")
	b.press("Sign in")
	b.sees("do not fit together")
	b.keep("sign-in-wrong")
	b.fill("password", password)
	b.press("Sign in")
	b.sees("Version 1 answers")
	b.keep("versions")
	b.open("/brains/calliope/nowhere")
	b.sees("There is nothing")
	b.keep("not-found")
}

// rotates goes through the page of a key: a change, an owner to give it to, a new
// secret.
func (b *tab) rotates(agent *browser, key string) {
	b.t.Helper()
	b.site.person("bob@example.org", "calliope", models.RoleReader)
	b.open("/brains/calliope/settings/api-keys")
	b.press("Letters agent")
	b.sees("Give it to another member")
	b.keep("key")
	b.fill("label", "Letters and calls", "rate", "600/60s")
	b.press("Save")
	b.sees("It holds from the next request on")
	b.fill("rate", "many")
	b.press("Save")
	b.sees("such as 600/60s, with a window")
	b.keep("key-wrong")
	b.open("/brains/calliope/settings/api-keys")
	b.press("Rotate")
	b.sees("The old secret holds on")
	b.keep("key-rotate")
	b.press("Make a new secret")
	b.sees("Copy the key now")
	fresh := value[string](b, `document.getElementById("key").value`)
	b.keep("key-rotated")
	agent.mcp(key, toolsList).want(http.StatusOK)
	agent.mcp(fresh, toolsList).want(http.StatusOK)
	b.press("Done")
	b.sees("old secret ends")
	b.hides(fresh)
	b.keep("keys-rotating")
}

// hides fails if the page has the text, in sight or not.
func (b *tab) hides(text string) {
	b.t.Helper()
	found := value[bool](b, fmt.Sprintf(`document.documentElement.outerHTML.includes(%[1]q) || [...document.querySelectorAll("input")].some(i => i.value.includes(%[1]q))`, text))
	if found {
		b.t.Errorf("the page shows the key again")
	}
}

// asks puts questions on the Ask page, where htmx swaps the answers in.
func (b *tab) asks() {
	b.t.Helper()
	b.open("/brains/calliope/ask")
	b.sees("Answers from version 1")
	b.keep("ask")
	value[bool](b, `window.stayed = true`)
	b.fill("question", question())
	b.press("Ask Ctrl ⏎")
	b.sees("Proof of this answer")
	b.keep("ask-answered")
	b.fill("question", "What is the airspeed of an unladen swallow?")
	b.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))) // Ctrl and Enter
	b.sees("disclaimed")
	b.keep("ask-disclaimed")
	if !value[bool](b, `window.stayed === true`) {
		b.t.Error("asking loaded the page anew: htmx did not do its work")
	}
	b.do(chromedp.SetValue(chromedp.CSS("#question"), " "))
	b.press("Ask Ctrl ⏎")
	b.sees("query is empty")
}

// reads goes through the pages that show what the brain holds.
func (b *tab) reads(agent *browser, key string) {
	b.t.Helper()
	id := b.site.askAs(key, "calliope")
	for _, p := range []struct{ name, path, sees string }{
		{"answer", "/answers/" + id, "Proof of an answer"},
		{"answers", "/answers", "unladen swallow"},
		{"home", "", "Latest answers"},
		{"wiki", "/wiki", "articles of version 1"},
		{"wiki-article", "/wiki/" + url.PathEscape("Completed application"), "Taken from"},
		{"wiki-missing", "/wiki/Complete", "Nearest titles"},
		{"sources", "/sources", "Lending Handbook"},
		{"source", "/sources/HB", "HB 4.2(a)"},
		{"cards", "/topic-cards", "topic cards in the draft"},
	} {
		b.open("/brains/calliope" + p.path)
		b.sees(p.sees)
		b.keep(p.name)
	}
	b.open("/brains/calliope/answers/" + id)
	marked := value[[]string](b, `[...document.querySelectorAll(".cite mark")].map(m => m.textContent)`)
	if len(marked) == 0 || strings.TrimSpace(marked[0]) == "" {
		b.t.Errorf("no quote is marked: %q", marked)
	}
}
