package office

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// exempt is what an entry may unpack to whatever its ratio: small parts of
// repeated markup pack very well.
const exempt = 1 << 20

// A container is a ZIP file whose entries are read under limits.
type container struct {
	entries  map[string]*zip.File // by name in lower case: part names of OPC are compared without case
	size     int64                // of the file
	limits   form.Limits
	unpacked int64 // so far, of all entries
}

// unzip opens a container. It reads no entry yet.
func unzip(data []byte, l form.Limits) (*container, error) {
	// The directory is parsed whole, so that its size is looked at before.
	if l.Entries > 0 && bytes.Count(data, []byte("PK\x01\x02")) > 2*l.Entries {
		return nil, tooMany(l.Entries)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fault.New(fault.Unreadable, "The file is damaged: its container cannot be opened. Save it again in its own program.").Because(err)
	}
	if l.Entries > 0 && len(r.File) > l.Entries {
		return nil, tooMany(l.Entries)
	}
	c := &container{entries: make(map[string]*zip.File, len(r.File)), size: int64(len(data)), limits: l}
	for _, f := range r.File {
		name := strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(f.Name, `\`, "/")), "/")
		if _, twice := c.entries[name]; !twice {
			c.entries[name] = f
		}
	}
	return c, nil
}

func tooMany(n int) error {
	return fault.New(fault.TooLarge, "The file holds more than %d entries.", n)
}

// open returns an entry's content, or nil where there is none of that name. What
// it reads counts against the limits.
func (c *container) open(name string) (io.ReadCloser, error) {
	f := c.entries[strings.ToLower(name)]
	if f == nil {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, protected()
	}
	r, err := f.Open()
	if err != nil {
		return nil, damaged(name, err)
	}
	packed := int64(min(f.CompressedSize64, uint64(c.size))) //nolint:gosec // both are at most the file's size
	return &entry{ReadCloser: r, name: name, of: c, packed: packed}, nil
}

// An entry counts what is read from it.
type entry struct {
	io.ReadCloser
	name   string
	of     *container
	packed int64
	n      int64
}

// Read reads within the container's limits.
func (e *entry) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	e.n += int64(n)
	e.of.unpacked += int64(n)
	l := e.of.limits
	switch {
	case l.Unpacked > 0 && e.of.unpacked > l.Unpacked:
		return 0, fault.New(fault.TooLarge, "The file unpacks to more than %d MiB (reading %s).", l.Unpacked>>20, e.name)
	case l.Ratio > 0 && e.n > exempt && e.n > l.Ratio*max(e.packed, 1):
		return 0, fault.New(fault.TooLarge, "%s in the file unpacks to more than %d times its size: that is no document.", e.name, l.Ratio)
	case err != nil && !errors.Is(err, io.EOF):
		return n, damaged(e.name, err)
	}
	return n, err
}

// damaged says that a part of a file cannot be read.
func damaged(part string, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return fault.New(fault.Unreadable, "The file is damaged: %s cannot be read. Save it again in its own program.", part).Because(err)
}

// protected says that a file is encrypted.
func protected() error {
	return fault.New(fault.Unreadable, "The file is protected by a password. Save it without one.")
}
