package openai

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPieces: put together they are the text, each is text of its own, and words
// stay whole where there are spaces.
func TestPieces(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "a", strings.Repeat("x", pieceSize), strings.Repeat("x", pieceSize+1), strings.Repeat("é", 1000), strings.Repeat("日本語", 500), "x" + strings.Repeat("😀", 400),
		strings.Repeat("a quiet word\n\n", 100), strings.Repeat(" ", 1000), strings.Repeat("a", 250) + " " + strings.Repeat("ß", 300),
	} {
		all := pieces(s)
		if got := strings.Join(all, ""); got != s {
			t.Errorf("%.40q: %d bytes became %d", s, len(s), len(got))
		}
		for i, p := range all {
			if !utf8.ValidString(p) || len(p) > pieceSize || p == "" && s != "" {
				t.Errorf("%.40q: piece %d is %q", s, i, p)
			}
			if strings.Contains(s, "quiet") && i < len(all)-1 && !strings.HasSuffix(p, " ") && !strings.HasSuffix(p, "\n") {
				t.Errorf("%.40q: a word is cut: %q", s, p)
			}
		}
	}
}
