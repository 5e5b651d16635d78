package markup

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"

	"polaris/advisor/ingest/charset"
	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// maxParts bounds the parts of a mail that are looked at.
const maxParts = 1000

// EML reads a mail: who wrote to whom about what, and its text. Attachments are
// not read; a warning names them.
func EML(data []byte, l form.Limits) (*form.Document, error) {
	e, err := message.Read(strings.NewReader(string(data)))
	if err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) || e == nil {
		return nil, fault.New(fault.Unreadable, "The mail cannot be read: its header is damaged.").Because(err)
	}
	r := mail.NewReader(e)
	m := &letter{doc: &form.Document{MediaType: MediaEML}, limits: l}
	m.header(r.Header)
	for range maxParts {
		p, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) || p == nil {
			m.doc.Warnings = append(m.doc.Warnings, "The mail is damaged; what comes after its "+ordinals(len(m.plain)+len(m.pages))+" part is missing.")
			break
		}
		if err := m.part(p); err != nil {
			return nil, err
		}
	}
	return m.document()
}

func ordinals(n int) string { return fmt.Sprintf("%d.", n) }

// A letter is a mail that is being read.
type letter struct {
	doc      *form.Document
	limits   form.Limits
	plain    []string
	pages    []string // HTML
	attached []string
}

// header makes the first paragraph of what stands above a letter.
func (m *letter) header(h mail.Header) {
	var parts []string
	for _, name := range []string{"From", "To", "Cc"} {
		if v := addresses(h, name); v != "" {
			parts = append(parts, name+": "+v)
		}
	}
	if at, err := h.Date(); err == nil && !at.IsZero() {
		parts = append(parts, "Date: "+at.UTC().Format(time.DateOnly+" 15:04")+" UTC")
	}
	if subject := decoded(h.Get("Subject")); subject != "" {
		m.doc.Title = subject
		parts = append(parts, "Subject: "+subject)
	}
	if len(parts) > 0 {
		m.doc.Blocks = append(m.doc.Blocks, form.Block{Text: strings.Join(parts, " · ")})
		m.doc.Found += form.Characters(strings.Join(parts, " · "))
	}
}

func addresses(h mail.Header, name string) string {
	list, err := h.AddressList(name)
	if err != nil {
		return decoded(h.Get(name))
	}
	out := make([]string, 0, len(list))
	for _, a := range list {
		if a.Name == "" {
			out = append(out, a.Address)
			continue
		}
		out = append(out, tidy(a.Name)+" <"+a.Address+">")
	}
	return strings.Join(out, ", ")
}

// decoded returns a header's words, in whatever charset they are written.
func decoded(s string) string {
	d := mime.WordDecoder{CharsetReader: func(name string, r io.Reader) (io.Reader, error) {
		b, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		t, err := charset.Decode(b, name)
		return strings.NewReader(t.UTF8), err
	}}
	out, err := d.DecodeHeader(s)
	if err != nil {
		out = s
	}
	if t, err := charset.Decode([]byte(out), ""); err == nil {
		out = t.UTF8
	}
	return tidy(out)
}

// part reads one part of a mail.
func (m *letter) part(p *mail.Part) error {
	var kind, name string
	var params map[string]string
	switch h := p.Header.(type) {
	case *mail.InlineHeader:
		kind, params, _ = h.ContentType()
		name = params["name"]
	case *mail.AttachmentHeader:
		name, _ = h.Filename()
		if name == "" {
			name, _, _ = h.ContentType()
		}
		m.attached = append(m.attached, clip(decoded(name)))
		return nil
	}
	if kind != "" && kind != "text/plain" && kind != "text/html" {
		if name == "" {
			name = kind
		}
		m.attached = append(m.attached, clip(decoded(name)))
		return nil
	}
	data, err := io.ReadAll(p.Body)
	if err != nil {
		m.doc.Warnings = append(m.doc.Warnings, "A part of the mail is damaged; its end is missing.")
	}
	t, err := charset.Decode(data, params["charset"])
	if err != nil {
		return err
	}
	if kind == "text/html" {
		m.pages = append(m.pages, t.UTF8)
		return nil
	}
	m.plain = append(m.plain, t.UTF8)
	return nil
}

// document puts the parts together. Where a mail has its text twice, the plain
// one is read: it is what cannot hide anything.
func (m *letter) document() (*form.Document, error) {
	d := m.doc
	said := false
	for _, t := range m.plain {
		said = said || strings.TrimSpace(t) != ""
		d.Blocks = append(d.Blocks, Paragraphs(t)...)
		d.Found += form.Characters(t)
	}
	for _, page := range m.pages {
		h, err := HTML(page, m.limits)
		if err != nil {
			return nil, err
		}
		d.Flags = append(d.Flags, h.Flags...)
		if said {
			continue
		}
		d.Blocks = append(d.Blocks, h.Blocks...)
		d.Found += h.Found
	}
	d.Flags = d.Flags[:min(len(d.Flags), maxFlags)]
	if len(m.attached) > 0 {
		d.Warnings = append(d.Warnings, "Attachments are not read: "+strings.Join(m.attached[:min(len(m.attached), 10)], ", ")+". Import what is needed of them.")
	}
	return d, nil
}
