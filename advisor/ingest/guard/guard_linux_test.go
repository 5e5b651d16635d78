package guard

import (
	"context"
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"polaris/advisor/ingest"
	"polaris/internal/craft"
	"polaris/internal/testdata"
	"polaris/models/fault"
)

func TestMain(m *testing.M) {
	ServeIfAsked()
	misbehaveIfAsked()
	holdIfAsked()
	os.Exit(m.Run())
}

const rules = "# House Rules\n\n## 4.2 Fees\n\n(a) The late fee is 12 dollars.\n\n(b) It is asked once.\n"

// What a child reads is what this process would have read.
func TestTheSameDocument(t *testing.T) {
	t.Parallel()
	docs := map[string][]byte{"rules.md": []byte(rules), "plain.txt": []byte("Nothing here has a number.\n\nAnd nothing has a name.\n")}
	if dir, found := testdata.Find(); found {
		for _, name := range []string{"reg-b-12cfr1002.md", "12cfr1002.xml"} {
			if b, err := os.ReadFile(dir + "/regs/" + name); err == nil {
				docs[name] = b
			}
		}
	}
	for lacking, e := range extractors() {
		for name, data := range docs {
			o := ingest.Options{Name: name, Code: "HR"}
			got, err := e.Parse(t.Context(), data, o)
			if err != nil {
				t.Errorf("%s, %s: %v", lacking, name, err)
				continue
			}
			want, err := ingest.Parse(data, o)
			if err != nil {
				t.Fatal(err)
			}
			got.Report, want.Report = ingest.Report{}, ingest.Report{} // its times differ
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %d passages and %d bytes, want %d and %d", lacking, name, len(got.Passages), len(got.Text), len(want.Passages), len(want.Text))
			}
		}
	}
}

// extractors are one for each sort of kernel.
func extractors() map[string]*Extractor {
	return map[string]*Extractor{
		"nothing lacks":       {},
		"no mounts":           {lack: lack{mounts: true}},
		"no namespaces":       {lack: lack{namespaces: true}},
		"no filter":           {lack: lack{seccomp: true}},
		"only processes":      {lack: lack{namespaces: true, landlock: true, seccomp: true}},
		"no outside programs": {Inside: true},
	}
}

// A fault in the child is the same fault here.
func TestFaults(t *testing.T) {
	t.Parallel()
	e := &Extractor{}
	for name, data := range map[string]string{"empty": "", "NUL": "a\x00b\x00c", "a picture": "\x89PNG\r\n\x1a\n"} {
		_, want := ingest.Parse([]byte(data), ingest.Options{})
		_, err := e.Parse(t.Context(), []byte(data), ingest.Options{})
		if want == nil || err == nil || fault.Of(err).Kind != fault.Of(want).Kind || fault.Of(err).Message != fault.Of(want).Message {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	_, err := e.Parse(t.Context(), []byte(rules), ingest.Options{Code: "no code"})
	if f := fault.Of(err); f == nil || f.Kind != fault.Invalid || f.Field != "code" {
		t.Errorf("a bad code: %v", err)
	}
	if _, err := e.Parse(t.Context(), make([]byte, ingest.MaxBytes+1), ingest.Options{}); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too large: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Parse(ctx, []byte(rules), ingest.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody wants it: %v", err)
	}
}

// What protects is reported as it is.
func TestProtection(t *testing.T) {
	t.Parallel()
	for lacking, e := range extractors() {
		p, err := e.Protection(t.Context())
		if err != nil {
			t.Errorf("%s: %v", lacking, err)
			continue
		}
		t.Logf("%s: %s", lacking, p)
		switch lacking {
		case "only processes":
			if p.Outside || p.Filter || p.Files != "" || p.Network != "" || p.Processes != "" || len(p.Missing) == 0 {
				t.Errorf("%s: %s", lacking, p)
			}
		case "no outside programs":
			if p.Outside {
				t.Errorf("%s: %s", lacking, p)
			}
		case "no filter":
			if p.Filter {
				t.Errorf("%s: %s", lacking, p)
			}
		case "no namespaces":
			if p.Files == "mount namespace" || p.Network == "network namespace" || p.Filter && p.Network == "" {
				t.Errorf("%s: %s", lacking, p)
			}
		}
	}
}

// A child that may not start yet waits, for as long as somebody waits for it.
func TestWaiting(t *testing.T) {
	t.Parallel()
	e := &Extractor{AtOnce: 1}
	leave, err := e.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := e.Parse(ctx, []byte(rules), ingest.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another one runs: %v", err)
	}
	leave()
	if _, err := e.Parse(t.Context(), []byte(rules), ingest.Options{}); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// BenchmarkChild measures what a child costs beside the reading: for a small
// file, that is nearly all.
func BenchmarkChild(b *testing.B) {
	data, o := []byte(rules), ingest.Options{Name: "rules.md", Code: "HR"}
	b.Run("in a child", func(b *testing.B) {
		e := &Extractor{}
		for b.Loop() {
			if _, err := e.Parse(b.Context(), data, o); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("in this process", func(b *testing.B) {
		for b.Loop() {
			if _, err := ingest.Parse(data, o); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Only what an outside program helps to read is read where one may be started.
func TestOnlySomeMayStartPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		head string
		may  bool
	}{
		{"%PDF-1.7\n", true},
		{"\n\n%PDF-1.4\n", true},
		{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", true},
		{"PK\x03\x04", false},
		{"{\\rtf1 ", false},
		{"<html>", false},
		{"# Handbook\n", false},
	} {
		if got := callsPrograms([]byte(c.head)); got != c.may {
			t.Errorf("%q: %v", c.head, got)
		}
	}
	e := &Extractor{}
	var got Protection
	for _, inside := range []bool{true, false} {
		u, err := e.run(t.Context(), job{Op: opHello, Options: ingest.Options{Inside: inside}}, nil, nothingElse)
		if err != nil {
			t.Fatal(err)
		}
		if got = u.protection; got.Outside && inside {
			t.Errorf("a child that starts no program may: %s", got)
		}
	}
}

// Where one child may run at a time, what is in an archive is read all the same,
// while the archive is unpacked.
func TestReadWhileUnpacking(t *testing.T) {
	t.Parallel()
	e := &Extractor{AtOnce: 1}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	read := 0
	_, err := e.Expand(ctx, craft.ZIP("a.md", rules, "b.md", rules), func(name string, data []byte) error {
		_, err := e.Parse(ctx, data, ingest.Options{Name: name})
		read++
		return err
	})
	if err != nil || read != 2 {
		t.Errorf("%d read, %v", read, err)
	}
}
