package guard

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"polaris/advisor/ingest"
	"polaris/models/fault"
)

// Parent and child talk in frames over two pipes: a letter, the payload's
// length, the payload. The parent sends a job and the document's bytes; the
// child answers with its protection, then with what the job asks for, then with
// its end.
const (
	frameJob   = 'j' // parent to child: a job
	frameBytes = 'b' // both ways: a part of a document's bytes
	frameEnd   = 'e' // both ways: the end of what was asked, or of the bytes

	frameProtection = 'p' // child to parent
	frameFault      = 'f' // a fault instead of a result
	frameText       = 't' // a part of a document's text
	framePassages   = 'q' // some of its passages, one after the other
	frameRest       = 'r' // a part of what else it is
	frameName       = 'n' // the name of an archive's entry; its bytes follow
	frameDocument   = 'd' // the end of that entry
	frameSkipped    = 's' // an entry that was left out
)

// maxFrame is the longest payload. What is longer goes in parts, so that the
// parent never allocates by what a child says.
const maxFrame = 1 << 20

// errGarbage is what a child that does not keep to the above has done.
var errGarbage = errors.New("the child does not speak as it should")

// What a child can be asked for.
const (
	opHello  = "hello"  // nothing but its protection
	opParse  = "parse"  // a document
	opExpand = "expand" // an archive's entries
	opWarm   = "warm"   // to compile the PDF engine into the cache: no foreign byte is read, and nothing shut away
)

// A job is what a child does, and within what.
type job struct {
	Op      string
	Options ingest.Options
	Memory  int64 // of Go's heap
	Data    int64 // RLIMIT_DATA
	CPU     int64 // seconds
	Scratch string
	Cached  bool // the descriptor after standard error is the cache's folder
	Apart   bool // it is in namespaces of its own
	Second  bool // and there is a second user in them, without rights
	Inside  bool
	Lack    wireLack
}

// A wireLack is a lack in a job.
type wireLack struct{ Mounts, Landlock, Seccomp bool }

// A wireFault is a fault on its way to the parent.
type wireFault struct {
	Kind                        fault.Kind
	Code, Message, Field, Cause string
}

// A frameWriter writes frames.
type frameWriter struct{ w *bufio.Writer }

func newFrameWriter(w io.Writer) frameWriter { return frameWriter{bufio.NewWriterSize(w, 64<<10)} }

// frame writes one frame.
func (f frameWriter) frame(kind byte, payload []byte) error {
	if len(payload) > maxFrame {
		return fmt.Errorf("a frame of %d bytes", len(payload))
	}
	var head [5]byte
	head[0] = kind
	binary.BigEndian.PutUint32(head[1:], uint32(len(payload))) //nolint:gosec // at most maxFrame
	_, err := f.w.Write(head[:])
	if err == nil {
		_, err = f.w.Write(payload)
	}
	return err
}

// parts writes data as frames of a kind.
func (f frameWriter) parts(kind byte, data []byte) error {
	for len(data) > 0 {
		n := min(len(data), maxFrame)
		if err := f.frame(kind, data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// value writes v as one frame.
func (f frameWriter) value(kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return f.frame(kind, b)
}

// end writes the last frame and sends all of them.
func (f frameWriter) end() error {
	if err := f.frame(frameEnd, nil); err != nil {
		return err
	}
	return f.w.Flush()
}

// A frameReader reads frames. A payload is good until the next one.
type frameReader struct {
	r   *bufio.Reader
	buf []byte
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next frame.
func (f *frameReader) next() (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return 0, nil, err
	}
	n := int(binary.BigEndian.Uint32(head[1:]))
	if n > maxFrame {
		return 0, nil, errGarbage
	}
	if cap(f.buf) < n {
		f.buf = make([]byte, max(n, 4<<10))
	}
	payload = f.buf[:n]
	_, err = io.ReadFull(f.r, payload)
	return head[0], payload, err
}
