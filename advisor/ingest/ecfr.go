package ingest

import (
	"regexp"
	"strings"

	"polaris/advisor/ingest/form"
)

var (
	ecfrNode     = regexp.MustCompile(`^(\d{1,2}):`)
	ecfrCitation = regexp.MustCompile(`(\d{1,2}) CFR`)
)

// An ecfrReader turns the XML of the Electronic Code of Federal Regulations into
// blocks.
type ecfrReader struct {
	doc   *form.Document
	title string // of the code: "12"
	table int
}

// readECFR reads a part, or a title, as the eCFR gives it out. It returns how its
// sections are cited, where the file says.
func readECFR(root *element) (doc *form.Document, cites string) {
	r := &ecfrReader{doc: &form.Document{MediaType: "application/xml", Language: "en"}}
	r.doc.Found = form.Characters(root.words())
	r.walk(root)
	if r.title != "" {
		cites = r.title + " CFR"
	}
	return r.doc, cites
}

func (r *ecfrReader) walk(e *element) {
	if r.title == "" {
		if m := ecfrNode.FindStringSubmatch(e.attrs["NODE"]); m != nil {
			r.title = m[1]
		} else if m := ecfrCitation.FindStringSubmatch(e.attrs["hierarchy_metadata"]); m != nil {
			r.title = m[1]
		}
	}
	for _, k := range e.kids {
		switch name := strings.ToUpper(k.name); {
		case name == "HEADER" || name == "":
		case name == "HEAD":
			if t := k.words(); t != "" {
				r.doc.Blocks = append(r.doc.Blocks, form.Block{Kind: form.Heading, Level: level8(e.name), Text: t})
				if r.doc.Title == "" {
					r.doc.Title = r.partTitle(t)
				}
			}
		case name == "TABLE", name == "GPOTABLE":
			r.rows(k)
		case leafECFR[name]:
			for _, t := range runIn(k.words()) {
				r.doc.Blocks = append(r.doc.Blocks, form.Block{Text: t})
			}
		default:
			r.walk(k)
		}
	}
}

// leafECFR are the elements that are a paragraph each.
var leafECFR = map[string]bool{"P": true, "FP": true, "PSPACE": true, "CITA": true, "HED": true, "HD1": true, "HD2": true, "HD3": true, "LI": true, "SECAUTH": true, "PARAUTH": true, "XREF": true}

// level8 returns the depth of a DIV1 to DIV8; a DIV9 is an appendix, which stands
// beside subparts.
func level8(name string) int {
	switch {
	case strings.EqualFold(name, "DIV9"):
		return 6
	case len(name) == 4 && name[3] >= '1' && name[3] <= '8':
		return int(name[3] - '0')
	}
	return 9
}

var partHead = regexp.MustCompile(`(?i)^PART (\d+)\s*[—–-]\s*(.*?)(?: \(REGULATION ([A-Z]{1,2})\))?$`)

// partTitle makes a readable title of a part's: "Regulation B (12 CFR Part 1002):
// Equal Credit Opportunity Act".
func (r *ecfrReader) partTitle(head string) string {
	m := partHead.FindStringSubmatch(head)
	if m == nil || r.title == "" {
		return head
	}
	cfr := r.title + " CFR Part " + m[1]
	if m[3] != "" {
		return "Regulation " + m[3] + " (" + cfr + "): " + titleCase(m[2])
	}
	return cfr + ": " + titleCase(m[2])
}

var runInTitle = regexp.MustCompile(`^((?:\([0-9A-Za-z]{1,5}\) ?)+[^()]{1,200}?[—–]) ?(\((?:\d{1,2}|[ivx]{1,5}|[A-Z])\) .*)$`)

// runIn splits "(a) Title—(1) Text" into the paragraphs that it holds.
func runIn(t string) []string {
	var out []string
	for t != "" {
		m := runInTitle.FindStringSubmatch(t)
		if m == nil {
			return append(out, t)
		}
		out, t = append(out, m[1]), m[2]
	}
	return out
}

// rows reads a table.
func (r *ecfrReader) rows(e *element) {
	r.table++
	var header []string
	line := 0
	var walk func(*element)
	walk = func(e *element) {
		for _, k := range e.kids {
			name := strings.ToUpper(k.name)
			if name != "TR" && name != "ROW" {
				walk(k)
				continue
			}
			line++
			var cells []string
			heads := true
			for _, c := range k.kids {
				if n := strings.ToUpper(c.name); n == "TD" || n == "TH" || n == "ENT" {
					cells = append(cells, c.words())
					heads = heads && n == "TH"
				}
			}
			if heads && line == 1 {
				header = cells
				continue
			}
			b := form.Block{Kind: form.Row, Table: r.table, Line: line, Cells: cells}
			if len(header) == len(cells) {
				b.Header = header
			}
			r.doc.Blocks = append(r.doc.Blocks, b)
		}
	}
	walk(e)
}
