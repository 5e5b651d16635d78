package pdf

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"polaris/advisor/ingest/form"
	"polaris/internal/testdata"
)

var grams = regexp.MustCompile(`[\p{L}\p{N}]+`)

// fiveGrams counts the runs of five words in a text.
func fiveGrams(s string) map[string]int {
	s = strings.ToLower(norm.NFKC.String(s))
	ws := grams.FindAllString(s, -1)
	out := map[string]int{}
	for i := 0; i+5 <= len(ws); i++ {
		out[strings.Join(ws[i:i+5], " ")]++
	}
	return out
}

func f1(a, b map[string]int) float64 {
	var same, na, nb int
	for k, n := range a {
		na += n
		same += min(n, b[k])
	}
	for _, n := range b {
		nb += n
	}
	if na+nb == 0 {
		return 0
	}
	return 2 * float64(same) / float64(na+nb)
}

var lineHyphen = regexp.MustCompile(`(\p{L})[-\x{00ad}\x{2010}]\n[ \f]*(\p{Ll})`)

// poppler returns what pdftotext reads, its hyphens at line ends joined as ours
// are.
func poppler(tb testing.TB, name string) string {
	tb.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(context.Background(), "pdftotext", "-enc", "UTF-8", name, "-")
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return ""
	}
	return lineHyphen.ReplaceAllString(out.String(), "$1$2")
}

func TestProseAgreesWithPoppler(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testdata.Dir(t), "files")
	if _, err := exec.LookPath("pdftotext"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("pdftotext (poppler-utils) is not installed")
		}
		t.Skip("pdftotext (poppler-utils) is not installed: there is nothing to compare with")
	}
	sum := 0.0
	prose := []string{"01", "12", "14", "19", "28"}
	for _, n := range prose {
		name := fileOf(t, dir, n)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Read(data, form.Limits{}, options(t))
		if err != nil {
			t.Fatal(n, err)
		}
		score := f1(fiveGrams(text(d)+strings.Join(d.Margins, "\n")), fiveGrams(poppler(t, name)))
		t.Logf("%s F1 %.3f", filepath.Base(name), score)
		sum += score
	}
	if mean := sum / float64(len(prose)); mean < 0.80 {
		t.Errorf("mean 5-gram F1 %.3f, want at least .80", mean)
	} else {
		t.Logf("mean %.3f", mean)
	}
}

func fileOf(tb testing.TB, dir, n string) string {
	tb.Helper()
	found, err := filepath.Glob(filepath.Join(dir, n+"-*.pdf"))
	if err != nil || len(found) != 1 {
		tb.Fatal(fmt.Errorf("file %s: %v, %w", n, found, err))
	}
	return found[0]
}
