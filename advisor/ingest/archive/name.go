package archive

import (
	"archive/zip"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// mostName is the longest name, in bytes.
const mostName = 200

// display returns an entry's name as UTF-8. Archives that do not say how their
// names are written mostly mean the letters of the first IBM PC.
func display(f *zip.File) string {
	if utf8.ValidString(f.Name) {
		return f.Name
	}
	s, err := charmap.CodePage437.NewDecoder().String(f.Name)
	if err != nil {
		return strings.ToValidUTF8(f.Name, "_")
	}
	return s
}

// Clean returns a name of an archive's entry as it is shown and kept: folders
// and a file, relative, without parts that lead elsewhere, drive letters and
// characters that are not seen. It is never opened.
func Clean(name string) string {
	name = norm.NFC.String(strings.ToValidUTF8(name, "_"))
	if len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/') {
		name = name[2:] // a drive
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '\\':
			return '/'
		case r == '/':
			return r
		case r == ':':
			return '_' // of a stream
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			return -1 // control, direction, zero width
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name)
	var parts []string
	for p := range strings.SplitSeq(name, "/") {
		if p = strings.TrimSpace(p); p != "" && strings.Trim(p, ".") != "" {
			parts = append(parts, p)
		}
	}
	name = strings.Join(parts, "/")
	if len(name) > mostName {
		ext := path.Ext(name)
		if len(ext) > 12 {
			ext = ""
		}
		name = strings.ToValidUTF8(name[:mostName-len(ext)], "") + ext
	}
	if name == "" {
		return "unnamed"
	}
	return name
}

// only returns the name, or one made of it that no entry before has.
func (u *unpacker) only(name string) string {
	fresh := name
	for u.names[fresh] > 0 {
		u.names[name]++
		ext := path.Ext(name)
		mark := fmt.Sprintf(" (%d)%s", u.names[name], ext)
		stem := strings.TrimSuffix(name, ext)
		if over := len(stem) + len(mark) - mostName; over > 0 {
			stem = strings.TrimSpace(strings.ToValidUTF8(stem[:max(0, len(stem)-over)], ""))
		}
		fresh = stem + mark
	}
	u.names[fresh]++
	return fresh
}

// leftBehind reports whether an entry is what operating systems leave in
// archives: nobody misses it.
func leftBehind(name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	base := path.Base(name)
	return strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(base, "._") || base == ".DS_Store" || strings.EqualFold(base, "Thumbs.db") || strings.EqualFold(base, "desktop.ini")
}
