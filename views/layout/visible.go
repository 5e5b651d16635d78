package layout

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/a-h/templ"
)

// Visible draws text with the characters that would not be seen, or that would
// move what stands beside them.
func Visible(s string) templ.Component { return visible(s, false) }

// Paragraph draws text of several lines likewise.
func Paragraph(s string) templ.Component { return visible(s, true) }

func visible(s string, whole bool) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for _, p := range reveal(s, whole) {
			text := templ.EscapeString(p.text)
			if p.hidden {
				text = `<span class="unseen" title="A character that is not seen">` + text + `</span>`
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// A piece is text as it can be seen, or one character that cannot.
type piece struct {
	text   string
	hidden bool
}

// reveal takes text apart at the characters that would not be seen, or that
// would move what stands beside them. Where whole is false a line break is
// one of them.
func reveal(s string, whole bool) []piece {
	var all []piece
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			all = append(all, piece{text: plain.String()})
			plain.Reset()
		}
	}
	for i, r := range s {
		last := !whole && r == ' ' && i == len(s)-1
		if !last && !unseen(r) || r == '\n' && whole {
			plain.WriteRune(r)
			continue
		}
		flush()
		all = append(all, piece{fmt.Sprintf("U+%04X", r), true})
	}
	flush()
	return all
}

// blanks are letters and marks that draw nothing.
var blanks = &unicode.RangeTable{
	R16: []unicode.Range16{{0x034f, 0x034f, 1}, {0x115f, 0x1160, 1}, {0x17b4, 0x17b5, 1}, {0x180b, 0x180f, 1}, {0x2800, 0x2800, 1}, {0x3164, 0x3164, 1}, {0xfe00, 0xfe0f, 1}, {0xffa0, 0xffa0, 1}},
	R32: []unicode.Range32{{0xe0100, 0xe01ef, 1}},
}

func unseen(r rune) bool {
	return r != ' ' && unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co, unicode.Zl, unicode.Zp, unicode.Zs, blanks) || r == unicode.ReplacementChar
}
