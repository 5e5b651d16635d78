package guard

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"polaris/advisor/ingest"
	"polaris/advisor/ingest/archive"
	"polaris/internal/craft"
	"polaris/models/fault"
)

// Bombs are refused, or read, within the bounds, with one line; and the child
// never has more memory than it may, but for what it takes between two looks.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	cache := t.TempDir()
	for _, b := range craft.Bombs() {
		t.Run(b.Name, func(t *testing.T) {
			l := Limits{}
			if strings.Contains(b.Name, "loops") { // it takes whatever there is
				l.Time = 10 * time.Second
			}
			e := &Extractor{Limits: l, Cache: cache}
			if looksLikePDF(b.Data) {
				e.Warm(t.Context())
			}
			var d receivedDocument
			o := ingest.Options{Name: "bomb", Limits: e.limits().Limits}
			start := time.Now()
			u, err := e.run(t.Context(), job{Op: opParse, Options: o}, b.Data, d.take)
			if err == nil {
				err = d.check(o)
			}
			took := time.Since(start)
			line := "read: " + fmt.Sprint(len(d.passages)) + " passages"
			if err != nil {
				line = fault.Of(err).Message
			}
			t.Logf("%.1f MiB, %v, memory up to %d MiB: %s", float64(len(b.Data))/(1<<20), took.Round(time.Millisecond), u.peak>>20, line)
			within(t, e, u, took)
			if b.Says != "" && (err == nil || !strings.Contains(line, b.Says)) {
				t.Errorf("%s, want what says %q", line, b.Says)
			}
			if err != nil && (fault.Of(err).Kind == fault.Internal || strings.Contains(line, "\n") || len(line) > 400) {
				t.Errorf("%v is no clear line", err)
			}
		})
	}
}

// overshoot is what a child may take beyond its memory before it is ended.
const overshoot = 150 << 20

// within holds a child to its bounds.
func within(t *testing.T, e *Extractor, u usage, took time.Duration) {
	t.Helper()
	l := e.limits()
	if u.peak > l.Memory+overshoot {
		t.Errorf("it had %d MiB", u.peak>>20)
	}
	if took > l.Time+2*dying {
		t.Errorf("it took %v", took)
	}
}

// Archives that unpack to more than anybody has are refused, or left out.
func TestArchiveBombs(t *testing.T) {
	t.Parallel()
	lying := craft.ZIP("a.md", rules, "b.md", rules)
	binary.LittleEndian.PutUint32(lying[bytes.Index(lying, []byte("PK\x01\x02"))+24:], 1<<31)
	for _, b := range []struct {
		name string
		data []byte
		kind fault.Kind
		got  int
		says string
	}{
		{"zips within zips", craft.Nested(), fault.Internal, 0, "archive inside"},
		{"many that unpack to 600 MiB", craft.ManyZeros(600), fault.TooLarge, -1, ""},
		{"a size that lies", lying, fault.Internal, 1, "damaged"},
		{"entries that are the same bytes", craft.Shared(1000), fault.Unreadable, 0, ""},
	} {
		e := &Extractor{}
		r := receivedArchive{l: e.limits().Limits, names: map[string]bool{}}
		got := 0
		r.each = func(string, []byte) error { got++; return nil }
		start := time.Now()
		u, err := e.run(t.Context(), job{Op: opExpand, Options: ingest.Options{Limits: r.l}}, b.data, r.take)
		t.Logf("%s: %.1f MiB, %v, memory up to %d MiB: %d handed out, %d left out, %v", b.name, float64(len(b.data))/(1<<20), time.Since(start).Round(time.Millisecond), u.peak>>20, got, len(r.skipped), err)
		within(t, e, u, time.Since(start))
		if b.kind != fault.Internal && !fault.Is(err, b.kind) || b.kind == fault.Internal && err != nil || b.got >= 0 && got != b.got {
			t.Errorf("%s: %d, %v", b.name, got, err)
		}
		for _, s := range r.skipped {
			if !strings.Contains(s.Reason, b.says) {
				t.Errorf("%s: %s", b.name, s.Reason)
			}
		}
	}
	if _, err := (&Extractor{}).Expand(t.Context(), craft.DOCX("", ""), nil); fault.Of(err).Code != archive.NotArchive {
		t.Errorf("a document as an archive: %v", err)
	}
}
