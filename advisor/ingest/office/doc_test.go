package office

import (
	"os"
	"path/filepath"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

func TestDocBook(t *testing.T) {
	t.Parallel()
	r, err := readDocBook([]byte(`<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.1.2//EN" "x">
<book><bookinfo><title>Rules</title></bookinfo><chapter><title>Scope</title><para>
The <emphasis>bank</emphasis>
pays 25<superscript>2</superscript>.<footnote><para>See.</para></footnote></para><para>[pic]</para><para>-----------------------
In the box.</para>
<sect1><title>Who</title><itemizedlist><listitem><para>one</para><orderedlist><listitem><para>deep</para></listitem></orderedlist></listitem></itemizedlist>
<para><informaltable><tgroup><tbody><row><entry>Fee</entry><entry>Amount</entry></row><row><entry>Late</entry><entry>25</entry></row></tbody></tgroup></informaltable></para></sect1></chapter></book>`))
	if err != nil {
		t.Fatal(err)
	}
	r.notes("The bank pays.\n-----------------------\n\n[1]First note.\n[2]Second note.\n\n-----------------------\nIn the box.\n")
	d, err := r.close()
	if err != nil {
		t.Fatal(err)
	}
	same(t, d, "H1 Scope\nP The bank pays 25².\nN See.\nP In the box.\nH2 Who\nI1 [•] one\nI2 deep\nR t1.2 | Fee=Late | Amount=25\nN [1] First note.\nN [2] Second note.\n")
	if d.Title != "Rules" || len(d.Warnings) != 1 {
		t.Errorf("%q %q", d.Title, d.Warnings)
	}
	r, err = readDocBook([]byte("<book><chapter><para>a<footnote><para> </para></footnote></para></chapter></book>"))
	if err != nil || r.lost != 1 {
		t.Errorf("%d notes without text, %v", r.lost, err)
	}
	r, err = readDocBook([]byte("<book><chapter/></book>"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.close(); !fault.Is(err, fault.Unreadable) {
		t.Error(err)
	}
}

// A program that stands in for antiword shows what becomes of its failures.
func TestAntiwordFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		l      form.Limits
		kind   fault.Kind
	}{
		"damaged":   {"echo no >&2; exit 1", form.Limits{}, fault.Unreadable},
		"encrypted": {"echo 'Encrypted documents are not supported' >&2; exit 1", form.Limits{}, fault.Unreadable},
		"much":      {"while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done", form.Limits{Unpacked: 1 << 20}, fault.TooLarge},
		"no XML":    {"echo '<book>'", form.Limits{}, fault.Unreadable},
	} {
		program := filepath.Join(t.TempDir(), "antiword")
		must(t, os.WriteFile(program, []byte("#!/bin/sh\n"+test.script+"\n"), 0o700)) //nolint:gosec // it is run
		if _, err := antiword(program, []byte("x"), test.l); !fault.Is(err, test.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
