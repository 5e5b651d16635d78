package office

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"polaris/advisor/ingest/form"
	"polaris/internal/testdata"
)

// real returns a file of the folder of messy files by the number that it has.
func real(tb testing.TB, number string) []byte {
	tb.Helper()
	names, _ := filepath.Glob(filepath.Join(testdata.Dir(tb), "files", number+"-*"))
	if len(names) != 1 {
		tb.Fatalf("%d files %s", len(names), number)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// kept returns the characters of a document's blocks, each header once and each
// title if they are to be counted. What the reader adds, the labels of lists, is
// left out.
func kept(d *form.Document, titles bool) (n int) {
	table := ""
	for _, b := range d.Blocks {
		n += count(b.Text)
		for _, c := range b.Cells {
			n += count(c)
		}
		if names := fmt.Sprint(b.Table, b.Title, b.Header); b.Kind == form.Row && names != table {
			if titles {
				n += count(b.Title)
			}
			for _, h := range b.Header {
				n += count(h)
			}
			table = names
		}
	}
	return n
}

func TestRealFiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		number, media, has string
		found              int // at least
		doubled            int // characters that merged cells and headers repeat
	}{
		{"35", MediaDOCX, "Standing Trustees", 600_000, 0},
		{"36", MediaDOCX, "Lorem ipsum", 100, 4},
		{"38", MediaDOCX, "Wear sunglasses", 500, 0},
		{"40", MediaDOCX, "Some text", 8, 0},
		{"42", MediaDOCX, "AutoGen is an open-source framework", 3_000, 0},
		{"44", MediaDOC, "Blueberry, Strawberry, Cranberry", 500, 0},
		{"46", MediaRTF, "están de razón y conciencia", 2_000, 0},
	} {
		t.Run(test.number, func(t *testing.T) {
			t.Parallel()
			data := real(t, test.number)
			if media, ok := Sniff(data); media != test.media || !ok {
				t.Fatalf("sniffed %q", media)
			}
			if test.media == MediaDOC {
				needAntiword(t)
			}
			d, err := Read(test.media, data, form.Limits{Unpacked: 1 << 30, Ratio: 200, Entries: 1000}, false)
			if err != nil {
				t.Fatal(err)
			}
			text := whole(d)
			if !strings.Contains(text, test.has) {
				t.Errorf("no %q in %.300s", test.has, text)
			}
			if d.Found < test.found {
				t.Errorf("found %d characters, want %d", d.Found, test.found)
			}
			if n := kept(d, false); n != d.Found+test.doubled {
				t.Errorf("kept %d characters of %d", n, d.Found)
			}
			if s := sane(text); s < .97 {
				t.Errorf("%.3f of the characters are sane", s)
			}
			if m := meanWord(text); m < 2 || m > 10 {
				t.Errorf("the mean word has %.1f characters", m)
			}
			t.Logf("%d blocks, %d characters, %.3f sane, mean word %.1f, %q", len(d.Blocks), d.Found, sane(text), meanWord(text), d.Warnings)
		})
	}
}

// needAntiword skips a test where the program is absent, and fails it under CI.
func needAntiword(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("antiword"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("antiword is not installed")
		}
		t.Skip("antiword is not installed: apt-get install antiword")
	}
}

// whole returns all text of a document.
func whole(d *form.Document) string {
	var sb strings.Builder
	for _, b := range d.Blocks {
		sb.WriteString(joined([]form.Block{b}))
		sb.WriteByte('\n')
	}
	return sb.String()
}

// sane is the share of characters that a reader can read.
func sane(s string) float64 {
	bad := 0
	for _, r := range s {
		if r == utf8.RuneError || unicode.Is(unicode.Co, r) || unicode.IsControl(r) && r != '\n' && r != '\t' {
			bad++
		}
	}
	return 1 - float64(bad)/float64(utf8.RuneCountInString(s))
}

func meanWord(s string) float64 {
	words := strings.Fields(s)
	n := 0
	for _, w := range words {
		n += utf8.RuneCountInString(w)
	}
	return float64(n) / float64(len(words))
}

func BenchmarkDOCX872Pages(b *testing.B) {
	data := real(b, "35")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DOCX(data, form.Limits{Unpacked: 1 << 30, Ratio: 200, Entries: 1000}); err != nil {
			b.Fatal(err)
		}
	}
}
