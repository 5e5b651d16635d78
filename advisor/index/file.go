package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"unsafe"
)

// An index file is a head of headSize bytes and the parts of an index one after
// the other, each from a multiple of 8 on, as they lie in memory. It is a copy
// that may be lost at any time: whatever is not exactly what is wanted, be it of
// another format, of other passages, by another machine's byte order, cut off or
// damaged, is built anew.
const (
	fileMagic  = "POLARIX\x01" // the last byte is the format's number
	byteOrder  = 0x0102030405060708
	headSize   = 176
	fileParts  = 13
	onlyPlain  = 1 // in a head's flags
	withLatent = 2
)

// A Key says what an index file was made from: the passages, and the code that
// made it. Files of equal keys are equal.
type Key [sha256.Size]byte

// KeyOf returns the key of an index of docs.
func KeyOf(docs []Doc) (k Key) {
	h := sha256.New()
	fmt.Fprint(h, fileMagic, (&Index{n: len(docs)}).Name(), latentSize, latentRounds, leastLatent, mostLatent, leastCollection, "\n")
	var buf []byte
	for i := range docs {
		d := &docs[i]
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(d.Title)))
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(d.Text)))
		english := byte(0)
		if d.English {
			english = 1
		}
		buf = append(append(append(buf, english), d.Title...), d.Text...)
		if len(buf) > 1<<16 {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	h.Write(buf)
	h.Sum(k[:0])
	return k
}

// A head is the beginning of an index file.
type head struct {
	Magic [8]byte
	Order uint64
	Key   Key
	N     uint64
	Flags uint64
	Bytes [fileParts]uint64 // of each part
	Sum   uint64            // CRC-32C of the head with Sum 0, and of what follows it
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (h *head) encode() []byte {
	b := make([]byte, headSize)
	if _, err := binary.Encode(b, binary.NativeEndian, h); err != nil {
		panic(err) // headSize is not the head's
	}
	return b
}

// parts returns what a file holds of an index, in the order of the file.
func (x *Index) parts() [fileParts][]byte {
	terms := make([]string, len(x.terms))
	for s, t := range x.terms {
		terms[t] = s
	}
	surface := make([]string, 0, len(x.surface))
	numbers := make([]int32, 0, len(x.surface))
	for s, t := range x.surface {
		surface = append(surface, s)
		numbers = append(numbers, t)
	}
	p := [fileParts][]byte{
		[]byte(strings.Join(terms, "\n")), []byte(strings.Join(surface, "\n")), raw(numbers),
		raw(x.idf), raw(x.termMost), raw(x.postStart), raw(x.fwdStart), raw(x.norm), raw(x.kinds),
	}
	if x.latent != nil {
		p[9] = raw(x.latent.vecs)
	}
	p[10], p[11], p[12] = raw(x.postDoc), raw(x.postVal), raw(x.fwd)
	return p
}

// raw returns the bytes of a slice as they lie in memory.
func raw[T any](s []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(one)))
}

// cooked is the other way round. The bytes begin at a multiple of 8.
func cooked[T any](b []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(one)))
}

// Save writes the index to a file for its owner alone. Nobody sees a part of it:
// it is whole on the disk before it takes its name, and a process that has the
// file of before mapped keeps that.
func (x *Index) Save(path string, key Key) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".index-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it has its name
	err = x.write(f, key)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func (x *Index) write(f io.WriterAt, key Key) error {
	h := head{Magic: [8]byte([]byte(fileMagic)), Order: byteOrder, Key: key, N: uint64(x.n)}
	if x.plain {
		h.Flags |= onlyPlain
	}
	if x.latent != nil {
		h.Flags |= withLatent
	}
	parts := x.parts()
	for i, p := range parts {
		h.Bytes[i] = uint64(len(p))
	}
	sum := crc32.Checksum(h.encode(), castagnoli)
	at := int64(headSize)
	for _, p := range parts {
		for _, b := range [][]byte{p, make([]byte, padding(len(p)))} {
			if _, err := f.WriteAt(b, at); err != nil {
				return err
			}
			sum = crc32.Update(sum, castagnoli, b)
			at += int64(len(b))
		}
	}
	h.Sum = uint64(sum)
	_, err := f.WriteAt(h.encode(), 0)
	runtime.KeepAlive(x) // what is written may lie in a file that ends with x
	return err
}

func padding(n int) int { return -n & 7 }

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// ErrNotIt is why Load returns no index where a file is there: what it holds is
// not what was asked for, or not whole.
var ErrNotIt = errors.New("not the index asked for")

// Load returns the index that Save wrote with that key. The long parts stay in
// the file, which is mapped until the index is let go of.
func Load(path string, key Key) (x *Index, err error) {
	m, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	defer func(old bool) {
		debug.SetPanicOnFault(old)
		if recover() != nil { // cut off by somebody while it was read
			x, err = nil, ErrNotIt
		}
		if x == nil {
			m.unmap()
		}
	}(debug.SetPanicOnFault(true))
	parts, h, ok := split(m.bytes, key)
	if !ok {
		return nil, ErrNotIt
	}
	x = &Index{n: int(h.N), plain: h.Flags&onlyPlain != 0, file: &mapped{}}
	x.take(parts, h.Flags&withLatent != 0)
	x.scratch.New = func() any { return newScratch(x) }
	runtime.AddCleanup(x, func(m *mapping) { m.unmap() }, m)
	return x, nil
}

// split checks a file and returns its parts.
func split(b []byte, key Key) (parts [fileParts][]byte, h head, ok bool) {
	if len(b) < headSize {
		return parts, h, false
	}
	if _, err := binary.Decode(b[:headSize], binary.NativeEndian, &h); err != nil ||
		string(h.Magic[:]) != fileMagic || h.Order != byteOrder || h.Key != key {
		return parts, h, false
	}
	sum := h.Sum
	h.Sum = 0
	at := uint64(headSize)
	for i, n := range h.Bytes {
		if n > uint64(len(b)) || at+n+uint64(padding(int(n))) > uint64(len(b)) {
			return parts, h, false
		}
		parts[i] = b[at : at+n : at+n]
		at += n + uint64(padding(int(n)))
	}
	if at != uint64(len(b)) || uint64(crc32.Update(crc32.Checksum(h.encode(), castagnoli), castagnoli, b[headSize:])) != sum {
		return parts, h, false
	}
	return parts, h, true
}

// take makes the index of its parts. Only the last three stay where they are.
func (x *Index) take(p [fileParts][]byte, latentToo bool) {
	for i := range 10 {
		p[i] = bytes.Clone(p[i])
	}
	x.terms, x.surface = map[string]int32{}, map[string]int32{}
	x.idf, x.termMost, x.postStart = cooked[float32](p[3]), cooked[float32](p[4]), cooked[int32](p[5])
	x.fwdStart, x.norm, x.kinds = cooked[int32](p[6]), cooked[float32](p[7]), cooked[Kind](p[8])
	names(string(p[0]), len(x.idf), func(i int, s string) { x.terms[s] = int32(i) })
	numbers := cooked[int32](p[2])
	names(string(p[1]), len(numbers), func(i int, s string) { x.surface[s] = numbers[i] })
	if latentToo {
		x.latent = &latent{vecs: cooked[int8](p[9])}
	}
	x.postDoc, x.postVal, x.fwd = cooked[int32](p[10]), cooked[float32](p[11]), cooked[int32](p[12])
}

// names calls f with each of n lines.
func names(lines string, n int, f func(i int, s string)) {
	for i := range n {
		s, rest, _ := strings.Cut(lines, "\n")
		f(i, s)
		lines = rest
	}
}

// A mapped is the state of an index whose long parts lie in a file.
type mapped struct{ broken atomic.Bool }

// guard ends a reading of a mapped file. Where the file was cut off underneath,
// which only something else than Polaris does, the reading fails and no more:
// the index is no use from then on.
func (m *mapped) guard(old bool) {
	debug.SetPanicOnFault(old)
	if r := recover(); r != nil {
		m.broken.Store(true)
		panic(r)
	}
}

// Broken reports whether the index can no longer be read and must be had anew.
func (x *Index) Broken() bool { return x.file != nil && x.file.broken.Load() }
