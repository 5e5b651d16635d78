// Package suspect finds what in a document is meant for machines rather than for
// its readers: orders to a language model, characters that nobody sees inside
// words, and characters that turn the order of others around.
//
// What it finds makes a source wait for a curator; it decides nothing. It knows
// the common wordings and the common disguises, not all of them: that retrieved
// text can never call a tool is what protects, not this list.
package suspect

import (
	"fmt"
	"strings"
	"unicode"

	"polaris/models"
)

// maxFlags bounds the flags of one kind: more of the same say nothing new.
const maxFlags = 20

// excerpt is how much of a text a flag shows, in characters.
const excerpt = 200

// Text returns what is suspicious in a text.
func Text(text string) []models.Flag {
	var out []models.Flag
	count := map[models.FlagKind]int{}
	for _, f := range find(text) {
		if count[f.Kind]++; count[f.Kind] <= maxFlags {
			out = append(out, f)
		}
	}
	return out
}

func find(text string) []models.Flag {
	var out []models.Flag
	for part := range strings.SplitSeq(text, "\n\n") {
		odd := false
		for i := 0; i < len(part) && !odd; i++ {
			odd = part[i] >= 0xC2
		}
		if odd {
			if at := Invisible(part); at >= 0 {
				out = append(out, models.Flag{Kind: models.Invisible, Text: Excerpt(around(part, at))})
			}
			if at := turned(part); at >= 0 {
				out = append(out, models.Flag{Kind: models.Direction, Text: Excerpt(around(part, at))})
			}
		}
		if order, ok := Order(part); ok {
			out = append(out, models.Flag{Kind: models.Instruction, Text: Excerpt(order)})
		}
	}
	return out
}

// around returns the text from a little before a place on.
func around(s string, at int) string {
	from := max(0, at-40)
	for from > 0 && s[from]&0xC0 == 0x80 {
		from--
	}
	return s[from:]
}

// Excerpt returns the beginning of a text on one line, characters that nobody
// sees written out.
func Excerpt(s string) string {
	var b strings.Builder
	n := 0
	space := false
	for _, r := range s {
		if n >= excerpt {
			b.WriteString("…")
			break
		}
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case space:
			b.WriteByte(' ')
			space = false
			n++
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
		n++
	}
	return b.String()
}
