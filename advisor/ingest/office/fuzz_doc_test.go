package office

import (
	"testing"

	"polaris/models/fault"
)

// FuzzDocBook reads what antiword might write of a document that was made to
// confuse it.
func FuzzDocBook(f *testing.F) {
	for _, s := range []string{
		"<book><bookinfo><title>Rules</title></bookinfo><chapter><title>Scope</title><para>a<footnote><para>See.</para></footnote></para></chapter></book>",
		"<book><chapter><itemizedlist><listitem><para>one</para><orderedlist><listitem><para>deep</para></listitem></orderedlist></listitem></itemizedlist></chapter></book>",
		"<book><para>x<informaltable><tgroup><tbody><row><entry>Fee</entry><entry/></row><row><entry>Late</entry><entry>25</entry></row></tbody></tgroup></informaltable></para></book>",
		"<!DOCTYPE book [<!ENTITY a \"b\">]><book>&a;",
	} {
		f.Add([]byte(s), "text\n-----------------------\n[1]note\n")
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		r, err := readDocBook(data)
		if err != nil {
			holds(t, nil, err)
			return
		}
		r.notes(text)
		d, err := r.close()
		holds(t, d, err)
	})
}

// FuzzOLE looks into the container of old documents, which antiword never sees
// here.
func FuzzOLE(f *testing.F) {
	f.Add([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"))
	f.Add(append([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), make([]byte, 1024)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := DOC(data, bounds, true); fault.Of(err).Kind != fault.Unsupported && fault.Of(err).Kind != fault.Unreadable {
			t.Fatal(err)
		}
	})
}
