// Package ingest turns the bytes of a document into its text and the passages
// of it that can be cited.
//
// It looks at the content, never at the file's extension, and has one reader for
// each format: packages pdf, office, markup and tabular, and here Markdown, plain
// text and the XML of laws. What a reader hands over (package form) becomes text,
// passages and keys in one place, the builder, the same way for each format. What
// cannot be read is refused with a fault that says why; there is never half a
// document. What holds documents and is none is refused with the code [Archive].
//
// The text of Markdown and plain text is the file's own: as UTF-8, without a
// byte order mark, every line ending written as \n, and nothing else changed.
// The text of the others is assembled in reading order, each number before its
// paragraph, each row with the name of its column before each cell, white space
// collapsed. Passages are spans of the text, in
// order, each inside the one above it, and each has a key of package cite that
// no other passage has. Where a document has numbers, they are its keys; where it
// has only headings, these are; where it has only pages, those.
//
// The same bytes and options always give the same Document, but for the times in
// its Report.
package ingest

import (
	"fmt"
	"path"
	"strings"
	"time"

	"polaris/advisor/cite"
	"polaris/advisor/ingest/form"
	"polaris/advisor/ingest/markup"
	"polaris/advisor/ingest/suspect"
	"polaris/advisor/ingest/tabular"
	"polaris/models"
	"polaris/models/fault"
)

// The limits on what is read.
const (
	MaxBytes    = 64 << 20 // of a document
	MaxPassages = 400_000  // in a document
	MaxPassage  = 16 << 10 // bytes of one passage of unstructured text; what is longer is split between words
	MaxDepth    = 100      // of nested XML elements
	maxWarnings = 20       // told apart; further ones are counted
)

// Options are what the document does not say itself, or says wrongly.
type Options struct {
	Name  string // of the file: "fcra-15usc1681.md"
	Title string // instead of the document's own
	Code  string // of the source; empty: proposed from the title
	Cites string // how a statute's sections are cited, where neither name nor text say: "15 U.S.C."

	Charset   string // of the text, as an HTTP header or a mail says it
	Languages string // of scans, as Tesseract names them: "eng+deu"; "": English

	Limits form.Limits // of what is read; a zero is the default
	Cache  string      // folder that holds the compiled PDF engine; "": it is compiled anew
	Inside bool        // no other program (tesseract, antiword) is started, installed or not
}

// A Document is what was read.
type Document struct {
	MediaType string
	Title     string
	Code      string // as given, or proposed
	Language  string // BCP 47; "und" where it is not clear
	Text      string
	Pages     int // 0 where the format has none
	Passages  []models.Passage
	Terms     []models.Term // that the document defines
	Warnings  []string      // what a curator should look at
	Flags     []models.Flag // what makes it wait for one

	Refs []models.Reference // what its passages cite, here and elsewhere

	Margins  []string       // headers and footers that repeat from page to page: not in the text
	Comments []form.Comment // of reviewers: not in the text
	Report   Report
}

// A Report says how a document was read. Its times are all of a Document that
// differs between two readings of the same bytes.
type Report struct {
	Stages []Stage `json:"stages"`
	Found  int     `json:"found"` // characters in the file that are not white space; 0: not counted
	Kept   int     `json:"kept"`  // characters in the text that are not white space, but for headers repeated with each row
}

// A Stage is a step of reading and how long it took.
type Stage struct {
	Name   string `json:"name"`
	Micros int64  `json:"micros"`
}

// Parse reads a document. Its errors are faults: Invalid, TooLarge or
// Unsupported.
func Parse(data []byte, o Options) (*Document, error) {
	if len(data) > MaxBytes {
		return nil, fault.New(fault.TooLarge, "The document has more than %d MiB. Split it and import the parts.", MaxBytes>>20)
	}
	if o.Code != "" && !cite.ValidCode(o.Code) {
		return nil, fault.Field("code", "A code is an upper-case letter, then up to 11 upper-case letters, digits and hyphens, and no word that begins other citations.")
	}
	o.Limits = o.Limits.OrDefaults()
	clock := time.Now()
	var stages []Stage
	stage := func(name string) {
		stages = append(stages, Stage{name, time.Since(clock).Microseconds()})
		clock = time.Now()
	}
	d, err := read(data, o, stage)
	if err != nil {
		return nil, err
	}
	d.Flags = append(d.Flags, suspect.Text(d.Text)...)
	stage("screen")
	var cut bool
	if d.Refs, cut = d.refs(); cut {
		d.Warnings = append(d.Warnings, fmt.Sprintf("It cites more than can be kept: the first %d cross-references are.", len(d.Refs)))
	}
	stage("references")
	d.Report.Stages = stages
	if n := len(d.Warnings); n > maxWarnings {
		d.Warnings = append(d.Warnings[:maxWarnings:maxWarnings], plural(n-maxWarnings, "further warning"))
	}
	return d, nil
}

// read tells the format of a document and reads it. It names each stage as it
// ends.
func read(data []byte, o Options, stage func(string)) (*Document, error) {
	f, err := binary(data)
	if err != nil {
		return nil, err
	}
	if f != textFormat {
		doc, err := readBinary(f, data, o)
		if err != nil {
			return nil, err
		}
		stage("read")
		d, err := build(doc, o)
		stage("structure")
		return d, err
	}
	text, warnings, err := decode(data, o.Charset)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, fault.New(fault.Unreadable, "The document is empty.")
	}
	stage("decode")
	d, err := readText(text, data, o, stage)
	if err != nil {
		return nil, err
	}
	stage("structure")
	d.Warnings = append(warnings, d.Warnings...)
	if d.Report.Found == 0 {
		d.Report.Found = form.Characters(text)
	}
	if d.Report.Kept == 0 {
		d.Report.Kept = form.Characters(d.Text)
	}
	if d.Language == "" {
		d.Language = language(d.Text)
	}
	return d, nil
}

// readText reads a format that is text.
func readText(text string, data []byte, o Options, stage func(string)) (*Document, error) {
	var doc *form.Document
	var err error
	switch sniff(text) {
	case xmlFormat:
		return parseXML(text, o)
	case htmlFormat:
		doc, err = markup.HTML(text, o.Limits)
	case mailFormat:
		doc, err = markup.EML(data, o.Limits)
	case jsonFormat:
		doc, err = tabular.JSON(text, o.Limits)
	default:
		if d := tabular.Delimiter(text); d != 0 && !marked.MatchString(text) {
			doc, err = tabular.CSV(text, d, o.Limits)
			break
		}
		return parseText(text, o)
	}
	if err != nil {
		return nil, err
	}
	stage("read")
	return build(doc, o)
}

// stem returns a file's name without folders and extension.
func stem(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if base == "." || base == "/" {
		return ""
	}
	return strings.TrimSuffix(base, path.Ext(base))
}
