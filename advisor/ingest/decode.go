package ingest

import (
	"strings"

	"polaris/advisor/ingest/charset"
	"polaris/models/fault"
)

// decode returns the document as UTF-8 with \n for every line ending. Where its
// encoding was not UTF-8 it says so in a warning; where that cannot be told, it
// refuses.
func decode(data []byte, declared string) (text string, warnings []string, err error) {
	t, err := charset.Decode(data, declared)
	if err != nil {
		return "", nil, err
	}
	if t.Name != "UTF-8" {
		w := "The document was not UTF-8; it was read as " + t.Name + "."
		if t.Guessed {
			w += " Check its accents and quotation marks."
		}
		warnings = append(warnings, w)
	}
	return checked(t.UTF8, warnings)
}

// checked refuses text that is full of control characters, and unifies its line
// endings.
func checked(text string, warnings []string) (string, []string, error) {
	controls := 0
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' {
			controls++
		}
	}
	if controls*1000 > len(text) {
		return "", nil, fault.New(fault.Unsupported, "This is not text: it is full of control characters, and it is no format that is read. Save what it holds as PDF, DOCX, HTML or text.")
	}
	if strings.IndexByte(text, '\r') >= 0 {
		text = lineEndings.Replace(text)
	}
	return strings.TrimLeft(text, "\ufeff"), warnings, nil // some editors write the mark twice
}

var lineEndings = strings.NewReplacer("\r\n", "\n", "\r", "\n")
