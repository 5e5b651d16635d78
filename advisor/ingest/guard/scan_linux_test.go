package guard

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"polaris/advisor/ingest"
	"polaris/internal/testdata"
)

// The languages of scans reach the program that reads them, which is asked what
// it has from where it is shut away.
func TestScansInLanguages(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tesseract"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("tesseract is not installed")
		}
		t.Skip("tesseract is not installed: scans cannot be read here")
	}
	scans, err := filepath.Glob(filepath.Join(testdata.Dir(t), "files", "31-*"))
	if err != nil || len(scans) != 1 {
		t.Fatalf("%v, %v", scans, err)
	}
	data, err := os.ReadFile(scans[0])
	if err != nil {
		t.Fatal(err)
	}
	e := &Extractor{Languages: "eng+xyz", Cache: t.TempDir()}
	if p, err := e.Protection(t.Context()); err != nil || !p.Outside {
		t.Skipf("outside programs are off here: %s, %v", p, err)
	}
	d, err := e.Parse(t.Context(), data, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w := strings.Join(d.Warnings, "\n"); !strings.Contains(w, "read by OCR") || !strings.Contains(w, "of xyz no language pack") {
		t.Errorf("%q", d.Warnings)
	}
}
