package htmlcheck

import (
	"strings"
	"testing"
)

const sound = `<!doctype html><html lang="en"><head><title>T</title></head><body><main><h1>T</h1>%</main></body></html>`

func TestSound(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		``,
		`<label for="a">A</label><input id="a"><br><p>x</p>`,
		`<label>A <input name="a"></label><a href="#b">b</a><i id="b"></i>`,
		`<form hx-post="/x" hx-target="#b" hx-nonce="n"><button type="submit">x</button></form><div id="b"></div>`,
		`<script src="/static/a/b.js" nonce="n"></script>`,
		`<svg><path d="M0 0"/></svg>`,
		`<table><tr><th>a</th></tr></table><table><tr><th>a</th><td>b</td></tr><tr><td>a</td><td>b</td></tr></table>`,
	} {
		if got := Document([]byte(strings.Replace(sound, "%", body, 1)), nil); len(got) > 0 {
			t.Errorf("%s: %q", body, got)
		}
	}
}

func TestFound(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ body, want string }{
		{`<p>x`, "does not close"},
		{`<div/>`, "does not close itself"},
		{`</b>`, "does not close"},
		{`<i id="a"></i><i id="a"></i>`, "occurs 2 times"},
		{`<a href="#gone">x</a>`, "does not exist"},
		{`<input id="a">`, "has no label"},
		{`<select name="a"></select>`, "has no label"},
		{`<p style="color:red">x</p>`, "inline attribute style"},
		{`<p onclick="x()">x</p>`, "inline attribute onclick"},
		{`<a href=" JavaScript:x">x</a>`, "runs code"},
		{`<script>x</script>`, "without src or nonce"},
		{`<style></style>`, "not allowed"},
		{`<img src="x">`, "without alt"},
		{`<button>x</button>`, "without type"},
		{`<p hx-get="/x">x</p>`, "without hx-nonce"},
		{`<p hx-on:click="x" hx-nonce="n">x</p>`, "not on the list"},
		{`<p hx-vals="js:x" hx-nonce="n">x</p>`, "not on the list"},
		{`<p hx-ext="sse" hx-nonce="n">x</p>`, "not on the list"},
		{`<p hx-disabled-elt="this" hx-nonce="n">x</p>`, "not on the list"},
		{`<p hx-disable hx-nonce="n">x</p>`, "is not allowed"},
		{`<p hx-confirm="js:x" hx-nonce="n">x</p>`, "is not allowed"},
		{`<p data-hx-get="/x">x</p>`, "does not cover"},
		{`<link rel="stylesheet" href="/static/0/gone.css">`, "does not exist"},
		{`<table><tr><th>a</th></tr><tr><td>b</td><td>c</td></tr></table>`, "a row has 2 cells where the first has 1"},
		{`<h3>x</h3>`, "<h3> follows <h1>"},
		{`<h1>x</h1>`, "2 elements <h1>"},
	} {
		got := Document([]byte(strings.Replace(sound, "%", row.body, 1)), func(string) bool { return false })
		if !strings.Contains(strings.Join(got, "\n"), row.want) {
			t.Errorf("%s: got %q, want %q", row.body, got, row.want)
		}
	}
}
