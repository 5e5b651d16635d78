// Package charset tells in which encoding a text was written, and decodes it.
//
// What the bytes themselves prove comes first: a byte order mark, the zeros of
// UTF-16, valid UTF-8. Then what is declared, if it decodes. Then the likely
// encodings are tried, and the one whose result reads most like a language is
// taken. Where nothing fits, it says so; it never returns text with letters
// lost.
package charset

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"polaris/models/fault"
)

// A Text is a decoded one.
type Text struct {
	UTF8    string
	Name    string // of the encoding that it had: "UTF-8", "Shift_JIS"
	Guessed bool   // neither the bytes nor the document said so
}

// Decode returns data as UTF-8 without a byte order mark. Declared is what
// somebody says the encoding is: an HTTP header, the part of a mail; "" where
// nobody does.
func Decode(data []byte, declared string) (Text, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")) && utf8.Valid(data):
		return Text{UTF8: string(data[3:]), Name: "UTF-8"}, nil
	case bytes.HasPrefix(data, []byte("\xFF\xFE\x00\x00")) && len(data)%4 == 0:
		return as(data, utf32.UTF32(utf32.LittleEndian, utf32.ExpectBOM), "UTF-32")
	case bytes.HasPrefix(data, []byte("\x00\x00\xFE\xFF")):
		return as(data, utf32.UTF32(utf32.BigEndian, utf32.ExpectBOM), "UTF-32")
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		return as(data, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), "UTF-16")
	}
	if name := declaredIn(data); declared == "" {
		declared = name
	}
	if t, ok := wide(data); ok {
		return t, nil
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return Text{}, fault.New(fault.Unsupported, "This is not text: byte %d is NUL, and no reader knows the format.", i)
	}
	if shifted(data) {
		if t, err := as(data, mustGet("iso-2022-jp"), "ISO-2022-JP"); err == nil {
			return t, nil
		}
	}
	if utf8.Valid(data) {
		return Text{UTF8: string(data), Name: "UTF-8"}, nil
	}
	if enc, name := charset.Lookup(declared); enc != nil && name != "utf-8" && name != "replacement" {
		if t, err := as(data, enc, name); err == nil && !controls(t.UTF8) {
			return t, nil
		}
	}
	if err := damaged(data); err != nil {
		return Text{}, err
	}
	return guess(data)
}

func mustGet(name string) encoding.Encoding {
	enc, err := htmlindex.Get(name)
	if err != nil {
		panic(err) // a name in this file is wrong
	}
	return enc
}

// shifted reports whether 7-bit bytes switch to Japanese characters.
func shifted(data []byte) bool {
	return bytes.Contains(data, []byte("\x1b$B")) || bytes.Contains(data, []byte("\x1b$@"))
}

// as decodes data, all of it.
func as(data []byte, enc encoding.Encoding, name string) (Text, error) {
	b, err := enc.NewDecoder().Bytes(data)
	if err != nil || bytes.ContainsRune(b, utf8.RuneError) || bytes.IndexByte(b, 0) >= 0 {
		return Text{}, fault.New(fault.Unreadable, "The document looks like %s but does not decode. Save it as UTF-8.", name)
	}
	return Text{UTF8: strings.TrimPrefix(string(b), "\ufeff"), Name: name}, nil
}

var declaration = regexp.MustCompile(`(?i)^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{2,40})["']|<meta[^>]{0,300}?charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{2,40})`)

// declaredIn returns what the beginning of an HTML or XML document declares.
func declaredIn(data []byte) string {
	head := data[:min(len(data), 2048)]
	if bytes.IndexByte(head, '<') < 0 {
		return ""
	}
	m := declaration.FindSubmatch(head)
	switch {
	case m == nil:
		return ""
	case m[1] != nil:
		return string(m[1])
	}
	return string(m[2])
}

// wide recognises UTF-16 without a byte order mark. Text of the western scripts
// has a zero in every other byte; any text has spaces or line endings, which
// have one, on one side only.
func wide(data []byte) (Text, bool) {
	if len(data) < 4 || len(data)%2 != 0 {
		return Text{}, false
	}
	var zeros, space [2]int
	for i := 0; i+1 < len(data); i += 2 {
		for k := range 2 {
			if data[i+k] == 0 {
				zeros[k]++
				if c := data[i+1-k]; c == ' ' || c == '\n' {
					space[k]++
				}
			}
		}
	}
	enc, name := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "UTF-16LE"
	k := 1
	if zeros[0] > zeros[1] {
		enc, name, k = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "UTF-16BE", 0
	}
	if zeros[k] == 0 || zeros[1-k] > zeros[k]/20 || zeros[k]*4 < len(data)/2 && space[k] == 0 {
		return Text{}, false
	}
	t, err := as(data, enc, name)
	if err != nil || controls(t.UTF8) || score(t.UTF8) < 0 {
		return Text{}, false
	}
	t.Guessed = true
	return t, true
}

// damaged says no to what is UTF-8 in the main.
func damaged(data []byte) error {
	sequences, high := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		if r, n := utf8.DecodeRune(data[i:]); r != utf8.RuneError {
			sequences++
			i += n
			continue
		}
		high++
		i++
	}
	if sequences > high {
		return fault.New(fault.Unreadable, "The document is damaged: it is UTF-8 in part only. Save it as UTF-8.")
	}
	return nil
}

// candidates are the encodings that are tried, the likelier of two that read
// equally well first.
var candidates = []string{
	"windows-1252", "shift_jis", "gb18030", "euc-jp", "euc-kr", "big5", "windows-1251", "koi8-r", "windows-1253", "windows-1255", "windows-1256",
	"windows-1250", "windows-1254", "windows-1257", "windows-874", "iso-8859-2", "iso-8859-5", "ibm866", "macintosh",
}

// sample is how much of a document is read to tell its encoding.
const sample = 64 << 10

// guess tries the likely encodings on a text that is not UTF-8.
func guess(data []byte) (Text, error) {
	head := data
	if len(head) > sample {
		head = head[:bytes.LastIndexByte(head[:sample], '\n')+1]
		if len(head) < sample/2 {
			head = data
		}
	}
	hint := strings.ToLower(chardet.Detect(head[:min(len(head), sample)]).Encoding)
	best, found := 0.0, ""
	for _, name := range candidates {
		t, err := as(head, mustGet(name), name)
		if err != nil || controls(t.UTF8) {
			continue
		}
		if few(t.UTF8) && name != "windows-1252" {
			continue // too little to tell from
		}
		s := score(t.UTF8)
		if _, canonical := charset.Lookup(hint); canonical == name {
			s += 0.05
		}
		if s > best {
			best, found = s, name
		}
	}
	if best < enough {
		i := 0
		for i < len(data)-1 && data[i] < utf8.RuneSelf {
			i++
		}
		return Text{}, fault.New(fault.Unreadable, "The document is not UTF-8 (see byte %d), and no other encoding fits. Save it as UTF-8.", i)
	}
	t, err := as(data, mustGet(found), found)
	t.Guessed = true
	return t, err
}
