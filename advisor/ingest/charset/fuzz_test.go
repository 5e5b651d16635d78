package charset

import (
	"testing"
	"unicode/utf8"

	"polaris/models/fault"
)

// FuzzDecode: whatever the bytes are said to be, what comes out is UTF-8, or a
// fault.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"gr\xfc\xdfe", "\xff\xfea\x00", "\xef\xbb\xbfa", "\x1b$B\x24\x22\x1b(B", "<?xml version='1.0' encoding='koi8-r'?>\xc1", "\x82\xa0", "\xff\xfe\x00\x00a\x00\x00\x00", "\x00a\x00b"} {
		for _, declared := range []string{"", "utf-8", "shift_jis", "utf-7", "x-user-defined"} {
			f.Add([]byte(s), declared)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, declared string) {
		text, err := Decode(data, declared)
		if err != nil {
			if k := fault.Of(err).Kind; k != fault.Unsupported && k != fault.Unreadable {
				t.Fatal(err)
			}
			return
		}
		if !utf8.ValidString(text.UTF8) || text.Name == "" {
			t.Fatalf("%q of %q", text.UTF8, text.Name)
		}
		if utf8.Valid(data) && text.Name == "UTF-8" && len(text.UTF8) < len(data)-3 {
			t.Fatalf("%d of %d bytes", len(text.UTF8), len(data))
		}
	})
}
