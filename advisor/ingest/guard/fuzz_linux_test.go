package guard

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"polaris/advisor/ingest"
	"polaris/advisor/ingest/form"
)

// FuzzFrames reads what a child says that is not what it was started as: a
// document that is taken can be cut at each passage, and no entry has a name
// that is a path.
func FuzzFrames(f *testing.F) {
	var b bytes.Buffer
	w := newFrameWriter(&b)
	said(func(*ingest.Document) {})(w)
	f.Add(b.Bytes())
	b.Reset()
	if err := errors.Join(w.frame(frameName, []byte("a.md")), w.frame(frameBytes, []byte("x")), w.frame(frameDocument, nil), w.end()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	b.Reset()
	if err := errors.Join(w.value(frameFault, wireFault{Message: "x"}), w.w.Flush()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		got := receivedDocument{}
		entries := receivedArchive{l: form.Defaults, names: map[string]bool{}, each: func(name string, _ []byte) error {
			if name == "" || bytes.ContainsAny([]byte(name), "\\\x00\n") {
				t.Fatalf("%q", name)
			}
			return nil
		}}
		for frames := newFrameReader(bytes.NewReader(data)); ; {
			kind, payload, err := frames.next()
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, errGarbage) {
					t.Fatal(err)
				}
				return
			}
			if kind == frameFault {
				if err := received(payload); err == nil {
					t.Fatal("a fault that is none")
				}
			}
			_ = entries.take(kind, payload)
			if kind == frameEnd {
				break
			}
			if got.take(kind, payload) != nil {
				return
			}
		}
		if got.check(ingest.Options{}) == nil {
			for _, p := range got.doc.Passages {
				_ = got.doc.Text[p.Start:p.End] + got.doc.Text[p.Start:p.SpanEnd]
			}
		}
	})
}
