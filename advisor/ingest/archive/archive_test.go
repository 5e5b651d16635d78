package archive

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// An item is one entry of an archive that a test packs.
type item struct {
	name, body string
	mode       fs.FileMode
	change     func(*zip.FileHeader)
}

// pack returns a ZIP of the items.
func pack(tb testing.TB, items ...item) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, it := range items {
		h := &zip.FileHeader{Name: it.name, Method: zip.Deflate}
		if it.mode != 0 {
			h.SetMode(it.mode)
		}
		if it.change != nil {
			it.change(h)
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(it.body))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// expand returns what an archive hands out, by name, and what it leaves out.
func expand(data []byte, l form.Limits) (got, left map[string]string, err error) {
	got, left = map[string]string{}, map[string]string{}
	skipped, err := Expand(data, l, func(name string, data []byte) error {
		got[name] = string(data)
		return nil
	})
	for _, s := range skipped {
		left[s.Name] = s.Reason
	}
	return got, left, err
}

// What is wrong with one entry never stops the others, and each is told apart.
func TestEntries(t *testing.T) {
	t.Parallel()
	inner := pack(t, item{name: "x.md", body: "# X"})
	word := pack(t, item{name: "[Content_Types].xml", body: "<Types/>"}, item{name: "word/document.xml", body: "<w:document/>"})
	data := pack(t,
		item{name: "a/first.md", body: "# First"},
		item{name: "a/", mode: fs.ModeDir | 0o755},
		item{name: "link.md", body: "/etc/passwd", mode: fs.ModeSymlink | 0o777},
		item{name: "pipe", body: "x", mode: fs.ModeNamedPipe | 0o600},
		item{name: "secret.md", body: "x", change: func(h *zip.FileHeader) { h.Flags |= 1 }},
		item{name: "inner.zip", body: string(inner)},
		item{name: "inner", body: string(inner)},
		item{name: "letter.docx", body: string(word)},
		item{name: "empty.md"},
		item{name: "zeros.md", body: strings.Repeat("\x00", 3<<20)},
		item{name: "__MACOSX/._first.md", body: "x"},
		item{name: "b/.DS_Store", body: "x"},
		item{name: "last.md", body: "# Last"},
	)
	got, left, err := expand(data, form.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"a/first.md": "# First", "letter.docx": string(word), "last.md": "# Last"}; !maps.Equal(got, want) {
		t.Errorf("handed out %q", slices.Sorted(maps.Keys(got)))
	}
	want := map[string]string{
		"link.md": "link", "pipe": "ordinary file", "secret.md": "encrypted", "inner.zip": "archive inside", "inner": "archive inside",
		"empty.md": "empty", "zeros.md": "200 times",
	}
	if len(left) != len(want) {
		t.Errorf("left out: %q", left)
	}
	for name, says := range want {
		if !strings.Contains(left[name], says) {
			t.Errorf("%s: %q, want %q", name, left[name], says)
		}
	}
}

// A damaged entry, one packed in another way and one that lies about its sizes
// are left out, and the rest is handed out.
func TestLies(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("It is said once and then again. ", 40)
	whole := pack(t, item{name: "bad.md", body: prose}, item{name: "good.md", body: "# Good"})
	central := bytes.Index(whole, []byte("PK\x01\x02"))
	for name, change := range map[string]func(b []byte){
		"a flipped byte":           func(b []byte) { b[60] ^= 0x55 },
		"another method":           func(b []byte) { binary.LittleEndian.PutUint16(b[central+10:], 99) },
		"a size too small":         func(b []byte) { binary.LittleEndian.PutUint32(b[central+24:], 10) },
		"a size too large":         func(b []byte) { binary.LittleEndian.PutUint32(b[central+24:], 1<<31) },
		"a packed size beyond it":  func(b []byte) { binary.LittleEndian.PutUint32(b[central+20:], 1<<30) },
		"a checksum of other text": func(b []byte) { b[central+16] ^= 1 },
		"an offset beyond it":      func(b []byte) { binary.LittleEndian.PutUint32(b[central+42:], 1<<30) },
	} {
		data := bytes.Clone(whole)
		change(data)
		got, left, err := expand(data, form.Limits{})
		if err != nil || got["good.md"] != "# Good" || len(got) != 1 || left["bad.md"] == "" {
			t.Errorf("%s: %v, handed out %q, left out %q", name, err, got, left)
		}
	}
}

// A bomb is refused as a whole, and before it has unpacked more than it may.
func TestBombs(t *testing.T) {
	t.Parallel()
	many := make([]item, 60)
	for i := range many {
		many[i] = item{name: fmt.Sprint(i), body: strings.Repeat("\x00", 1<<20)}
	}
	random := make([]byte, 5<<20)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	for _, tt := range []struct {
		name string
		data []byte
		l    form.Limits
		kind fault.Kind
		says string
	}{
		{"many small ones that unpack to much", pack(t, many...), form.Limits{Unpacked: 20 << 20}, fault.TooLarge, "20 MiB"},
		{"more entries than may be", pack(t, many...), form.Limits{Entries: 50}, fault.TooLarge, "60 entries"},
		{"one large one", pack(t, item{name: "a", body: string(random)}), form.Limits{Unpacked: 4 << 20}, fault.TooLarge, "4 MiB"},
		{"overlapping entries", overlapping(t, 100), form.Limits{}, fault.Unreadable, "overlap"},
		{"a directory of headers", bytes.Repeat([]byte("PK\x03\x04PK\x01\x02"), mostHeaders+1), form.Limits{}, fault.TooLarge, "entries"},
		{"cut off", pack(t, many...)[:5000], form.Limits{}, fault.Unreadable, "damaged"},
		{"a document", pack(t, item{name: "mimetype", body: "application/epub+zip"}), form.Limits{}, fault.Unsupported, "no archive"},
		{"gzip", []byte("\x1f\x8b\x08"), form.Limits{}, fault.Unsupported, "gzip"},
		{"text", []byte("text"), form.Limits{}, fault.Unsupported, "no ZIP"},
	} {
		n := int64(0)
		skipped, err := Expand(tt.data, tt.l, func(_ string, data []byte) error { n += int64(len(data)); return nil })
		if !fault.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %v that says %q; left out %v", tt.name, err, tt.kind, tt.says, skipped)
		}
		if tt.l.Unpacked > 0 && n > tt.l.Unpacked {
			t.Errorf("%s: %d bytes were handed out", tt.name, n)
		}
	}
	boom := errors.New("boom")
	if _, err := Expand(pack(t, many...), form.Limits{Ratio: 2000}, func(string, []byte) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("what the caller says: %v", err)
	}
	if _, err := Expand(pack(t), form.Limits{}, nil); err != nil {
		t.Errorf("an archive without entries: %v", err)
	}
}

// overlapping packs an archive of n entries that are one and the same bytes.
func overlapping(tb testing.TB, n int) []byte {
	tb.Helper()
	zeros := make([]byte, 1<<20)
	var packed, b bytes.Buffer
	w, err := flate.NewWriter(&packed, 9)
	if err == nil {
		_, err = w.Write(zeros)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		tb.Fatal(err)
	}
	le := binary.LittleEndian
	head := le.AppendUint16(nil, 20)
	head = append(head, 0, 0, 8, 0, 0, 0, 0, 0)
	head = le.AppendUint32(head, crc32.ChecksumIEEE(zeros))
	head = le.AppendUint32(head, uint32(packed.Len()))
	head = le.AppendUint32(head, uint32(len(zeros)))
	head = append(head, 1, 0, 0, 0) // a name of one letter, nothing extra
	b.WriteString("PK\x03\x04")
	b.Write(head)
	b.WriteString("0")
	b.Write(packed.Bytes())
	directory := b.Len()
	for i := range n {
		b.WriteString("PK\x01\x02\x14\x00")
		b.Write(head)
		b.Write(make([]byte, 14)) // no comment, no attributes, offset 0
		b.WriteByte(byte('0' + i%70))
	}
	end := le.AppendUint16([]byte("PK\x05\x06\x00\x00\x00\x00"), uint16(n))
	end = le.AppendUint16(end, uint16(n))
	end = le.AppendUint32(end, uint32(b.Len()-directory))
	end = le.AppendUint32(end, uint32(directory))
	b.Write(append(end, 0, 0))
	return b.Bytes()
}

// Names never lead anywhere, and no two are the same.
func TestNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a/b.md": "a/b.md", "../../etc/passwd": "etc/passwd", "/etc/passwd": "etc/passwd", `C:\Users\x\y.doc`: "Users/x/y.doc", "c:/x": "x",
		`..\..\x.md`: "x.md", "a/./b/../c.md": "a/b/c.md", "a\x00b\n.md": "ab.md", "x\u202egpj.md": "xgpj.md", "\u200bx": "x", "": "unnamed", "/": "unnamed", "..": "unnamed",
		"a:b": "a_b", "...": "unnamed", "\xff.md": "_.md", "u\u0308.md": "ü.md", "a\u00a0b": "a b",
		strings.Repeat("x", 300) + ".docx": strings.Repeat("x", 195) + ".docx",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	dos := item{name: "Geb\x81hren.md", body: "x", change: func(h *zip.FileHeader) { h.NonUTF8 = true }}
	got, _, err := expand(pack(t, item{name: "x.md", body: "1"}, item{name: "../x.md", body: "2"}, item{name: "/x.md", body: "3"}, item{name: "x (2).md", body: "4"}, item{name: "y", body: "5"}, item{name: "./y", body: "6"}, dos), form.Limits{})
	want := map[string]string{"x.md": "1", "x (2).md": "2", "x (3).md": "3", "x (2) (2).md": "4", "y": "5", "y (2)": "6", "Gebühren.md": "x"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %q", err, got)
	}
}

func FuzzExpand(f *testing.F) {
	f.Add(pack(f, item{name: "a.md", body: "# A"}, item{name: "../b", body: "b", mode: fs.ModeSymlink | 0o777}))
	f.Add(overlapping(f, 3))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := form.Limits{Unpacked: 4 << 20, Entries: 50}
		n, names := int64(0), map[string]bool{}
		_, err := Expand(data, l, func(name string, data []byte) error {
			n += int64(len(data))
			if names[name] || name != Clean(name) || strings.HasPrefix(name, "/") || strings.Contains("/"+name+"/", "/../") {
				t.Fatalf("the name %q", name)
			}
			names[name] = true
			return nil
		})
		if n > l.Unpacked || err != nil && fault.Of(err).Kind == fault.Internal {
			t.Fatalf("%d bytes, %v", n, err)
		}
	})
}
