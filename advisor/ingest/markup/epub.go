package markup

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"path"
	"strings"

	"polaris/advisor/ingest/charset"
	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// IsEPUB reports whether a file is a book: a ZIP whose entries say so.
func IsEPUB(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("PK")) || !bytes.Contains(data, []byte("META-INF/container.xml")) {
		return false
	}
	b, err := openBook(data, form.Limits{Entries: 1 << 16, Unpacked: 1 << 20})
	if err != nil || !b.has("META-INF/container.xml") {
		return false
	}
	if kind, err := b.read("mimetype"); err == nil {
		return strings.TrimSpace(string(kind)) == MediaEPUB
	}
	return !b.has("[Content_Types].xml") && !b.has("META-INF/manifest.xml")
}

// EPUB reads a book: the documents of its spine, in their order.
func EPUB(data []byte, l form.Limits) (*form.Document, error) {
	b, err := openBook(data, l)
	if err != nil {
		return nil, err
	}
	var container struct {
		Roots []struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	if err := b.xml("META-INF/container.xml", &container); err != nil {
		return nil, err
	}
	if len(container.Roots) == 0 {
		return nil, fault.New(fault.Unreadable, "The EPUB does not say where its content begins.")
	}
	if b.has("META-INF/encryption.xml") && !b.fontsOnly() {
		return nil, fault.New(fault.Unreadable, "The EPUB is protected (DRM). Import a copy without protection.")
	}
	return b.spine(container.Roots[0].Path)
}

// A book is an EPUB whose entries are read under limits.
type book struct {
	entries map[string]*zip.File
	limits  form.Limits
	left    int64 // bytes that may still be unpacked
	sheets  map[string]string
}

func openBook(data []byte, l form.Limits) (*book, error) {
	if l.Entries > 0 && bytes.Count(data, []byte("PK\x01\x02")) > 2*l.Entries {
		return nil, fault.New(fault.TooLarge, "The EPUB holds more than %d entries.", l.Entries)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fault.New(fault.Unreadable, "The EPUB is damaged: its container cannot be opened.").Because(err)
	}
	b := &book{entries: make(map[string]*zip.File, len(r.File)), limits: l, left: l.Unpacked, sheets: map[string]string{}}
	if l.Unpacked == 0 {
		b.left = 1 << 40
	}
	for _, f := range r.File {
		if _, twice := b.entries[f.Name]; !twice {
			b.entries[f.Name] = f
		}
	}
	return b, nil
}

func (b *book) has(name string) bool { return b.entries[name] != nil }

// read returns an entry. What an entry says of its size is not believed.
func (b *book) read(name string) ([]byte, error) {
	f := b.entries[name]
	if f == nil {
		return nil, fault.New(fault.Unreadable, "The EPUB is incomplete: %s is missing.", clip(name))
	}
	most := b.left
	if r := b.limits.Ratio; r > 0 {
		most = min(most, max(1<<20, r*int64(min(f.CompressedSize64, 1<<40)))) //nolint:gosec // bounded
	}
	r, err := f.Open()
	if err != nil {
		return nil, fault.New(fault.Unreadable, "The EPUB is damaged: %s cannot be opened.", clip(name)).Because(err)
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if int64(len(data)) > most {
		return nil, fault.New(fault.TooLarge, "The EPUB unpacks to more than is allowed, at %s.", clip(name))
	}
	if err != nil {
		return nil, fault.New(fault.Unreadable, "The EPUB is damaged at %s.", clip(name)).Because(err)
	}
	b.left -= int64(len(data))
	return data, nil
}

// clip shortens a name from the file for a sentence.
func clip(name string) string {
	name = strings.ToValidUTF8(name, "?")
	if r := []rune(name); len(r) > 60 {
		name = string(r[:60]) + "…"
	}
	return name
}

// xml reads an entry into v. Entities beyond XML's own are refused.
func (b *book) xml(name string, v any) error {
	data, err := b.read(name)
	if err != nil {
		return err
	}
	t, err := charset.Decode(data, "")
	if err != nil {
		return err
	}
	d := xml.NewDecoder(strings.NewReader(t.UTF8))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	if err := d.Decode(v); err != nil {
		return fault.New(fault.Unreadable, "The EPUB is damaged: %s is not well-formed.", clip(name)).Because(err)
	}
	return nil
}

// fontsOnly reports whether nothing but fonts is scrambled, as many publishers do.
func (b *book) fontsOnly() bool {
	var enc struct {
		Data []struct {
			Reference struct {
				URI string `xml:"URI,attr"`
			} `xml:"CipherData>CipherReference"`
		} `xml:"EncryptedData"`
	}
	if b.xml("META-INF/encryption.xml", &enc) != nil {
		return true
	}
	for _, d := range enc.Data {
		switch strings.ToLower(path.Ext(d.Reference.URI)) {
		case ".xhtml", ".html", ".htm", ".xml", ".opf":
			return false
		}
	}
	return true
}

// A manifest is the package file of a book.
type manifest struct {
	Title    []string `xml:"metadata>title"`
	Language []string `xml:"metadata>language"`
	Items    []struct {
		ID         string `xml:"id,attr"`
		Href       string `xml:"href,attr"`
		Type       string `xml:"media-type,attr"`
		Properties string `xml:"properties,attr"`
	} `xml:"manifest>item"`
	Spine []struct {
		ID     string `xml:"idref,attr"`
		Linear string `xml:"linear,attr"`
	} `xml:"spine>itemref"`
}

// spine reads the documents in the order in which they are read.
func (b *book) spine(root string) (*form.Document, error) {
	var m manifest
	if err := b.xml(root, &m); err != nil {
		return nil, err
	}
	d := &form.Document{MediaType: MediaEPUB}
	if len(m.Title) > 0 {
		d.Title = tidy(m.Title[0])
	}
	if len(m.Language) > 0 {
		d.Language = language(m.Language[0])
	}
	type item struct{ href, kind string }
	items := map[string]item{}
	for _, i := range m.Items {
		if !strings.Contains(" "+i.Properties+" ", " nav ") {
			items[i.ID] = item{i.Href, i.Type}
		}
	}
	tables := 0
	for _, s := range m.Spine {
		i, ok := items[s.ID]
		if !ok || i.kind != "" && !strings.Contains(i.kind, "html") && !strings.Contains(i.kind, "xml") {
			continue
		}
		href, err := url.PathUnescape(i.href)
		if err != nil {
			href = i.href
		}
		part, err := b.chapter(path.Join(path.Dir(root), href))
		if err != nil {
			return nil, err
		}
		for k := range part.Blocks {
			if part.Blocks[k].Table > 0 {
				part.Blocks[k].Table += tables
			}
		}
		for _, k := range part.Blocks {
			tables = max(tables, k.Table)
		}
		d.Blocks = append(d.Blocks, part.Blocks...)
		d.Flags = append(d.Flags, part.Flags...)
		d.Warnings = append(d.Warnings, part.Warnings...)
		d.Found += part.Found
		if d.Language == "" {
			d.Language = part.Language
		}
	}
	d.Flags = d.Flags[:min(len(d.Flags), maxFlags)]
	return d, nil
}

func (b *book) chapter(name string) (*form.Document, error) {
	data, err := b.read(name)
	if err != nil {
		return nil, err
	}
	t, err := charset.Decode(data, "")
	if err != nil {
		return nil, err
	}
	d, _, err := page(t.UTF8, func(href string) string { return b.sheet(path.Dir(name), href) })
	return d, err
}

// sheet returns a style sheet of the book, "" where there is none that can be
// read: each is unpacked once.
func (b *book) sheet(from, href string) string {
	if unescaped, err := url.PathUnescape(href); err == nil {
		href = unescaped
	}
	name := path.Join(from, href)
	css, known := b.sheets[name]
	if !known && b.has(name) {
		if data, err := b.read(name); err == nil {
			css = strings.ToValidUTF8(string(data), "")
		}
		b.sheets[name] = css
	}
	return css
}
