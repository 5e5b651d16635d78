package gallery

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"polaris/internal/axe"
	"polaris/internal/chromium"
	"polaris/static"
	"polaris/views/ask"
)

// A site serves the gallery under the policy that the pages are made for, and
// collects what the browser blocks.
type site struct {
	*httptest.Server
	mu      sync.Mutex
	blocked []string
}

func newSite(t *testing.T) *site {
	s := &site{}
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /page/{name}", func(w http.ResponseWriter, r *http.Request) {
		for _, p := range Pages(assets()) {
			if p.Name == r.PathValue("name") {
				s.send(w, p.Component)
			}
		}
	})
	mux.HandleFunc("POST "+base+"/ask", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("question") == "" || r.Header.Get("HX-Request") != "true" {
			http.Error(w, "want a question from htmx", http.StatusBadRequest)
			return
		}
		s.send(w, ask.Answer(ask.Panel{Answered: true, Body: grounded(), RecordURL: "/answers/x"}))
	})
	mux.HandleFunc("POST /blocked", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.blocked = append(s.blocked, string(b))
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *site) send(w http.ResponseWriter, c templ.Component) {
	n := rand.Text()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+n+"'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types htmx; report-uri /blocked")
	var b bytes.Buffer
	if err := c.Render(templ.WithNonce(context.Background(), n), &b); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Write(b.Bytes())
}

// browser starts Chromium, or skips where there is none. A machine that calls
// itself CI has to have one.
func browser(t *testing.T) context.Context {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium.Path(t)), chromedp.UserDataDir(t.TempDir()), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	if os.Geteuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // Chromium's sandbox refuses root
	}
	parent, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	alloc, stop := chromedp.NewExecAllocator(parent, opts...)
	ctx, shut := chromedp.NewContext(alloc)
	t.Cleanup(func() { shut(); stop(); cancel() })
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// evaluate runs an expression in the page.
func evaluate[T any](ctx context.Context, t *testing.T, js string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	if err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	return v
}

func do(ctx context.Context, t *testing.T, what string, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestInBrowser(t *testing.T) {
	ctx, s := browser(t), newSite(t)
	t.Run("no page scrolls sideways", func(t *testing.T) {
		do(ctx, t, "viewport", chromedp.EmulateViewport(320, 640))
		for _, p := range Pages(assets()) {
			do(ctx, t, p.Name, chromedp.Navigate(s.URL+"/page/"+p.Name))
			if over := evaluate[int](ctx, t, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("%s is %d px wider than a window of 320", p.Name, over)
			}
		}
	})
	t.Run("axe finds nothing", func(t *testing.T) {
		for i, p := range Pages(assets()) {
			scheme, width := "light", int64(1280)
			if i%2 == 1 { // the parts are the same, so each page is looked at once
				scheme, width = "dark", 390
			}
			media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}
			if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
				t.Fatal(err)
			}
			do(ctx, t, p.Name, chromedp.EmulateViewport(width, 800), chromedp.Navigate(s.URL+"/page/"+p.Name))
			evaluate[any](ctx, t, axe.Script+"; true")
			found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](axe.Findings, chromedp.EvalAwaitPromise))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Errorf("%s, %s at %d px: %s", p.Name, scheme, width, f)
			}
		}
		do(ctx, t, "viewport", chromedp.EmulateViewport(320, 640))
	})
	t.Run("menu", func(t *testing.T) {
		do(ctx, t, "closed", chromedp.Navigate(s.URL+"/page/home"), chromedp.WaitNotVisible(chromedp.CSS("#menu nav")))
		do(ctx, t, "open", chromedp.Click(chromedp.CSS(".open-menu")), chromedp.WaitVisible(chromedp.CSS("#menu nav")))
		do(ctx, t, "wide", chromedp.EmulateViewport(1280, 800), chromedp.Navigate(s.URL+"/page/home"), chromedp.WaitVisible(chromedp.CSS("#menu nav")))
	})
	t.Run("ask", func(t *testing.T) {
		do(ctx, t, "type", chromedp.Navigate(s.URL+"/page/ask"), chromedp.SendKeys("#question", "When must we acknowledge a complaint?"))
		do(ctx, t, "ask", chromedp.Click(chromedp.CSS("#ask button[type=submit]")), chromedp.WaitVisible(chromedp.CSS("#answer .answer")))
		if got := evaluate[string](ctx, t, `document.querySelector("#question").value + location.pathname`); got != "When must we acknowledge a complaint?/page/ask" {
			t.Errorf("after asking the page has %q", got)
		}
		if evaluate[bool](ctx, t, `document.querySelector("#ask button[type=submit]").disabled`) {
			t.Error("the button stays disabled after the answer")
		}
	})
	t.Run("two topics at most", func(t *testing.T) {
		js := `(() => { const d = document.querySelector('[data-limit]'); d.open = true;
			const all = [...d.querySelectorAll('input')]; d.dataset.limit = '1'; all[0].click();
			return all[1].disabled + ' ' + d.querySelector('[data-count]').textContent })()`
		if got := evaluate[string](ctx, t, js); got != "true 1 of 1 chosen" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("key", func(t *testing.T) {
		do(ctx, t, "created", chromedp.Navigate(s.URL+"/page/keys-created"))
		if got := evaluate[string](ctx, t, `getSelection().toString() || document.activeElement.value`); !strings.HasPrefix(got, "sk-polaris-") {
			t.Errorf("the key is not selected: %q", got)
		}
		do(ctx, t, "copy", chromedp.Click(chromedp.CSS("[data-copy=key]")), chromedp.WaitVisible(chromedp.CSS("#toasts p")))
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.blocked) > 0 {
		t.Errorf("the policy blocked %d things, first %s", len(s.blocked), fmt.Sprint(s.blocked[0]))
	}
}
