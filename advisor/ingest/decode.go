package ingest

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"polaris/models/fault"
)

// decode returns the document as UTF-8 with \n for every line ending. Where the
// bytes were not UTF-8 it says so in a warning; where they cannot be told, it
// refuses.
func decode(data []byte) (text string, warnings []string, err error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		return decodeAs(data, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), "UTF-16")
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return "", nil, fault.New(fault.Unsupported, "This is not text: byte %d is NUL. Binary formats are not read yet.", i)
	}
	if !utf8.Valid(data) {
		if err := notUTF8(data); err != nil {
			return "", nil, err
		}
		return decodeAs(data, charmap.Windows1252, "Windows-1252")
	}
	return checked(string(data), nil)
}

func decodeAs(data []byte, enc encoding.Encoding, name string) (string, []string, error) {
	b, err := enc.NewDecoder().Bytes(data)
	if err != nil || bytes.ContainsRune(b, utf8.RuneError) || bytes.IndexByte(b, 0) >= 0 {
		return "", nil, fault.New(fault.Unreadable, "The document looks like %s but does not decode. Save it as UTF-8.", name)
	}
	return checked(string(b), []string{"The document was not UTF-8; it was read as " + name + ". Check its accents and quotation marks."})
}

// checked refuses text that is full of control characters, and unifies its line
// endings.
func checked(text string, warnings []string) (string, []string, error) {
	controls := 0
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' {
			controls++
		}
	}
	if controls*1000 > len(text) {
		return "", nil, fault.New(fault.Unsupported, "This is not text: it is full of control characters. Binary formats are not read yet.")
	}
	if strings.IndexByte(text, '\r') >= 0 {
		text = lineEndings.Replace(text)
	}
	return strings.TrimLeft(text, "\ufeff"), warnings, nil // some editors write the mark twice
}

var lineEndings = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// notUTF8 decides whether bytes that are not UTF-8 can be Windows-1252 (of which
// Latin-1 is a part). They cannot if some of them are UTF-8 sequences, for then
// the document is damaged, or if there are more of them than a European
// language has accents.
func notUTF8(data []byte) error {
	sequences, high := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r != utf8.RuneError {
			sequences++
			i += n
			continue
		}
		switch data[i] {
		case 0x81, 0x8D, 0x8F, 0x90, 0x9D: // not assigned
			return fault.New(fault.Unreadable, "The document is not UTF-8 (see byte %d), and no other encoding fits. Save it as UTF-8.", i)
		}
		high++
		i++
	}
	if sequences > high || high*4 > len(data) {
		return fault.New(fault.Unreadable, "The document is damaged: it is UTF-8 in part only. Save it as UTF-8.")
	}
	return nil
}
