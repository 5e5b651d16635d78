package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"polaris/advisor/ingest"
	"polaris/advisor/ingest/archive"
	"polaris/advisor/ingest/form"
	"polaris/advisor/ingest/guard"
	"polaris/models"
	"polaris/models/fault"
)

// leastParseMemory is what a child needs before it has read anything, and some.
const leastParseMemory = 64 << 20

// extractor returns what reads documents: in children, within the settings'
// limits.
func (c *checked) extractor(log *slog.Logger) *guard.Extractor {
	return &guard.Extractor{
		Limits: guard.Limits{
			Memory: c.ParseMemory, Time: c.ParseTime,
			Limits: form.Limits{Pages: c.ParsePages, Unpacked: c.ParseUnpacked, Ratio: c.ParseRatio, Entries: c.ParseEntries},
		},
		AtOnce: c.Workers, Cache: c.engineCache(), Log: log, Languages: c.OCRLanguages,
	}
}

// engineCache is the folder in which the compiled PDF engine is kept: in the
// data folder, or, where there is none, where this user's programs keep such
// things.
func (c *checked) engineCache() string {
	if st, err := os.Stat(c.DataDir); err == nil && st.IsDir() {
		return filepath.Join(c.DataDir, "cache", "pdf")
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "polaris", "pdf")
}

type extractCmd struct {
	Path    string `arg:"" help:"File to read, or - for standard input."`
	Title   string `help:"Default: the document's own."`
	Code    string `help:"Prefix of its citation keys. Default: proposed from the title."`
	Cites   string `help:"What its section numbers belong to, such as '15 U.S.C.'." placeholder:"BASE"`
	Verbose bool   `short:"v" help:"Say how the process that reads it is shut away, and how long each stage took."`
}

// An extract is what the parser sees in a document.
type extract struct {
	MediaType string             `json:"media_type"`
	Title     string             `json:"title"`
	Code      string             `json:"code"`
	Language  string             `json:"language"`
	Pages     int                `json:"pages,omitempty"`
	Passages  []extractedPassage `json:"passages"`
	Warnings  []string           `json:"warnings"`
	Flags     []models.Flag      `json:"flags"`
	Margins   []string           `json:"margins"`  // headers and footers that repeat, which are not in the text
	Comments  []form.Comment     `json:"comments"` // of reviewers, likewise
	Refs      []extractedRef     `json:"refs"`     // what its passages cite
	Report    ingest.Report      `json:"report"`

	Protection *guard.Protection `json:"protection,omitempty"` // where it was asked for
}

type extractedPassage struct {
	Locator string   `json:"locator"`
	Key     string   `json:"key"`
	Heading []string `json:"heading"`
	Text    string   `json:"text"`
	Start   int      `json:"start"`
	End     int      `json:"end"`
	Page    int      `json:"page,omitempty"`
}

// An extractedRef is what a passage cites. Whether there is such a passage in
// other documents only a brain knows.
type extractedRef struct {
	From string `json:"from"` // key of the passage
	Text string `json:"text"`
	Key  string `json:"key"`
	Of   string `json:"of,omitempty"`
	Here bool   `json:"here"` // this document has a passage with the key
}

// Run reads the file in a child, as an import does, and prints what came out. It
// needs no database.
func (x *extractCmd) Run(ctx context.Context, c *console) error {
	set, err := c.settings()
	if err != nil {
		return err
	}
	data, name, err := x.read(c, set.MaxUploadBytes)
	if err != nil {
		return err
	}
	read := set.extractor(set.quiet(c))
	if archive.Is(data) {
		return x.list(ctx, c, read, data)
	}
	d, err := read.Parse(ctx, data, ingest.Options{Name: name, Title: x.Title, Code: x.Code, Cites: x.Cites})
	if err != nil {
		return about(x.Path, err)
	}
	out := extracted(d)
	if x.Verbose {
		p, err := read.Protection(ctx)
		if err != nil {
			return err
		}
		out.Protection = &p
	}
	return c.print(out, out.print)
}

// read returns the document's bytes and its file name.
func (x *extractCmd) read(c *console, most int64) (data []byte, name string, err error) {
	if strings.HasPrefix(x.Path, "http://") || strings.HasPrefix(x.Path, "https://") {
		return nil, "", fault.New(fault.Invalid, "%s is an address, and bb extract fetches nothing. Save what is there and extract the file, or use bb import.", x.Path)
	}
	if st, err := os.Stat(x.Path); err == nil && st.IsDir() {
		return nil, "", fault.New(fault.Invalid, "%s is a folder. Name one of its files, or a ZIP archive of them.", x.Path)
	}
	if x.Path != "-" {
		data, err = readDocument(x.Path, most)
		return data, filepath.Base(x.Path), err
	}
	data, err = c.readAll(most)
	if err != nil {
		return nil, "", fault.New(fault.TooLarge, "Standard input could not be read: %v.", err)
	}
	return data, "", nil
}

func extracted(d *ingest.Document) extract {
	out := extract{
		MediaType: d.MediaType, Title: d.Title, Code: d.Code, Language: d.Language, Pages: d.Pages, Passages: []extractedPassage{},
		Warnings: append([]string{}, d.Warnings...), Flags: append([]models.Flag{}, d.Flags...),
		Margins: append([]string{}, d.Margins...), Comments: append([]form.Comment{}, d.Comments...), Refs: []extractedRef{}, Report: d.Report,
	}
	here := map[string]bool{}
	for _, p := range d.Passages {
		here[p.Key] = true
		out.Passages = append(out.Passages, extractedPassage{p.Locator, p.Key, append([]string{}, p.Heading...), d.Text[p.Start:p.End], p.Start, p.End, p.Page})
	}
	for _, r := range d.Refs {
		out.Refs = append(out.Refs, extractedRef{d.Passages[r.From].Key, d.Text[r.Start:r.End], r.Key, r.Of, r.Of == "" && here[r.Key]})
	}
	return out
}

// print writes the document for somebody who wants to see whether it was read
// well: what it is, what to look at, then its passages under their headings.
func (e extract) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n%s, %s, language %s, citation code %s", e.Title, e.MediaType, counted(len(e.Passages), "passage"), e.Language, e.Code)
	if e.Pages > 0 {
		fmt.Fprintf(w, ", %s", counted(e.Pages, "page"))
	}
	fmt.Fprintln(w)
	if e.Report.Found > 0 && e.Report.Kept < e.Report.Found {
		fmt.Fprintf(w, "%d of the file's %d letters are in the text\n", e.Report.Kept, e.Report.Found)
	}
	if len(e.Refs) > 0 {
		own := 0
		for _, r := range e.Refs {
			if r.Here {
				own++
			}
		}
		fmt.Fprintf(w, "%s, %d of them to this document\n", counted(len(e.Refs), "cross-reference"), own)
	}
	for _, s := range e.Warnings {
		fmt.Fprintln(w, "warning: "+s)
	}
	for _, f := range e.Flags {
		fmt.Fprintf(w, "a curator must look: %s%s: %s\n", strings.ReplaceAll(string(f.Kind), "_", " "), onPage(f.Page), oneLine(f.Text))
	}
	for _, m := range e.Margins {
		fmt.Fprintln(w, "on each page, not in the text: "+oneLine(m))
	}
	for _, m := range e.Comments {
		fmt.Fprintf(w, "comment by %s, not in the text: %s\n", cmp.Or(m.By, "somebody"), oneLine(m.Text))
	}
	if e.Protection != nil {
		fmt.Fprintf(w, "read in a process of its own; kept from it by %s\n", e.Protection)
		for _, s := range e.Report.Stages {
			fmt.Fprintf(w, "  %-10s %8.1f ms\n", s.Name, float64(s.Micros)/1000)
		}
	}
	above, before := "", ""
	for _, p := range e.Passages {
		h := strings.Join(p.Heading, " › ")
		if h != above && (len(p.Heading) == 0 || p.Heading[len(p.Heading)-1] != before) { // a heading that stands right above says it itself
			fmt.Fprintf(w, "\n— %s —\n", cmp.Or(h, e.Title))
		}
		above, before = h, strings.TrimSpace(p.Text)
		fmt.Fprintf(w, "\n[%s]%s\n  %s\n", p.Key, onPage(p.Page), strings.ReplaceAll(strings.TrimRight(p.Text, "\n"), "\n", "\n  "))
	}
}

func onPage(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" p. %d", n)
}

// An extractedEntry is one document of an archive, or what was left out of it.
type extractedEntry struct {
	Name     string `json:"name"`
	Passages int    `json:"passages,omitempty"`
	Reason   string `json:"reason,omitempty"` // why it was not read
}

// list reads each document of an archive and says what became of it.
func (x *extractCmd) list(ctx context.Context, c *console, read *guard.Extractor, data []byte) error {
	entries := []extractedEntry{}
	failed := 0
	skipped, err := read.Expand(ctx, data, func(name string, b []byte) error {
		d, err := read.Parse(ctx, b, ingest.Options{Name: name, Cites: x.Cites})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed++
			entries = append(entries, extractedEntry{Name: name, Reason: sentence(fault.Of(err))})
			return nil
		}
		entries = append(entries, extractedEntry{Name: name, Passages: len(d.Passages)})
		return nil
	})
	if err != nil {
		return about(x.Path, err)
	}
	for _, s := range skipped {
		entries = append(entries, extractedEntry{Name: s.Name, Reason: s.Reason})
	}
	if err := c.print(entries, func(w io.Writer) {
		t := table(w, "FILE", "PASSAGES", "NOT READ BECAUSE")
		for _, e := range entries {
			t.row(e.Name, e.Passages, oneLine(e.Reason))
		}
		t.Flush()
	}); err != nil {
		return err
	}
	if n := failed + len(skipped); n == len(entries) {
		return fault.New(fault.Unreadable, "%s: none of the archive's %s could be read.", x.Path, counted(n, "file"))
	}
	return nil
}
