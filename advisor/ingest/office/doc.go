package office

import (
	"bytes"
	"context"
	"encoding/xml"
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
	if all, err := docbook(program, f.Name(), l, "-s"); err == nil { // hidden text too
		shown := map[string]bool{}
		for _, b := range seen.Blocks {
			shown[joined([]form.Block{b})] = true
		}
		for _, b := range all.Blocks {
			if s := joined([]form.Block{b}); !shown[s] {
				hide(seen, 0, s)
			}
		}
	}
	return seen, nil
}

// docbook has antiword write a document as DocBook, and reads that.
func docbook(program, file string, l form.Limits, more ...string) (*form.Document, error) {
	ctx, cancel := context.WithTimeout(context.Background(), antiwordTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(more, "-x", "db", "-m", "UTF-8.txt", file)...)
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
	return readDocBook(out.buf.Bytes())
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

// bookReader reads the DocBook that antiword writes.
type bookReader struct {
	w        *walker
	doc      *form.Document
	level    int // of headings
	depth    int // of lists
	numbered int // items of lists whose numbers antiword does not tell
	images   int
	tables   int
}

func readDocBook(data []byte) (*form.Document, error) {
	r := &bookReader{w: newWalker(bytes.NewReader(data), "what antiword wrote"), doc: &form.Document{MediaType: MediaDOC}}
	if err := r.w.children(func(xml.StartElement) error { return r.w.children(r.block) }); err != nil {
		return nil, err
	}
	if r.numbered > 0 {
		r.doc.Warnings = append(r.doc.Warnings, amount(r.numbered, "item")+" of numbered lists without their numbers: the old format does not give them away. Save the document as DOCX to have them.")
	}
	if len(r.doc.Blocks) == 0 {
		return nil, nothing(r.images)
	}
	return r.doc, nil
}

func (r *bookReader) block(e xml.StartElement) error {
	switch name := e.Name.Local; name {
	case "bookinfo":
		return r.w.find("?", "title", func(xml.StartElement) error {
			s, err := r.w.text()
			r.doc.Title = tidy(s)
			return err
		})
	case "chapter", "sect1", "sect2", "sect3", "sect4", "sect5":
		r.level++
		defer func() { r.level-- }()
		return r.w.children(r.block)
	case "title":
		s, err := r.w.text()
		r.add(form.Block{Kind: form.Heading, Level: max(r.level, 1), Text: s})
		return err
	case "itemizedlist", "orderedlist":
		r.depth++
		defer func() { r.depth-- }()
		return r.w.children(func(e xml.StartElement) error {
			if e.Name.Local != "listitem" {
				return r.block(e)
			}
			b := form.Block{Kind: form.Item, Level: r.depth}
			if name == "itemizedlist" {
				b.Number = "•"
			} else {
				r.numbered++
			}
			return r.w.children(func(e xml.StartElement) error {
				if e.Name.Local != "para" {
					return r.block(e)
				}
				return r.para(b)
			})
		})
	case "para":
		return r.para(form.Block{Kind: form.Paragraph})
	case "informaltable", "table":
		return r.table()
	}
	return r.w.children(r.block)
}

// para reads a paragraph; tables and footnotes stand in it, and come after it.
func (r *bookReader) para(b form.Block) error {
	var sb strings.Builder
	var after []form.Block
	var in func(e xml.StartElement) error
	in = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "informaltable", "table":
			before := r.doc.Blocks
			r.doc.Blocks = nil
			err := r.table()
			after = append(after, r.doc.Blocks...)
			r.doc.Blocks = before
			return err
		case "footnote":
			s, err := r.w.text()
			after = append(after, form.Block{Kind: form.Note, Text: s})
			return err
		}
		return r.w.content(in, func(s string) { sb.WriteString(s) })
	}
	if err := r.w.content(in, func(s string) { sb.WriteString(s) }); err != nil {
		return err
	}
	b.Text = sb.String()
	r.add(b)
	for _, b := range after {
		r.add(b)
	}
	return nil
}

func (r *bookReader) add(b form.Block) {
	if n := strings.Count(b.Text, "[pic]"); n > 0 {
		r.images += n
		b.Text = strings.ReplaceAll(b.Text, "[pic]", " ")
	}
	if b.Text = tidy(b.Text); b.Text == "" && len(b.Cells) == 0 {
		return
	}
	r.doc.Found += count(b.Text)
	r.doc.Blocks = append(r.doc.Blocks, b)
}

func (r *bookReader) table() error {
	g := grid{guess: true}
	err := r.w.find("?", "row", func(xml.StartElement) error {
		var row []cell
		err := r.w.children(func(xml.StartElement) error {
			s, err := r.w.text()
			row = append(row, cell{text: tidy(strings.ReplaceAll(s, "[pic]", " "))})
			r.doc.Found += count(row[len(row)-1].text)
			return err
		})
		g.rows = append(g.rows, row)
		return err
	})
	r.tables++
	r.doc.Blocks = append(r.doc.Blocks, g.blocks(r.tables)...)
	return err
}
