package office

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

const (
	antiwordTime = time.Minute
	antiwordOut  = 64 << 20 // bytes
)

// DOC reads a document of Word 97 to 2003 through antiword, where that is
// installed; with inside, no other program is started. Other files of the same
// container, OLE, are refused with their name.
func DOC(data []byte, l form.Limits, inside bool) (*form.Document, error) {
	switch names := streams(data); {
	case names["EncryptedPackage"]:
		return nil, protected()
	case names["WordDocument"]:
	case names["Workbook"] || names["Book"]:
		return nil, fault.New(fault.Unsupported, "This is a workbook of an old Excel (XLS), which is not read. Save it as XLSX.")
	case names["PowerPoint Document"]:
		return nil, fault.New(fault.Unsupported, "This is a presentation of an old PowerPoint (PPT), which is not read. Save it as PPTX.")
	case names["__properties_version1.0"]:
		return nil, fault.New(fault.Unsupported, "This is a message of Outlook (MSG), which is not read. Save it as EML or PDF.")
	default:
		return nil, fault.New(fault.Unsupported, "This is an OLE file that holds no Word document. Save it as DOCX or PDF.")
	}
	program, err := exec.LookPath("antiword")
	if err != nil || inside {
		why := "antiword is not installed. Install the package antiword"
		if inside {
			why = "outside programs are off here. Allow them"
		}
		return nil, fault.New(fault.Unsupported, "This is a document of an old Word (DOC), and %s, or save the document as DOCX.", why)
	}
	return antiword(program, data, l)
}

// antiword runs the program on a file of its own: it reads standard input by
// way of /tmp, which may not be there.
func antiword(program string, data []byte, l form.Limits) (*form.Document, error) {
	f, err := os.CreateTemp("", "polaris-*.doc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	seen, err := docbook(program, f.Name(), l)
	if err != nil {
		return nil, err
	}
	if seen.lost > 0 { // of some files it writes the notes as text only
		text, err := output(program, f.Name(), l, "-w", "0", "-m", "UTF-8.txt")
		if err != nil {
			return nil, err
		}
		seen.notes(string(text))
	}
	if all, err := docbook(program, f.Name(), l, "-s"); err == nil { // hidden text too
		shown := map[string]bool{}
		for _, b := range seen.doc.Blocks {
			shown[joined([]form.Block{b})] = true
		}
		for _, b := range all.doc.Blocks {
			if s := joined([]form.Block{b}); !shown[s] {
				hide(seen.doc, 0, s)
			}
		}
	}
	return seen.close()
}

// docbook has antiword write a document as DocBook, and reads that.
func docbook(program, file string, l form.Limits, more ...string) (*bookReader, error) {
	out, err := output(program, file, l, append(more, "-x", "db")...)
	if err != nil {
		return nil, err
	}
	return readDocBook(out)
}

// output runs antiword, within limits of time and output.
func output(program, file string, l form.Limits, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), antiwordTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(arguments, file)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "LC_ALL=C.UTF-8"}
	cmd.WaitDelay = time.Second
	most := int64(antiwordOut)
	if l.Unpacked > 0 {
		most = min(most, l.Unpacked)
	}
	out, complaint := &bounded{most: most, stop: cancel}, &bounded{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, complaint
	err := cmd.Run()
	switch {
	case out.over:
		return nil, fault.New(fault.TooLarge, "The document has more than %d MiB of text.", most>>20)
	case ctx.Err() != nil:
		return nil, fault.New(fault.Unreadable, "antiword did not finish the document within %s. Save it as DOCX.", antiwordTime).Because(err)
	case strings.Contains(strings.ToLower(complaint.buf.String()), "encrypted"):
		return nil, protected().(*fault.Error).Because(err) //nolint:errorlint // it is one
	case err != nil:
		return nil, fault.New(fault.Unreadable, "The document is damaged: antiword cannot read it. Save it as DOCX.").Because(err)
	}
	return out.buf.Bytes(), nil
}

// bounded keeps what is written to it, up to most. It is no bytes.Buffer, which
// would be read into past all bounds.
type bounded struct {
	buf  bytes.Buffer
	most int64
	stop func()
	over bool
}

// Write ends the program once there is too much; without stop, it drops that.
func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.buf.Len()+len(p)) > b.most {
		b.over = true
		if b.stop == nil {
			return len(p), nil
		}
		b.stop()
		return 0, errors.New("too much")
	}
	return b.buf.Write(p)
}
