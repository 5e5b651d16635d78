package ingest

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"polaris/advisor/cite"
	"polaris/internal/testdata"
	"polaris/models/fault"
)

// TestKeysOfTheFile holds that records which bring their own keys keep them.
func TestKeysOfTheFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"reg-b-12cfr1002.jsonl": 600, "reg-z-12cfr1026-partial.jsonl": 3000} {
		data := load(t, name)
		d := parse(t, data, Options{Name: name, Code: "RB"})
		own := 0
		for _, p := range d.Passages {
			if r, err := cite.Parse(p.Key); err == nil && r.System == cite.CFR && r.Block == 0 {
				own++
			}
		}
		t.Logf("%s: %d of %d passages have keys of the file", name, own, len(d.Passages))
		if own < want {
			t.Errorf("%s: %d passages have keys of the file, want %d", name, own, want)
		}
	}
	d := parse(t, load(t, "reg-b-12cfr1002.jsonl"), Options{Code: "RB"})
	p := byKey(d)["12 CFR 1002.9(a)(1)(i)"]
	if !strings.HasPrefix(d.Text[p.Start:p.End], "(i) ") || p.Parent < 0 || d.Passages[p.Parent].Key != "12 CFR 1002.9(a)(1)" || len(p.Heading) == 0 {
		t.Errorf("%+v: %q", p, d.Text[p.Start:min(p.End, p.Start+80)])
	}
}

// TestSniff holds that formats are told apart by what they hold.
func TestSniff(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"<!DOCTYPE html><p>x":      "text/html",
		"  <HTML><body>x":          "text/html",
		"<p>One.</p>\n<p>Two.</p>": "text/html",
		"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body><p>x</p></body></html>": "text/html",
		"<!-- x --><html><body>x</body></html>":                                                        "text/html",
		uslm:                                                                                           "application/xml",
		ecfr:                                                                                           "application/xml",
		"<div align=center>\n\n# Title\n\n</div>\n\nx":  "text/markdown",
		"{\"a\":1}\n{\"a\":2}\n":                        "application/json",
		"[link]: http://x\n\nText.":                     "text/plain",
		"a,b,c\n1,2,3\n4,5,6\n":                         "text/csv",
		"a\tb\n1\t2\n":                                  "text/tab-separated-values",
		"From: a@x.org\nTo: b@x.org\nSubject: s\n\nHi.": "message/rfc822",
		"Note: one\nAlso: two\nEnd: three\n\nText.":     "text/plain",
		"From: the desk of\n\nText.":                    "text/plain",
		"# T\n\na, b, c\nd, e, f\ng, h, i\n":            "text/markdown",
	} {
		d, err := Parse([]byte(in), Options{Code: "X"})
		if err != nil || d.MediaType != want {
			t.Errorf("%q: %v, %v; want %s", in, d, err, want)
		}
	}
	for in, code := range map[string]string{"%PDF-": "", "\x1f\x8b": "", "7z\xbc\xaf\x27\x1c": "", "PK\x03\x04": Archive, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ""} {
		if in == "%PDF-" {
			continue // its engine takes long to start
		}
		d, err := Parse([]byte(in), Options{Code: "X"})
		if d != nil || fault.Of(err).Kind == fault.Internal || code != "" && fault.Of(err).Code != code {
			t.Errorf("%q: %v, %v", in, d, err)
		}
	}
}

// TestEveryFormatIsReadTheSameWay holds that the same bytes give the same
// document, whatever they are.
func TestEveryFormatIsReadTheSameWay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"14-dmca.pdf", "36-docx-tables.docx", "46-eng_spa_mult.rtf", "48-wiki_duck.html", "52-html_rich_table_cells.html", "55-eng_spa_mult.epub", "57-fake-text-utf-16-le.txt"} {
		data, err := os.ReadFile(filepath.Join(testdata.Dir(t), "files", name))
		if err != nil {
			t.Fatal(err)
		}
		var docs [2]*Document
		for i := range docs {
			if docs[i], err = Parse(data, Options{Name: name, Cache: pdfCache()}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			docs[i].Report.Stages = nil // how long it took
		}
		if !reflect.DeepEqual(docs[0], docs[1]) {
			t.Errorf("%s differs", name)
		}
	}
}
