package quote

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"polaris/views/htmlcheck"
)

const fees = "| Fee | Amount |\n| --- | :-: |\n| Late | $35 \\| 4 % |\n| Returned |\n| Other | $5 | more |"

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	for _, problem := range htmlcheck.Fragment(b.Bytes()) {
		t.Error(problem)
	}
	return b.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, want string }{
		{"a < b", "a &lt; b"},
		{"one\ntwo", "one\ntwo"},
		{"**Pause** means a period", "<strong>Pause</strong> means a period"},
		{"2 ** 3 ** 4 **", "2 <strong> 3 </strong> 4 **"},
		{"| not a table |", "| not a table |"},
		{"a | b\n--- | ---", "a | b\n--- | ---"},
	} {
		if got := render(t, Text(row.text)); got != row.want {
			t.Errorf("%q: got %q, want %q", row.text, got, row.want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	got := render(t, Marked("Before.\n\n", fees, "\nAfter."))
	for _, want := range []string{"Before.<div class=\"marked\">", "<th scope=\"col\">Amount</th>", "<td>$35 | 4 %</td>", "<td>Returned</td><td></td>", "<td>$5</td></tr>", "</div></div>After."} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	if strings.Contains(got, "---") || strings.Contains(got, "more") {
		t.Errorf("%s shows the ruler or a cell too many", got)
	}
	if got := render(t, Marked("a ", "b", " c")); got != "a <mark>b</mark> c" {
		t.Errorf("got %q", got)
	}
}
