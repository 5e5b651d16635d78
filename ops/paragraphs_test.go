package ops

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a text is made of, what is shown of it fits, and ends where a reader
// would stop if there is such a place.
func TestFirstParagraphs(t *testing.T) {
	t.Parallel()
	r := room{1_000, 1_500}
	for in, end := range map[string]string{
		strings.Repeat("One sentence.\n\n", 200):               "sentence.\n",
		strings.Repeat("> One sentence.\n> \n", 200):           "sentence.\n",
		strings.Repeat("- an item of a list\n", 200):           "list\n",
		strings.Repeat("words ", 500):                          "words\n",
		strings.Repeat("word", 500):                            "",
		strings.Repeat("é", 1_000):                             "é",
		strings.Repeat("語", 1_000):                             "語",
		strings.Repeat("<>&\"\\\u2028\x01", 500):               "",
		"Head.\n\n" + strings.Repeat("one line of many. ", 99): "many.\n",
	} {
		got := firstParagraphs(in, r)
		raw, err := json.Marshal(got)
		if err != nil || len(got) > r.text || len(raw) > r.data || len(got) < 200 {
			t.Errorf("%.20q: %d bytes, %d in JSON, %v", in, len(got), len(raw), err)
		}
		if !utf8.ValidString(got) || !strings.HasSuffix(got, end) || !strings.HasPrefix(in, strings.TrimRight(got, "\n")) {
			t.Errorf("%.20q: ends with %q, want %q", in, got[max(0, len(got)-20):], end)
		}
	}
	for _, in := range []string{"", "short", strings.Repeat("a ", 500)} {
		if got := firstParagraphs(in, r); got != in {
			t.Errorf("%.20q fits, and was cut to %d bytes", in, len(got))
		}
	}
}
