package advisor

import "testing"

func TestInContext(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text    string
		earlier []string
		want    string // "" for the text as it stands
	}{
		{"How much is the late fee?", nil, ""},
		{"How long?", nil, ""},
		{"How long?", []string{"Is a dispute kept?"}, "Is a dispute kept?\nHow long?"},
		{"Why?", []string{"the fee", "the dispute", "And then?", "", "  "}, "the dispute\nWhy?"},
		{"And what about that?", []string{"And?", "What is it?"}, ""},
		{"And for joint applicants?", []string{"How long do we have to decide?"}, ""},
		{"What about § 4.2(a)?", []string{"the fee"}, ""},
		{"Who is the pope?", []string{"the fee"}, ""},
		{"?", []string{"the fee"}, "the fee\n?"},
	} {
		if row.want == "" {
			row.want = row.text
		}
		if got, led := inContext(row.text, row.earlier); got != row.want || led != (got != row.text) {
			t.Errorf("%q after %q: %q, %v; want %q", row.text, row.earlier, got, led, row.want)
		}
	}
}
