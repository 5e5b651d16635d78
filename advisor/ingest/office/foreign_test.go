package office

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"polaris/advisor/ingest/form"
)

// TestForeign reads what LibreOffice made of testdata/house.fodt, by
//
//	soffice --headless --convert-to odt|docx|rtf house.fodt
//
// each format is read to the same blocks.
func TestForeign(t *testing.T) {
	t.Parallel()
	const want = "H1 [1.] Scope\nP The rules bind all tenants, and the fee is $25² a month.\nN [1] Guests as well.\nH1 [2.] Fees\nH2 [2.1] Late fees\nI1 [(a)] Ten dollars after a week.\nI2 [(i)] Sundays count.\nI2 [(ii)] Holidays do not.\nI1 [(b)] Twenty after two.\nP Between the two lists.\nI1 [(c)] Thirty after three.\nH2 [2.2] Table of fees\nR t1.2 | Kind=Late | Amount=first | Amount=10\nR t1.3 | Kind=Late | Amount=second | Amount=20\nP Seen.\nP A comment stands here.\nP Beside a box.\nP In the box.\n"
	for name, read := range map[string]func([]byte, form.Limits) (*form.Document, error){"house.odt": ODT, "house.docx": DOCX, "house.rtf": RTF} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		must(t, err)
		d, err := read(data, form.Defaults)
		must(t, err)
		t.Run(name, func(t *testing.T) { same(t, d, want) })
		if len(d.Flags) != 1 || d.Flags[0].Text != "Nobody sees these words at all here." || len(d.Comments) != 1 || d.Comments[0].Text != "Why so?" || !slices.Contains(d.Margins, "House rules, confidential") {
			t.Errorf("%s: %+v, %+v, %q", name, d.Flags, d.Comments, d.Margins)
		}
	}
}
