package web

import (
	"fmt"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tabTo presses Tab until the focus is on what the selector names, as somebody
// without a mouse does, and fails where it never gets there.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	for range 250 {
		if value[bool](b, fmt.Sprintf(`Boolean(document.activeElement?.matches(%q))`, selector)) {
			return
		}
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	b.t.Fatalf("Tab does not lead to %s\n%s", selector, b.text())
}

// keys presses keys one after another, where the focus is.
func (b *tab) keys(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// until waits until a script gives true.
func (b *tab) until(script string) {
	b.t.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if value[bool](b, script) {
			return
		}
	}
	b.t.Fatalf("never so: %s\n%s", script, b.text())
}
