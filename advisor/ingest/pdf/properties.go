package pdf

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/requests"
	"golang.org/x/text/language"
)

// noTitle is what programs write where they know no title.
var noTitle = regexp.MustCompile(`(?i)^(?:untitled|microsoft (?:word|powerpoint|excel) - .*|powerpoint presentation|presentation\d*|title|document\d*|.*\.(?:docx?|pdf|indd|tex|dvi|qxd|xlsx?|pptx?|sgm|rtf|txt|html?|fm|p65)|[\w-]*\d[\w-]*|[[:punct:]\s]*)$`)

// maxTitle is the longest title, in characters.
const maxTitle = 200

// properties sets the document's title and language.
func (r *reading) properties(flow []part, b body) {
	if l, err := r.FPDFCatalog_GetLanguage(&requests.FPDFCatalog_GetLanguage{Document: r.engine.doc}); err == nil {
		if tag, err := language.Parse(l.Language); err == nil && l.Language != "" {
			r.doc.Language = tag.String()
		}
	}
	if m, err := r.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: r.engine.doc, Tag: "Title"}); err == nil {
		if t := clean(m.Value); t != "" && !noTitle.MatchString(t) && utf8.RuneCountInString(t) <= maxTitle {
			r.doc.Title = t
			return
		}
	}
	best := 1.1 * b.size
	for _, p := range flow {
		if p.page > r.pages[0].number {
			break
		}
		if x := p.para; x != nil && x.size > best && len(x.lines) <= headingLines && utf8.RuneCountInString(x.text) <= maxTitle && utf8.RuneCountInString(x.text) > 3 {
			best, r.doc.Title = x.size, x.text
		}
	}
}

// clean collapses white space and drops what is no text.
func clean(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == utf8.RuneError || c == 0xFEFF {
			return ' '
		}
		return c
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
