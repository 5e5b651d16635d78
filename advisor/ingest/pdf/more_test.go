package pdf

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/advisor/ingest/form"
)

// cmap is a font whose codes stand for the given texts, from "a" on: how a PDF
// writes what Helvetica has no name for.
func cmap(texts ...string) []string {
	var b strings.Builder
	b.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <00> <FF> endcodespacerange\n")
	fmt.Fprintf(&b, "%d beginbfchar\n", len(texts))
	for i, t := range texts {
		fmt.Fprintf(&b, "<%02X> <", 'a'+i)
		for _, c := range t {
			fmt.Fprintf(&b, "%04X", c)
		}
		b.WriteString(">\n")
	}
	b.WriteString("endbfchar endcmap end end")
	return []string{
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 8 0 R >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", b.Len(), b.String()),
	}
}

func TestLigaturesAreLettersAndRaisedDigitsAreNot(t *testing.T) {
	t.Parallel()
	f := file{pages: []string{putIn("F3", 60, 700, 11, "abcd")}, extra: cmap("ﬁ", "ﬄ", "²", "½")}
	if got := text(read(t, f.bytes())); got != "fiffl²½\n" {
		t.Errorf("got %q", got)
	}
}

func TestRightToLeft(t *testing.T) {
	t.Parallel()
	// שלום עולם, drawn from left to right as it is seen: the last letter first.
	f := file{pages: []string{putIn("F3", 60, 700, 11, "abcd eafg")}, extra: cmap("ם", "ל", "ו", "ע", "ו", "ל", "ש")}
	f.pages = []string{putIn("F3", 60, 700, 11, "abcd aefg")}
	f.extra = cmap("ם", "ל", "ו", "ע", "ו", "ל", "ש")
	if got := text(read(t, f.bytes())); got != "שלום עולם\n" {
		t.Errorf("got %q", got)
	}
}

func TestFormFields(t *testing.T) {
	t.Parallel()
	f := file{
		pages: []string{put(60, 700, 11, "Application for a loan")},
		page:  "/Annots [7 0 R 8 0 R]",
		root:  "/AcroForm << /Fields [7 0 R 8 0 R] /DA (/Helv 0 Tf 0 g) >>",
		extra: []string{
			"<< /Type /Annot /Subtype /Widget /FT /Tx /T (sum) /TU (Sum applied for) /V (12,000 dollars) /Rect [60 600 300 620] >>",
			"<< /Type /Annot /Subtype /Widget /FT /Tx /T (empty) /Rect [60 560 300 580] >>",
		},
	}
	if got := text(read(t, f.bytes())); got != "Application for a loan\nSum applied for: 12,000 dollars\n" {
		t.Errorf("got %q", got)
	}
}

func TestBookmarksSayWhatIsAHeading(t *testing.T) {
	t.Parallel()
	f := file{
		pages: []string{put(60, 700, 11, "Chapter of fees") + put(60, 670, 11, "A fee is charged for each wire that a consumer sends, and for none that is received.")},
		root:  "/Outlines 7 0 R /Lang (de-CH)",
		info:  "/Title (Fees and charges)",
		extra: []string{
			"<< /Type /Outlines /First 8 0 R /Last 8 0 R /Count 1 >>",
			"<< /Title (Book) /Parent 7 0 R /First 9 0 R /Last 9 0 R /Count 1 /Next 8 0 R >>", // its next is itself
			"<< /Title (Chapter of Fees) /Parent 8 0 R >>",
		},
	}
	d := read(t, f.bytes())
	if b := d.Blocks[0]; b.Kind != form.Heading || b.Level != 2 || b.Text != "Chapter of fees" {
		t.Errorf("got %+v", b)
	}
	if d.Title != "Fees and charges" || d.Language != "de-CH" {
		t.Errorf("title %q, language %q", d.Title, d.Language)
	}
}

// All characters of a page are in the blocks, or are named as margins or flags.
func TestNothingDisappears(t *testing.T) {
	t.Parallel()
	words := []string{"loan", "rate", "policy", "board", "consumer", "fee", "term", "notice", "record", "branch"}
	for seed := range 6 {
		var pages []string
		n := seed
		next := func() string { n = (n*7 + 3) % 101; return words[n%len(words)] }
		for page := range 3 {
			var b strings.Builder
			for i := range 30 {
				x, size := 60.0, 10.0
				if seed%2 == 1 && i%2 == 1 {
					x = 320
				}
				if i%9 == seed {
					size = 14
				}
				line := []string{[]string{"alpha", "beta", "gamma"}[page]} // else lines repeat from page to page
				for range 3 + (n+i)%5 {
					line = append(line, next())
				}
				b.WriteString(put(x, 740-22*float64(i), size, strings.Join(line, " ")+"."))
			}
			if seed == 4 && page == 2 {
				b.WriteString(ruled(100, []string{"Fee", "Consumer", "Business"}, []string{"Wire", "$25", "$40"}))
			}
			pages = append(pages, b.String())
		}
		d := read(t, file{pages: pages}.bytes())
		if kept := kept(d); d.Found == 0 || float64(kept) < 0.99*float64(d.Found) {
			t.Errorf("seed %d: %d of %d characters kept", seed, kept, d.Found)
		}
	}
}

// kept counts the characters of a document but for spaces.
func kept(d *form.Document) int {
	all := text(d) + strings.Join(d.Margins, "")
	for _, f := range d.Flags {
		all += f.Text
	}
	tables := map[int]bool{}
	for _, b := range d.Blocks {
		if b.Kind == form.Row && !tables[b.Table] {
			tables[b.Table] = true
			all += strings.Join(b.Header, "") + b.Title
		}
	}
	return len([]rune(strings.Join(strings.Fields(all), "")))
}

// fakeTesseract is a program that answers as Tesseract does.
func fakeTesseract(t *testing.T, script string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tesseract")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	return name
}

func TestScansAreReadByTheProgram(t *testing.T) {
	t.Parallel()
	scan := file{pages: []string{"q 612 0 0 792 0 0 cm /I1 Do Q\n"}}.bytes()
	for _, c := range []struct {
		name, script string
		blocks       []string
		warning      string
	}{
		{"text", `[ "$(head -c 2)" = P5 ] && cat >/dev/null; echo "$*" | grep -q -- "stdin stdout -l eng+deu" && printf 'The first\nparagraph.\n\nThe second.\n\f'`, []string{"The first paragraph.", "The second."}, "p. 1: read by OCR."},
		{"nothing", "cat >/dev/null", nil, "p. 1: no text, only an image in which no text was found."},
		{"failure", "cat >/dev/null; exit 3", nil, "p. 1: no text, only an image; the program that reads scans failed (exit status 3)."},
		{"endless", "exec sleep 60", nil, "p. 1: no text, only an image; the program that reads scans failed (it took longer than 2s)."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			o.Tesseract, o.Languages, o.PageTime = fakeTesseract(t, c.script), "eng+deu", 2*time.Second
			if c.name != "endless" {
				o.PageTime = 0
			}
			d, err := Read(scan, form.Limits{}, o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range d.Blocks {
				got = append(got, b.Text)
			}
			if !slices.Equal(got, c.blocks) || !slices.Equal(d.Warnings, []string{c.warning}) {
				t.Errorf("blocks %q, warnings %q", got, d.Warnings)
			}
		})
	}
}

// A language without a pack is told, and the others are read.
func TestLanguagePacks(t *testing.T) {
	t.Parallel()
	scan := file{pages: []string{"q 612 0 0 792 0 0 cm /I1 Do Q\n"}}.bytes()
	for wanted, want := range map[string][]string{
		"eng+deu":     {"p. 1: read by OCR.", "eng+deu"},
		"fra+eng+lit": {"Scans were read as eng: of fra, lit no language pack is installed (tesseract-ocr-fra; POLARIS_OCR_LANGUAGES).", "p. 1: read by OCR.", "eng"},
		"chi_sim":     {"Scans were read as eng: of chi_sim no language pack is installed (tesseract-ocr-chi-sim; POLARIS_OCR_LANGUAGES).", "p. 1: read by OCR.", "eng"},
	} {
		o := options(t)
		o.Languages = wanted
		o.Tesseract = fakeTesseract(t, `if [ "$1" = --list-langs ]; then printf 'List of available languages in "/x" (3):\ndeu\neng\nosd\n'; exit; fi; cat >/dev/null; echo "$4"`)
		d, err := Read(scan, form.Limits{}, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := append(slices.Clone(d.Warnings), d.Blocks[0].Text); !slices.Equal(got, want) {
			t.Errorf("%s: %q", wanted, got)
		}
	}
}
