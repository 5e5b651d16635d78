//go:build unix

package pdf

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"polaris/advisor/ingest/form"
	"polaris/internal/testdata"
)

// BenchmarkRead reads the digital files that have several pages, the engine
// compiled already.
func BenchmarkRead(b *testing.B) {
	dir := filepath.Join(testdata.Dir(b), "files")
	o := Options{Cache: b.TempDir(), Tesseract: "-", Context: context.Background()}
	if err := warm(o.Cache); err != nil {
		b.Fatal(err)
	}
	for _, n := range []string{"01", "12", "14", "15"} {
		data, err := os.ReadFile(fileOf(b, dir, n))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(n, func(b *testing.B) {
			pages, spent := 0, cpu(b)
			for b.Loop() {
				d, err := Read(data, form.Limits{}, o)
				if err != nil {
					b.Fatal(err)
				}
				pages += d.Pages
			}
			b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
			b.ReportMetric(float64(pages)/(cpu(b)-spent).Seconds(), "pages/cpu-s") // what a busy machine would give alone
		})
	}
}

// cpu returns the processor time that this process has taken.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
