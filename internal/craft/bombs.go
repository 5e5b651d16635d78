package craft

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strings"
)

// Laughs declares entities, each ten times the one before it; the last, g, is of
// some twenty million letters.
const Laughs = `<!DOCTYPE x [<!ENTITY a "hahahahahahahahahaha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;"><!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">]>`

// Gzip packs n zeros, about a thousand to one.
func Gzip(n int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	some := make([]byte, 1<<20)
	for n > 0 {
		k := min(n, len(some))
		if _, err := w.Write(some[:k]); err != nil {
			panic(err)
		}
		n -= k
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Nested returns a ZIP of sixteen ZIPs of sixteen ZIPs of 50 MiB of zeros: 12.5
// GiB, were all of it unpacked.
func Nested() []byte {
	inner := ZIP("zeros.txt", string(make([]byte, 50<<20)))
	for range 2 {
		var files []string
		for i := range 16 {
			files = append(files, fmt.Sprintf("lib %d.zip", i), string(inner))
		}
		inner = ZIP(files...)
	}
	return inner
}

// ManyZeros returns a ZIP of n text files, each of a MiB of zeros.
func ManyZeros(n int) []byte {
	zeros := string(make([]byte, 1<<20))
	var files []string
	for i := range n {
		files = append(files, fmt.Sprint(i, ".txt"), zeros)
	}
	return ZIP(files...)
}

// Shared returns a ZIP whose n entries are one stretch of bytes.
func Shared(n int) []byte {
	one := ZIP("x", string(make([]byte, 1<<20)))
	at := bytes.Index(one, []byte("PK\x01\x02"))
	header := one[at : at+46+1]
	var b bytes.Buffer
	b.Write(one[:at])
	for range n {
		b.Write(header)
	}
	end := binary.LittleEndian.AppendUint16([]byte("PK\x05\x06\x00\x00\x00\x00"), uint16(n))
	end = binary.LittleEndian.AppendUint16(end, uint16(n))
	end = binary.LittleEndian.AppendUint32(end, uint32(n*len(header)))
	end = binary.LittleEndian.AppendUint32(end, uint32(at))
	b.Write(append(end, 0, 0))
	return b.Bytes()
}

// para is a paragraph of Word.
const para = `<w:p><w:r><w:t>The fee is due on the first day of each month.</w:t></w:r></w:p>`

// A Bomb is a file that is small and unfolds to much, or takes long.
type Bomb struct {
	Name string
	File string // how it would be called
	Data []byte
	Says string // in the line that refuses it; "": it may be read as well
}

// Bombs returns those of each kind. The strings that they are made of are gone
// when it returns.
func Bombs() []Bomb {
	laughing := `<?xml version="1.0"?>` + Laughs
	return []Bomb{
		{"gzip 1000:1", "zeros.gz", Gzip(100 << 20), "gzip"},
		{"entities in XML", "laughs.xml", []byte(laughing + `<x>&g;</x>`), "entit"},
		{"entities in DOCX", "laughs.docx", DOCX(Laughs, `<w:p><w:r><w:t>&g;</w:t></w:r></w:p>`), "entit"},
		{"entities in EPUB", "laughs.epub", EPUB(laughing + `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>&g;</p></body></html>`), ""},
		{"DOCX of spaces, 1000:1", "spaces.docx", DOCX("", strings.Repeat(" ", 200<<20)), "200"},
		{"DOCX of paragraphs", "paragraphs.docx", DOCX("", strings.Repeat(para, 3_000_000)), "more than"},
		{"DOCX of nested tables", "tables.docx", DOCX("", strings.Repeat("<w:tbl><w:tr><w:tc>", 200_000)+para), ""},
		{"EPUB of zeros", "zeros.epub", EPUB(string(make([]byte, 100<<20))), "unpacks"},
		{"5,000 pages", "long.pdf", LongPDF(5000), "5000 pages"},
		{"a PDF that loops", "loop.pdf", LoopingPDF(8), ""},
		{"deep JSON", "deep.json", bytes.Repeat([]byte("["), 5_000_000), ""},
		{"deep HTML", "deep.html", []byte("<!DOCTYPE html><html><body>" + strings.Repeat("<div>", 1_000_000) + "The fee is due."), ""},
		{"one line of 60 MiB", "line.txt", bytes.Repeat([]byte("word "), 12<<20), ""},
		{"60 MiB of lines", "lines.txt", bytes.Repeat([]byte("a\n\n"), 20<<20), "MiB"},
	}
}
