package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"polaris/internal/testdata"
	"polaris/models"
	"polaris/models/fault"
)

// without are the files that hold no text that could be read, and what is said
// of them.
var without = map[string]string{
	"06-password-example.pdf": "password",
	"08-empty.pdf":            "no bytes",
	"17-aes-256.pdf":          "password",
}

// pdfCache is where the engine that reads PDF is kept between tests.
func pdfCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "polaris-test-pdf")
}

// TestRealFiles reads files as they are met. Of those that hold text at least
// nine in ten must be readable, and the others say why they are not.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads scans, which takes a minute")
	}
	files, err := filepath.Glob(filepath.Join(testdata.Dir(t), "files", "[0-9]*"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	readable, holding := 0, 0
	for _, path := range files {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Parse(data, Options{Name: name, Cache: pdfCache()})
		if says := without[name]; says != "" {
			if d != nil || fault.Of(err).Kind == fault.Internal || !strings.Contains(fault.Of(err).Message, says) {
				t.Errorf("%s: %v, want a fault that says %q", name, err, says)
			}
			t.Logf("%-50s %v", name, fault.Of(err).Message)
			continue
		}
		if scan := holdsScan(err, d); scan != "" {
			t.Logf("%-50s a scan: %s", name, scan)
			continue
		}
		holding++
		if err != nil {
			t.Logf("%-50s NOT READ: %v", name, err)
			continue
		}
		holds(t, d)
		sane, mean := quality(d.Text)
		ok := sane >= 0.97 && mean >= 2 && mean <= 10
		if ok {
			readable++
		}
		t.Logf("%-50s %-5v %6d characters, %5.1f %% sane, words of %4.1f, %4d passages, kept %d of %d", name, ok, len(d.Text), 100*sane, mean, len(d.Passages), d.Report.Kept, d.Report.Found)
		for _, f := range d.Flags {
			if f.Kind != models.HiddenText { // what printers leave outside the page is hidden
				t.Errorf("%s is flagged: %+v", name, f)
			}
		}
	}
	t.Logf("%d of %d files that hold text are readable", readable, holding)
	if readable*10 < holding*9 {
		t.Errorf("only %d of %d", readable, holding)
	}
}

// holdsScan returns why a document of pictures gave no text, where no program
// that reads them is installed.
func holdsScan(err error, d *Document) string {
	if err != nil && strings.Contains(fault.Of(err).Message, "image") {
		return fault.Of(err).Message
	}
	if d != nil && len(d.Warnings) > 0 && strings.Contains(d.Warnings[0], "only an image") {
		return d.Warnings[0]
	}
	return ""
}

// quality returns which part of a text's characters are ones that people write,
// and how long its words are. Words of scripts without spaces do not count.
func quality(text string) (sane, mean float64) {
	n, good, words, letters := 0, 0, 0, 0
	for _, r := range text {
		if n++; unicode.IsSpace(r) || unicode.IsPrint(r) && r != unicode.ReplacementChar && !unicode.Is(unicode.Co, r) {
			good++
		}
	}
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }) {
		if strings.IndexFunc(w, func(r rune) bool {
			return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
		}) < 0 {
			words++
			letters += len([]rune(w))
		}
	}
	if n == 0 || words == 0 {
		return 0, 0
	}
	return float64(good) / float64(n), float64(letters) / float64(words)
}

// TestInnocentDocuments holds that nothing in the laws and the demonstration is
// taken for an order to a machine.
func TestInnocentDocuments(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{filepath.Join(testdata.Dir(t), "regs", "*"), "../../cmd/bb/demo/*/*.md", "../../cmd/bb/demo/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 6 {
		t.Fatalf("only %q", files)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Parse(data, Options{Name: filepath.Base(path), Code: "X"})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		holds(t, d)
		if len(d.Flags) > 0 {
			t.Errorf("%s: %+v", path, d.Flags)
		}
	}
}
