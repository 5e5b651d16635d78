package pdf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"polaris/advisor/ingest/form"
	"polaris/internal/testdata"
	"polaris/models/fault"
)

// legible measures a text: the share of its characters that a reader knows, and
// the mean length of its words.
func legible(s string) (sane, mean float64, foreign bool) {
	good, all, other, letters := 0, 0, 0, 0
	for _, c := range s {
		if unicode.IsSpace(c) {
			continue
		}
		all++
		if unicode.In(c, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) && c != unicode.ReplacementChar {
			good++
		}
		if unicode.IsLetter(c) {
			letters++
			if unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Arabic, unicode.Hebrew) {
				other++
			}
		}
	}
	words := strings.Fields(s)
	if all == 0 || len(words) == 0 {
		return 0, 0, false
	}
	return float64(good) / float64(all), float64(all) / float64(len(words)), other*2 > letters
}

func readable(s string) bool {
	sane, mean, foreign := legible(s)
	return sane >= 0.97 && (foreign || mean >= 2 && mean <= 10)
}

// The real files: those that hold text are readable, the others say why not.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testdata.Dir(t), "files")
	_, err := exec.LookPath("pdftotext")
	compared := err == nil
	for _, c := range []struct {
		n      string
		reason string // of a refusal
		warns  string
	}{
		{n: "01"},
		{n: "03"},
		{n: "04"},
		{n: "06", reason: "is protected by a password"},
		{n: "07", warns: "no text, only an image"},
		{n: "08", reason: "is empty"},
		{n: "10"},
		{n: "12"},
		{n: "14"},
		{n: "15"},
		{n: "17", reason: "is protected by a password"},
		{n: "19"},
		{n: "21"},
		{n: "23"},
		{n: "24"},
		{n: "26"},
		{n: "28"},
		{n: "30"},
		{n: "31", warns: "no text, only an image"},
		{n: "33", warns: "no text, only an image"},
	} {
		name := fileOf(t, dir, c.n)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		theirs := ""
		if compared && c.reason == "" {
			sane, mean, _ := legible(poppler(t, name))
			theirs = fmt.Sprintf("pdftotext: %.1f %%, %.1f", 100*sane, mean)
		}
		d, err := Read(data, form.Limits{}, options(t))
		if err != nil {
			t.Logf("%-46s refused: %v", filepath.Base(name), fault.Of(err).Message)
			if c.reason == "" || !fault.Is(err, fault.Unreadable) || !strings.Contains(fault.Of(err).Message, c.reason) {
				t.Errorf("%s: %v, want %q", c.n, err, c.reason)
			}
			continue
		}
		got := text(d)
		sane, mean, _ := legible(got)
		kinds := map[form.Kind]int{}
		for _, b := range d.Blocks {
			kinds[b.Kind]++
		}
		t.Logf("%-46s %2d p. %6d/%6d chars, %.1f %% sane, %.1f a word; %d headings, %d items, %d rows, %d notes; %s; %.90q", filepath.Base(name),
			d.Pages, kept(d), d.Found, 100*sane, mean, kinds[form.Heading], kinds[form.Item], kinds[form.Row], kinds[form.Note], theirs, strings.Join(d.Warnings, " "))
		switch {
		case c.reason != "":
			t.Errorf("%s was read, want it refused: %s", c.n, c.reason)
		case c.warns != "":
			if !strings.Contains(strings.Join(d.Warnings, "\n"), c.warns) {
				t.Errorf("%s: warnings %q, want %q", c.n, d.Warnings, c.warns)
			}
		case !readable(got):
			t.Errorf("%s is not readable: %.1f %% sane, %.1f a word; %s", c.n, 100*sane, mean, theirs)
		}
		if len(d.Flags) > 0 {
			t.Errorf("%s waits for a curator: %+v", c.n, d.Flags)
		}
		if float64(kept(d)) < 0.97*float64(d.Found) && len(d.Margins) == 0 {
			t.Errorf("%s: %d of %d characters kept", c.n, kept(d), d.Found)
		}
	}
}

// The scans, where Tesseract is installed.
func TestRealScans(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testdata.Dir(t), "files")
	if _, err := exec.LookPath("tesseract"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("tesseract is not installed")
		}
		t.Skip("tesseract is not installed: scans cannot be read here")
	}
	for n, want := range map[string]string{"31": "LOREM IPSUM", "33": "PATIENT INFORMATION"} {
		data, err := os.ReadFile(fileOf(t, dir, n))
		if err != nil {
			t.Fatal(err)
		}
		o := options(t)
		o.Tesseract = ""
		d, err := Read(data, form.Limits{}, o)
		if err != nil {
			t.Fatal(n, err)
		}
		if got := text(d); !readable(got) || !strings.Contains(strings.ToUpper(got), want) {
			t.Errorf("%s: got %.300q, want %q in it", n, got, want)
		}
		if w := strings.Join(d.Warnings, "\n"); !strings.Contains(w, "read by OCR") {
			t.Errorf("%s: warnings %q", n, w)
		}
	}
}
