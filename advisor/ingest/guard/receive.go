package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"polaris/advisor/cite"
	"polaris/advisor/ingest"
	"polaris/advisor/ingest/archive"
	"polaris/advisor/ingest/form"
	"polaris/models"
	"polaris/models/fault"
)

// The most that a document's parts may come to. A reader never makes more of
// MaxBytes; a child that is no longer a reader's might.
const (
	mostText = 2 * ingest.MaxBytes
	mostRest = 8 << 20 // all else but passages, as JSON
)

// nothingElse is for jobs whose only result is that they end.
func nothingElse(byte, []byte) error { return errGarbage }

// A receivedDocument puts a document together from frames.
type receivedDocument struct {
	doc      ingest.Document
	passages []models.Passage
	text     strings.Builder
	rest     []byte
}

// take takes one frame.
func (r *receivedDocument) take(kind byte, payload []byte) error {
	switch kind {
	case frameText:
		if r.text.Len()+len(payload) > mostText {
			return errGarbage
		}
		r.text.Write(payload)
	case frameRest:
		if r.rest = append(r.rest, payload...); len(r.rest) > mostRest {
			return errGarbage
		}
	case framePassages:
		// One at a time: a short list of nothing would become a long one of passages.
		for d := json.NewDecoder(bytes.NewReader(payload)); ; {
			var p models.Passage
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil || len(r.passages) == ingest.MaxPassages {
				return errGarbage
			}
			r.passages = append(r.passages, p)
		}
	default:
		return errGarbage
	}
	return nil
}

// check makes the document of what was received and holds it to what a reader
// promises, so far as anybody relies on it: no slice out of bounds, no key
// twice, no text that a database refuses.
func (r *receivedDocument) check(o ingest.Options) error {
	if err := json.Unmarshal(r.rest, &r.doc); err != nil {
		return garbled("the rest: %v", err)
	}
	d, ps := &r.doc, r.passages
	if len(d.Passages) > 0 || d.Text != "" {
		return garbled("passages or a text where none belong")
	}
	d.Passages, d.Text = ps, r.text.String()
	r.rest = nil
	switch {
	case !cite.ValidCode(d.Code) || o.Code != "" && d.Code != o.Code:
		return garbled("the code %q", d.Code)
	case d.MediaType == "" || d.Title == "" || d.Language == "" || len(d.MediaType)+len(d.Language) > 200 || len(d.Title) > 2000 || d.Pages < 0:
		return garbled("no media type, title or language, or one too long")
	case !plain(d.Text) || !plain(d.Title+d.MediaType+d.Language):
		return garbled("text that is none")
	case len(ps) == 0:
		return garbled("no passages")
	}
	keys := make(map[string]bool, len(ps))
	for i, p := range ps {
		if err := checkPassage(d.Text, i, p); err != nil {
			return err
		}
		if keys[p.Key] {
			return garbled("the key %q twice", p.Key)
		}
		keys[p.Key] = true
	}
	for _, t := range d.Terms {
		if t.Ordinal < 0 || t.Ordinal >= len(ps) || !plain(t.Name) {
			return garbled("the term %q", t.Name)
		}
	}
	for _, x := range d.Refs {
		if x.From < 0 || x.From >= len(ps) || x.Start < ps[x.From].Start || x.End <= x.Start || x.End > ps[x.From].End ||
			!boundary(d.Text, x.Start) || !boundary(d.Text, x.End) || len(x.Key)+len(x.Of) > 4000 || x.Key == "" || !plain(x.Key+x.Of) {
			return garbled("the reference to %q", x.Key)
		}
	}
	return nil
}

func checkPassage(text string, i int, p models.Passage) error {
	switch {
	case p.Ordinal != i || p.Parent < -1 || p.Parent >= i:
		return garbled("passage %d is number %d below %d", i, p.Ordinal, p.Parent)
	case p.Start < 0 || p.End < p.Start || p.SpanEnd < p.End || p.SpanEnd > len(text):
		return garbled("passage %d is at %d, %d, %d of %d", i, p.Start, p.End, p.SpanEnd, len(text))
	case !boundary(text, p.Start) || !boundary(text, p.End) || !boundary(text, p.SpanEnd):
		return garbled("passage %d begins or ends within a letter", i)
	case p.Key == "" || p.Locator == "" || len(p.Key)+len(p.Locator) > 4000 || !plain(p.Key+p.Locator+string(p.Kind)) || !plain(strings.Join(p.Heading, "")):
		return garbled("passage %d has no key or locator", i)
	case p.SourceID != "" || p.Revision != 0 || p.Page < 0:
		return garbled("passage %d belongs to a source", i)
	}
	if _, err := cite.Parse(p.Key); err != nil {
		return garbled("the key %q", p.Key)
	}
	return nil
}

// plain reports whether PostgreSQL takes s.
func plain(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

func boundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// garbled is a result that does not hold together.
func garbled(format string, args ...any) error {
	return crashed(fmt.Errorf("%w: "+format, append([]any{errGarbage}, args...)...))
}

// crashed is the fault of a document whose reader broke.
func crashed(why error) error {
	return fault.New(fault.Unreadable, "The reader broke off on this document, which may be damaged. Save it anew in its own program, or as PDF, and import that.").WithCode("parser_crashed").Because(why)
}

// A receivedArchive hands on what a child unpacks.
type receivedArchive struct {
	l       form.Limits
	each    func(name string, data []byte) error
	names   map[string]bool
	name    string
	data    []byte
	all     int64
	skipped []archive.Skipped
}

// take takes one frame.
func (r *receivedArchive) take(kind byte, payload []byte) error {
	switch kind {
	case frameBytes:
		r.data = append(r.data, payload...)
		if r.all += int64(len(payload)); r.all > r.l.Unpacked || len(r.data) > ingest.MaxBytes {
			return errGarbage
		}
	case frameName:
		if err := r.fresh(string(payload)); err != nil {
			return err
		}
		r.name = string(payload)
	case frameDocument:
		if r.name == "" {
			return errGarbage
		}
		name, data := r.name, r.data
		r.name, r.data = "", nil
		return r.each(name, data)
	case frameSkipped:
		var s archive.Skipped
		if json.Unmarshal(payload, &s) != nil || len(s.Reason) > 500 || !plain(s.Reason) {
			return errGarbage
		}
		if err := r.fresh(s.Name); err != nil {
			return err
		}
		r.skipped = append(r.skipped, s)
	default:
		return errGarbage
	}
	return nil
}

// fresh refuses a name that no archive yields, or yields twice.
func (r *receivedArchive) fresh(name string) error {
	if name != archive.Clean(name) || r.names[name] || len(r.names) > r.l.Entries {
		return errGarbage
	}
	r.names[name] = true
	return nil
}
