// Package archive unpacks a ZIP of documents, one entry after the other, within
// limits.
//
// It hands out bytes and names and touches no file: a name is for a reader's
// eyes, cleaned of everything that would make it a path or a trick, and two
// entries never have the same one. What it does not hand out it lists with the
// reason, and goes on: links, encrypted entries, archives inside the archive,
// entries that are damaged or unpack to more than they may. Only an archive
// that as a whole is damaged, lies about itself or exceeds the limits is
// refused.
package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

const (
	mostHeaders = 100_000  // in the directory; each costs memory before it can be looked at
	mostEntry   = 64 << 20 // bytes of one document
	smallEntry  = 1 << 20  // up to here the ratio says nothing
)

// Skipped is an entry that was not handed out, and why not.
type Skipped struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// NotArchive is the code of the fault which says that the bytes are no archive
// of documents but, it may be, a document.
const NotArchive = "not_archive"

// Is reports whether data is a ZIP that holds documents, rather than being one:
// Word, OpenDocument and EPUB files are ZIPs, too.
func Is(data []byte) bool {
	if !IsZIP(data) || headers(data) > mostHeaders {
		return false
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	return err == nil && !isDocument(r)
}

// IsZIP reports whether data begins as a ZIP does.
func IsZIP(data []byte) bool {
	return bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.HasPrefix(data, []byte("PK\x05\x06"))
}

// isDocument reports whether a ZIP is one document: each of the formats has a
// file of a known name at its root.
func isDocument(r *zip.Reader) bool {
	for _, f := range r.File {
		switch f.Name {
		case "[Content_Types].xml", "mimetype", "META-INF/container.xml", "META-INF/manifest.xml", "content.xml":
			return true
		}
	}
	return false
}

// headers counts what looks like an entry of a ZIP's directory: never less than
// there are.
func headers(data []byte) int { return bytes.Count(data, []byte("PK\x01\x02")) }

// Expand hands each document of a ZIP to each, in the order of the archive's
// directory, and returns what it left out. An error of each ends it and is
// returned; further errors are faults, TooLarge or Unreadable or Unsupported,
// which may come after some documents were handed out already.
func Expand(data []byte, l form.Limits, each func(name string, data []byte) error) ([]Skipped, error) {
	u := unpacker{l: l.OrDefaults(), size: int64(len(data)), names: map[string]int{}, each: each}
	r, err := open(data, u.l)
	if err != nil {
		return nil, err
	}
	if err := apart(r.File, int64(len(data))); err != nil {
		return nil, err
	}
	for _, f := range r.File {
		if f.FileInfo().IsDir() || strings.HasSuffix(f.Name, `\`) || leftBehind(f.Name) {
			continue
		}
		if err := u.entry(f); err != nil {
			return u.skipped, err
		}
	}
	return u.skipped, nil
}

// open reads the archive's directory.
func open(data []byte, l form.Limits) (*zip.Reader, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\x1F\x8B")):
		return nil, fault.New(fault.Unsupported, "This is packed with gzip, which is not unpacked. Unpack it and import what is in it.").WithCode(NotArchive)
	case !IsZIP(data):
		return nil, fault.New(fault.Unsupported, "This is no ZIP archive.").WithCode(NotArchive)
	case headers(data) > mostHeaders:
		return nil, tooMany(headers(data), l.Entries)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fault.New(fault.Unreadable, "The ZIP archive is damaged: its directory cannot be read. Pack it again.").Because(err)
	}
	if isDocument(r) {
		return nil, fault.New(fault.Unsupported, "This is a document and no archive of documents.").WithCode(NotArchive)
	}
	if len(r.File) > l.Entries {
		return nil, tooMany(len(r.File), l.Entries)
	}
	return r, nil
}

func tooMany(n, most int) error {
	return fault.New(fault.TooLarge, "The archive has %d entries; at most %d are unpacked (POLARIS_PARSE_ENTRIES). Split it.", n, most)
}

// apart refuses an archive whose entries share bytes: that is how a small one
// unpacks to a huge one, and no program packs like that.
func apart(fs []*zip.File, size int64) error {
	type stretch struct{ from, to int64 }
	all := make([]stretch, 0, len(fs))
	for _, f := range fs {
		if at, end, ok := body(f, size); ok {
			all = append(all, stretch{at, end})
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(all); i++ {
		if all[i].from < all[i-1].to {
			return fault.New(fault.Unreadable, "The archive's entries overlap, as in an archive that is made to unpack without end. Pack it again.")
		}
	}
	return nil
}

// body returns where an entry's bytes are, if they are within the archive.
func body(f *zip.File, size int64) (from, to int64, ok bool) {
	from, err := f.DataOffset()
	if err != nil || f.CompressedSize64 > uint64(size-from) {
		return 0, 0, false
	}
	return from, from + int64(f.CompressedSize64), true
}

// An unpacker goes through one archive.
type unpacker struct {
	l        form.Limits
	size     int64 // of the archive
	unpacked int64 // so far
	names    map[string]int
	skipped  []Skipped
	each     func(name string, data []byte) error
}

// entry hands one entry out, or notes why not. Its error ends the archive.
func (u *unpacker) entry(f *zip.File) error {
	name := u.only(Clean(display(f)))
	data, reason, err := u.read(f)
	if err != nil {
		return err
	}
	if reason != "" {
		u.skipped = append(u.skipped, Skipped{name, reason})
		return nil
	}
	return u.each(name, data)
}

// read returns an entry's bytes, or the reason why it is left out. Its error is
// the end of the whole archive.
func (u *unpacker) read(f *zip.File) (data []byte, reason string, err error) {
	switch mode := f.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return nil, "It is a link to another file, and links are not followed.", nil
	case !mode.IsRegular():
		return nil, "It is no ordinary file.", nil
	case f.Flags&0x1 != 0:
		return nil, "It is encrypted. Unpack it with its password and import it by itself.", nil
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return nil, fmt.Sprintf("It is packed in a way (method %d) that is not read. Pack it again as an ordinary ZIP.", f.Method), nil
	}
	from, to, ok := body(f, u.size)
	r, err := f.Open()
	if err != nil || !ok {
		return nil, damaged, nil
	}
	defer r.Close()
	left := u.l.Unpacked - u.unpacked
	byRatio := max((to-from)*u.l.Ratio, smallEntry)
	most := min(left, mostEntry, byRatio)
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, most+1))
	u.unpacked += n
	switch {
	case n > most && most == byRatio:
		return nil, fmt.Sprintf("It unpacks to more than %d times its size (POLARIS_PARSE_RATIO).", u.l.Ratio), nil
	case n > most && most < left:
		return nil, fmt.Sprintf("It has more than %d MiB.", mostEntry>>20), nil
	case n > most:
		return nil, "", fault.New(fault.TooLarge, "The archive unpacks to more than %d MiB (POLARIS_PARSE_UNPACKED). Split it.", u.l.Unpacked>>20)
	case err != nil:
		return nil, damaged, nil
	case n == 0:
		return nil, "It is empty.", nil
	case Is(b.Bytes()):
		return nil, "It is an archive inside the archive. Unpack it and import what is in it.", nil
	}
	return b.Bytes(), "", nil
}

// damaged is the reason for an entry whose bytes do not unpack to what the
// archive says of them.
var damaged = "It is damaged: its bytes do not unpack to what the archive says. Pack it again."
