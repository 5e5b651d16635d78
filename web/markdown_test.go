package web

import (
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, in, want string
		never          []string
	}{
		{"plain", "## A *b*\n\n> quote **c**", "<h2>A <em>b</em></h2>\n<blockquote>\n<p>quote <strong>c</strong></p>\n</blockquote>\n", nil},
		{"table", "| a |\n|--:|\n| 1 |", `<td`, nil},
		{"script", "<script>alert(1)</script> x <b onclick=alert(1)>y</b>", "", []string{"script", "onclick", "alert"}},
		{"image", "![x](https://evil.example/x.png) <img src=x onerror=y>", "", []string{"<img", "evil.example"}},
		{"htmx", `<a hx-get="/x" data-hx-post="/y" href="/z" hx-nonce="n">z</a>`, "", []string{"hx-", "data-"}},
		{"javascript", "[x](javascript:alert(1)) [y](JaVaScRiPt:x) [z](data:text/html,x)", "", []string{"href"}},
		{"style", `<p style="position:fixed" class="panel" id="main">x</p>`, "", []string{"style", "class", "id="}},
		{"form", `<form action="/session/end"><button>x</button></form><input name=a>`, "", []string{"<form", "<button", "<input"}},
		{"frames", `<iframe src=/></iframe><object data=/></object><svg><script/></svg><math href=x>`, "", []string{"<iframe", "<object", "<svg", "<math"}},
		{"local link", "[a](/brains/calliope/wiki/b%2Fc)", `<a href="/brains/calliope/wiki/b%2Fc" rel="nofollow">a</a>`, nil},
		{"remote link", "[a](https://example.org/x)", `rel="nofollow noreferrer"`, nil},
	} {
		var b strings.Builder
		if err := markdown(row.in).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), row.want) {
			t.Errorf("%s: got %q, want %q", row.name, b.String(), row.want)
		}
		for _, n := range row.never {
			if strings.Contains(b.String(), n) {
				t.Errorf("%s: %q has %q", row.name, b.String(), n)
			}
		}
	}
}
