package pdf

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// A file that is damaged gives an error or a document, and leaves nothing that
// the next reading stumbles over.
func FuzzPDF(f *testing.F) {
	f.Add(file{pages: []string{put(60, 700, 11, "A page."), ruled(600, []string{"Fee", "Consumer", "Business"}, []string{"Wire", "$25", "$40"})}}.bytes())
	f.Add(file{pages: []string{"q 612 0 0 792 0 0 cm /I1 Do Q\n3 Tr\n" + put(60, 700, 11, "Under a scan.")}}.bytes())
	f.Add(file{pages: []string{putIn("F3", 60, 700, 11, "abc")}, extra: cmap("ﬁ", "ם", "²")}.bytes())
	whole := file{pages: []string{put(60, 700, 11, "A good file.")}}.bytes()
	compiled := filepath.Join(os.TempDir(), "polaris-fuzz-pdf") // kept: each worker would compile it anew, slowed down by what it counts
	if err := warm(compiled); err != nil {                      // one input may take ten seconds, and compiling may take more
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d, err := Read(data, form.Limits{Pages: 50}, Options{Context: ctx, Cache: compiled, Tesseract: "-"})
		switch {
		case err == nil && d == nil:
			t.Fatal("neither a document nor an error")
		case err != nil && fault.Of(err).Kind == fault.Internal:
			t.Fatalf("not a fault: %v", err)
		case err == nil:
			for _, b := range d.Blocks {
				if b.Page < 1 || b.Page > d.Pages || b.Kind == form.Row && len(b.Header) > 0 && len(b.Header) != len(b.Cells) {
					t.Fatalf("block %+v of %d pages", b, d.Pages)
				}
			}
		}
		if err == nil {
			return
		}
		if d, err := Read(whole, form.Limits{}, Options{Context: ctx, Cache: compiled, Tesseract: "-"}); err != nil || text(d) != "A good file.\n" {
			t.Fatalf("after it a good file gives %v", err)
		}
	})
}
