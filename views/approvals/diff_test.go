package approvals

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func shown(ls []Line) string {
	var b strings.Builder
	for _, l := range ls {
		fmt.Fprintf(&b, "%c%s\n", l.Sign, l.Text)
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"", "", ""},
		{"", "a b", "+a\n+b\n"},
		{"a b", "", "-a\n-b\n"},
		{"a b c", "a b c", " a\n b\n c\n"},
		{"a b c", "a x c", " a\n-b\n+x\n c\n"},
		{"a b c d", "b c d e", "-a\n b\n c\n d\n+e\n"},
		{"a a", "a a a", " a\n a\n+a\n"},
	} {
		if got := shown(Diff(strings.Fields(c.before), strings.Fields(c.after))); got != c.want {
			t.Errorf("from %q to %q:\n%swant\n%s", c.before, c.after, got, c.want)
		}
	}
}

// However large, both sides are there in full.
func TestDiffLosesNothing(t *testing.T) {
	t.Parallel()
	side := func(n, step int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint(i*step))
		}
		return all
	}
	for _, n := range []int{10, 3000} {
		before, after := side(n, 2), side(n, 3)
		var b, a []string
		for _, l := range Diff(before, after) {
			if l.Sign != '+' {
				b = append(b, l.Text)
			}
			if l.Sign != '-' {
				a = append(a, l.Text)
			}
		}
		if !slices.Equal(b, before) || !slices.Equal(a, after) {
			t.Errorf("of %d lines %d and %d are shown", n, len(b), len(a))
		}
	}
}

// No text of a value looks like another field, and no value is left out.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, want string }{
		{``, ``},
		{`{}`, "(none)"},
		{`{"label":"Fees","n":3,"live":true,"anchors":["HB 1","HB 2"],"none":[],"gone":null,"empty":""}`, "label: Fees|n: 3|live: yes|anchors:|  • HB 1|  • HB 2|none: (none)|gone: (none)|empty: (empty)"},
		{`{"sources":[{"source":{"code":"A"},"revision":1},{"source":{"code":"B"},"revision":2}]}`, "sources:|  • source:|      code: A|    revision: 1|  • source:|      code: B|    revision: 2"},
		{`{"label":"a\nanchors: HB 9 "}`, "label: a\nanchors: HB 9 "},
		{`[[1,2],[]]`, "• • 1|  • 2|• (none)"},
		{`no JSON`, "no JSON"},
	} {
		if got := strings.Join(Lines([]byte(c.raw)), "|"); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.raw, got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	const mark = `<span class="unseen" title="A character that is not seen">`
	for _, c := range []struct{ text, line, paragraph string }{
		{"a <b> c", "a &lt;b&gt; c", "a &lt;b&gt; c"},
		{"end  ", "end " + mark + "U+0020</span>", "end  "},
		{"a\nb", "a" + mark + "U+000A</span>b", "a\nb"},
		{"x\u202ey\u2066\u200d", "x" + mark + "U+202E</span>y" + mark + "U+2066</span>" + mark + "U+200D</span>", ""},
		{"\ufeff\u00ad\u00a0\u3164\ufe0f\U000e0041\t", "FEFF 00AD 00A0 3164 FE0F E0041 0009", ""},
		{"שלום 日本語 é", "שלום 日本語 é", "שלום 日本語 é"},
	} {
		want := c.line
		if strings.HasPrefix(want, "FEFF") {
			want = mark + "U+" + strings.Join(strings.Fields(want), "</span>"+mark+"U+") + "</span>"
		}
		var b bytes.Buffer
		if err := Visible(c.text).Render(t.Context(), &b); err != nil || b.String() != want {
			t.Errorf("%q is shown as\n%s, want\n%s", c.text, &b, want)
		}
		b.Reset()
		if err := Paragraph(c.text).Render(t.Context(), &b); err != nil || c.paragraph != "" && b.String() != c.paragraph {
			t.Errorf("%q in a paragraph is shown as %s", c.text, &b)
		}
	}
}
