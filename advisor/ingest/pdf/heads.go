package pdf

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// The longest heading, in words and lines.
const (
	headingWords = 25
	headingLines = 4
)

// A type of setting: headings of one level look alike.
type style struct {
	size float64
	bold bool
	caps bool
}

// body is how the running text of a document is set.
type body struct {
	size   float64
	weight int
}

func bodyOf(sheets []*sheet) body {
	sizes, weights := map[float64]int{}, map[int]int{}
	for _, s := range sheets {
		for _, r := range s.runs {
			for _, w := range r.words {
				sizes[math.Round(w.size*2)/2] += w.chars
				weights[w.weight] += w.chars
			}
		}
	}
	return body{most(sizes), most(weights)}
}

var (
	numbered = regexp.MustCompile(`^(?:§+ ?[0-9]|(?i:article|section|chapter|part|appendix|annex|title|schedule|subpart) [0-9IVXA-Z]+\b)`)
	outlines = regexp.MustCompile(`^[0-9]{1,3}(?:\.[0-9]{1,3})*\.?\s+\p{Lu}`)
)

// style returns how p is set, and whether that makes it a heading.
func (b body) style(p *para) (style, bool) {
	words := len(strings.Fields(p.text))
	letters, upper, all := 0, 0, 0
	for _, c := range p.text {
		all++
		if unicode.IsLetter(c) {
			letters++
			if unicode.IsUpper(c) {
				upper++
			}
		}
	}
	s := style{size: math.Round(p.size*2) / 2, bold: bolder(p.weight, b.weight) && p.weight > b.weight, caps: letters >= 4 && upper*10 >= letters*9}
	if letters < 2 || letters*2 < all || words > headingWords || len(p.lines) > headingLines || p.note != "" {
		return s, false
	}
	stops := strings.HasSuffix(p.text, ",") || strings.HasSuffix(p.text, ";") || strings.HasSuffix(p.text, ".") && !numbered.MatchString(p.text) && !outlines.MatchString(p.text)
	switch {
	case p.size >= 1.15*b.size:
		return s, !stops || words <= 8
	case p.size < 0.93*b.size:
		return s, false
	case s.bold:
		return s, !stops && words <= 20 && bullet(p.label) == ""
	case s.caps:
		return s, !stops && words <= 12 && len(p.lines) <= 2 && p.label == ""
	}
	return s, numbered.MatchString(p.text) && !stops && words <= 12 && len(p.lines) == 1 && !p.full
}

// bullet returns a label that is no number.
func bullet(label string) string {
	if strings.ContainsFunc(label, func(c rune) bool { return unicode.IsDigit(c) || unicode.IsLetter(c) }) {
		return ""
	}
	return label
}

// levels ranks the styles of headings: the larger, the higher; of one size the
// bold above the rest.
func levels(styles map[style]bool) map[style]int {
	all := make([]style, 0, len(styles))
	for s := range styles {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b style) int {
		return cmp.Or(cmp.Compare(b.size, a.size), -truth(a.bold, b.bold), -truth(a.caps, b.caps))
	})
	out := map[style]int{}
	for i, s := range all {
		out[s] = min(i+1, 6)
	}
	return out
}

func truth(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// The most of an outline that is read: one can lead back to itself.
const (
	maxBookmarks     = 5000
	maxBookmarkDepth = 8
)

// outline returns the depth of each bookmark by its text, as plain compares it.
func (r *reading) outline() map[string]int {
	out := map[string]int{}
	n := 0
	var walk func(parent *references.FPDF_BOOKMARK, depth int)
	walk = func(parent *references.FPDF_BOOKMARK, depth int) {
		first, err := r.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: r.engine.doc, Bookmark: parent})
		if err != nil {
			return
		}
		for at := first.Bookmark; at != nil && depth <= maxBookmarkDepth; {
			if n++; n > maxBookmarks || r.ctx.Err() != nil {
				return
			}
			if t, err := r.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: *at}); err == nil && plain(t.Title) != "" {
				out[plain(t.Title)] = depth
			}
			walk(at, depth+1)
			next, err := r.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: r.engine.doc, Bookmark: *at})
			if err != nil {
				return
			}
			at = next.Bookmark
		}
	}
	walk(nil, 1)
	return out
}

// plain is a text's letters and digits: bookmarks and headings differ in
// spaces, numbering's dots and line ends.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, s)
}
