package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"polaris/advisor/ingest"
	"polaris/advisor/ingest/archive"
	"polaris/models/fault"
)

// ServeIfAsked does a child's work, and ends the process, if this process was
// started as one; otherwise it does nothing. It is for the first line of a
// program's main: what a child does not run cannot be used by what it reads.
func ServeIfAsked() {
	if len(os.Args) != 3 || os.Args[1] != command || os.Args[2] != childFlag || os.Getenv(mark) == "" {
		return
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve does one job.
func serve(in io.Reader, out io.Writer) error {
	closeInherited()
	w, frames := newFrameWriter(out), newFrameReader(in)
	kind, payload, err := frames.next()
	var j job
	if err == nil && kind != frameJob {
		err = errGarbage
	}
	if err == nil {
		err = json.Unmarshal(payload, &j)
	}
	if err != nil {
		return fmt.Errorf("no job: %w", err)
	}
	debug.SetMemoryLimit(j.Memory)
	limitSelf(j)
	if j.Op == opWarm {
		return warmHere(j, w)
	}
	p := shutAway(&j)
	if err := w.value(frameProtection, p); err != nil {
		return err
	}
	data, err := document(frames)
	if err != nil {
		return err
	}
	switch j.Op {
	case opHello:
	case opParse:
		err = parse(w, data, j.Options)
	case opExpand:
		err = expand(w, data, j.Options)
	default:
		err = fmt.Errorf("no job is called %q", j.Op)
	}
	if err != nil {
		return err
	}
	return w.end()
}

// document reads the bytes that the job is about.
func document(frames *frameReader) ([]byte, error) {
	var data []byte
	for {
		kind, payload, err := frames.next()
		switch {
		case err != nil:
			return nil, fmt.Errorf("no document: %w", err)
		case kind == frameEnd:
			return data, nil
		case kind != frameBytes:
			return nil, errGarbage
		}
		data = append(data, payload...)
	}
}

// parse reads the document and sends it.
func parse(w frameWriter, data []byte, o ingest.Options) error {
	d, err := ingest.Parse(data, o)
	if err != nil {
		return sendFault(w, err)
	}
	if err := w.parts(frameText, []byte(d.Text)); err != nil {
		return err
	}
	var some []byte
	for _, p := range d.Passages {
		b, err := json.Marshal(p)
		if err != nil {
			return err
		}
		if len(some)+len(b) >= maxFrame {
			if err := w.frame(framePassages, some); err != nil {
				return err
			}
			some = some[:0]
		}
		some = append(append(some, b...), '\n')
	}
	if err := w.frame(framePassages, some); err != nil {
		return err
	}
	rest := *d
	rest.Text, rest.Passages = "", nil
	b, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	if len(b) > mostRest {
		return sendFault(w, fault.New(fault.TooLarge, "The document has more terms, comments and warnings than are kept. Split it."))
	}
	return w.parts(frameRest, b)
}

// expand unpacks the archive and sends what is in it.
func expand(w frameWriter, data []byte, o ingest.Options) error {
	skipped, err := archive.Expand(data, o.Limits, func(name string, data []byte) error {
		err := w.frame(frameName, []byte(name))
		return errors.Join(err, w.parts(frameBytes, data), w.frame(frameDocument, nil))
	})
	for _, s := range skipped {
		if err := w.value(frameSkipped, s); err != nil {
			return err
		}
	}
	if err != nil {
		return sendFault(w, err)
	}
	return nil
}

// sendFault sends why there is no result.
func sendFault(w frameWriter, err error) error {
	f := fault.Of(err)
	wire := wireFault{Kind: f.Kind, Code: f.Code, Message: f.Message, Field: f.Field}
	if f.Err != nil {
		wire.Cause = oneLine(f.Err.Error())
	}
	return w.value(frameFault, wire)
}

// warmHere compiles the PDF engine into the cache. It reads nothing but a page
// of our own, and is the only one who writes there: what a child finds in the
// cache it runs, so nobody who has seen a foreign byte may leave anything in it.
func warmHere(j job, w frameWriter) error {
	if _, err := ingest.Parse([]byte(blankPDF), j.Options); err != nil && !fault.Is(err, fault.Unreadable) {
		return err
	}
	return w.end()
}

// blankPDF is the shortest document that starts the PDF engine.
const blankPDF = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R/Size 4>>\n%%EOF\n"

// scratch is where a child that has no root folder of its own may write.
func (j job) scratch() string { return filepath.Clean(j.Scratch) }
