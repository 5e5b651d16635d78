// Package office reads the files of office programs: DOCX, DOC, ODT, RTF, XLSX
// and PPTX. Each entry takes the bytes of one file and returns what its own
// program would show, as blocks in reading order: numbers of automatic lists
// rendered, tables as rows that carry their header, notes after the paragraph
// that refers to them, changes as if they were accepted.
//
// What readers of the file do not see is no text: deleted passages, hidden runs,
// comments, hidden sheets. It is reported instead, because it may matter to the
// curator, and hidden text makes the source wait for one.
//
// Files come from outside. Names in a container are looked up and never become
// paths; declared sizes are never believed; depth, entries and unpacked bytes are
// bounded while reading. A damaged file is refused with a fault that says what is
// wrong and where: no reader returns half a document.
//
// The characters of form.Document.Found are counted without white space, as
// the tokens come by and apart from the blocks.
package office

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"polaris/models"

	"polaris/advisor/ingest/form"
	"polaris/advisor/ingest/suspect"
)

// The media types of the formats that the package reads.
const (
	MediaDOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	MediaXLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	MediaPPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	MediaODT  = "application/vnd.oasis.opendocument.text"
	MediaRTF  = "application/rtf"
	MediaDOC  = "application/msword"
)

const (
	maxFlags   = 50  // of a kind in one document; further ones say nothing new
	maxExcerpt = 160 // characters of a flag, or of what a comment is about
)

// tidy returns s as a block holds it: NFC, white space collapsed, none at the
// ends, no control characters.
func tidy(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == 0x7f || c == ' ' && (i == 0 || i == len(s)-1 || s[i+1] == ' ') {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	out := make([]byte, 0, len(s))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = true
		case unicode.IsControl(r), r == utf8.RuneError, r == '\u00ad': // a soft hyphen is shown only where a line breaks
		default:
			if space && len(out) > 0 {
				out = append(out, ' ')
			}
			space = false
			out = utf8.AppendRune(out, r)
		}
	}
	return string(norm.NFC.Bytes(out))
}

// count returns the characters of s that are not white space. A mark on a
// letter is none of its own, whether it is composed with it or not.
func count(s string) (n int) {
	for _, r := range s {
		if !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Mn, r) && r != utf8.RuneError && r != '\u00ad' {
			n++
		}
	}
	return n
}

// excerpt returns the beginning of s, for a flag or a comment.
func excerpt(s string) string {
	s = tidy(s)
	n := 0
	for i := range s {
		if n++; n > maxExcerpt {
			return s[:i] + "…"
		}
	}
	return s
}

// raised writes a number that stands above the line with the digits for that: the
// mark of a note must not become a part of the figure before it. Other letters
// stay as they are.
func raised(s string) string {
	if t := strings.TrimSpace(s); t == "" || len(t) > 4 || strings.Trim(t, "0123456789") != "" {
		return s
	}
	return superscripts.Replace(s)
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// hide reports text that is in the file and not shown.
func hide(d *form.Document, page int, text string) {
	if text = suspect.Excerpt(text); text == "" {
		return
	}
	n := 0
	for _, f := range d.Flags {
		if f.Kind == models.HiddenText {
			n++
		}
	}
	if n < maxFlags {
		d.Flags = append(d.Flags, models.Flag{Kind: models.HiddenText, Page: page, Text: text})
	}
}
