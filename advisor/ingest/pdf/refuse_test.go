package pdf

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	whole := file{pages: []string{put(72, 700, 12, "One page of text.")}}.bytes()
	many := file{pages: make([]string, 5000)}.bytes()
	for _, c := range []struct {
		name  string
		data  []byte
		limit form.Limits
		kind  fault.Kind
		says  string
	}{
		{"empty", nil, form.Limits{}, fault.Unreadable, "empty"},
		{"no PDF", []byte("Dear sir or madam, this is a letter."), form.Limits{}, fault.Unreadable, "no PDF"},
		{"truncated", whole[:len(whole)/4], form.Limits{}, fault.Unreadable, "end is missing"},
		{"too many pages", many, form.Limits{Pages: 4999}, fault.TooLarge, "has 5000 pages, and the limit is 4999"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(c.data, c.limit, options(t))
			if !fault.Is(err, c.kind) || !strings.Contains(fault.Of(err).Message, c.says) {
				t.Errorf("got %v, want %v: %q", err, c.kind, c.says)
			}
		})
	}
}

func TestAFileWhoseOffsetsAreWrongIsRead(t *testing.T) {
	t.Parallel()
	whole := file{pages: []string{put(72, 700, 12, "One page of text.")}}.bytes()
	d := read(t, bytes.Replace(whole, []byte("1 0 obj"), []byte("% some bytes that no offset counts\n1 0 obj"), 1))
	if got := text(d); got != "One page of text.\n" {
		t.Errorf("got %q", got)
	}
}

// A page of a PDF can keep its reader busy for ever: here with forms that call
// each other 300⁶ times.
func TestALoopEndsWithTheContext(t *testing.T) {
	t.Parallel()
	call := strings.Repeat("/X Do ", 300)
	f := file{pages: []string{call}, page: "/Resources << /XObject << /X 8 0 R >> >>", extra: []string{"null"}}
	for i := range 6 { // objects 8 to 13, each calling the next
		f.extra = append(f.extra, fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X %d 0 R >> >> /Length %d >>\nstream\n%s\nendstream", 9+i, len(call), call))
	}
	f.extra = append(f.extra, "<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Length 0 >>\nstream\n\nendstream")
	if err := warm(""); err != nil { // compiling is not what is timed
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	o := options(t)
	o.Context = ctx
	begun := time.Now()
	_, err := Read(f.bytes(), form.Limits{}, o)
	if !fault.Is(err, fault.Unreadable) || !strings.Contains(fault.Of(err).Message, "longer than it may") {
		t.Errorf("got %v", err)
	}
	if d := time.Since(begun); d > 20*time.Second {
		t.Errorf("took %s", d)
	}
}

// Wherever a context ends, the reading ends with a fault or is done already, and
// the next one is not touched by it.
func TestTheContextEndsAtAnyMoment(t *testing.T) {
	t.Parallel()
	page := ruled(300, []string{"Fee", "Consumer", "Business"}, []string{"Wire", "$25", "$40"})
	for i := range 40 {
		page += put(60, 750-10*float64(i), 9, "A line of the page, one of forty, with a dozen words in it.")
	}
	data := file{pages: slicesRepeat(page, 60)}.bytes()
	if err := warm(""); err != nil {
		t.Fatal(err)
	}
	ended := 0
	for i := range 25 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i*i)*time.Millisecond)
		o := options(t)
		o.Context = ctx
		d, err := Read(data, form.Limits{}, o)
		cancel()
		switch {
		case err == nil && len(d.Blocks) == 0, err != nil && !strings.Contains(fault.Of(err).Message, "longer than it may"):
			t.Fatalf("after %d ms: %v", i*i, err)
		case err != nil:
			ended++
		}
	}
	if ended == 0 {
		t.Error("no reading was ended: the file is too small for this test")
	}
	if d := read(t, data); len(d.Blocks) < 60 {
		t.Errorf("afterwards %d blocks", len(d.Blocks))
	}
}
