package tabular

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"polaris/advisor/cite"
	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// MediaJSON is the media type of JSON.
const MediaJSON = "application/json"

// A record is an object of a file, its fields in their order.
type record struct {
	names  []string
	values map[string]any
}

// IsJSON reports whether a text is JSON, or objects of it one after the other.
func IsJSON(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	var first json.RawMessage
	if d.Decode(&first) != nil || len(first) < 2 {
		return false
	}
	return first[0] == '{' || first[0] == '[' && (len(first) > 2 && bytes.IndexByte(first, '{') >= 0)
}

// JSON reads records.
func JSON(text string, _ form.Limits) (*form.Document, error) {
	records, title, err := recordsOf(text)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, fault.New(fault.Unreadable, "The JSON holds no records: an array of objects, or one object in each line.")
	}
	d := &form.Document{MediaType: MediaJSON, Title: title}
	if !provisions(d, records) {
		rows(d, records)
	}
	return d, nil
}

// recordsOf returns the objects of a file.
func recordsOf(text string) (out []record, title string, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for n := 1; ; n++ {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return out, title, nil
		}
		if err != nil {
			return nil, "", fault.New(fault.Unreadable, "The JSON is broken at byte %d.", d.InputOffset()).Because(err)
		}
		if raw[0] == '[' {
			var list []json.RawMessage
			if err := json.Unmarshal(raw, &list); err != nil {
				return nil, "", fault.New(fault.Unreadable, "The JSON is broken.").Because(err)
			}
			for _, r := range list {
				out = appendRecord(out, r)
			}
			continue
		}
		if n == 1 && !d.More() { // one object: what it holds a list of
			if list, t := listIn(raw); list != nil {
				return list, t, nil
			}
		}
		out = appendRecord(out, raw)
	}
}

// listIn returns the longest list of objects that an object holds.
func listIn(raw json.RawMessage) (out []record, title string) {
	r, ok := object(raw)
	if !ok {
		return nil, ""
	}
	for _, name := range r.names {
		list, ok := r.values[name].([]any)
		if !ok {
			continue
		}
		var found []record
		for _, v := range list {
			b, err := json.Marshal(v)
			if err != nil {
				continue
			}
			found = appendRecord(found, b)
		}
		if len(found) > len(out) {
			out = found
		}
	}
	return out, str(r, "title", "name")
}

func appendRecord(out []record, raw json.RawMessage) []record {
	if r, ok := object(raw); ok {
		return append(out, r)
	}
	return out
}

// object reads an object and the order of its fields.
func object(raw json.RawMessage) (record, bool) {
	r := record{values: map[string]any{}}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return r, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return r, false
		}
		key, ok := name.(string)
		if !ok {
			return r, false
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return r, false
		}
		if _, twice := r.values[key]; !twice {
			r.names = append(r.names, key)
		}
		r.values[key] = v
	}
	return r, true
}

// str returns the first of some fields that is set, as text.
func str(r record, names ...string) string {
	for _, n := range names {
		if v, ok := r.values[n]; ok {
			if s := plain(v); s != "" {
				return s
			}
		}
	}
	return ""
}

// plain writes a value as text.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return tidy(v)
	case json.Number, bool:
		return fmt.Sprint(v)
	case []any:
		var parts []string
		for _, e := range v {
			if s := plain(e); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "; ")
	case map[string]any:
		names := make([]string, 0, len(v))
		for n := range v {
			names = append(names, n)
		}
		slices.Sort(names)
		var parts []string
		for _, n := range names {
			if s := plain(v[n]); s != "" {
				parts = append(parts, n+": "+s)
			}
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// provisions reads records that have a key and a text, and reports whether most
// of them do.
func provisions(d *form.Document, records []record) bool {
	keyed, title := 0, ""
	for _, r := range records {
		ref, err := cite.Parse(keyOf(r, title))
		if err == nil {
			keyed++
		}
		if title == "" && err == nil && ref.System == cite.CFR {
			title = ref.Title
		}
	}
	if keyed*4 < len(records) || keyed == 0 {
		return false
	}
	without := 0
	blocks := map[string]int{}
	for _, r := range records {
		key := keyOf(r, title)
		if strings.HasSuffix(key, "¶") {
			blocks[key]++
			key += strconv.Itoa(blocks[key])
		}
		b := form.Block{Key: key, Number: str(r, "marker", "number", "num"), Text: str(r, "text", "content", "body")}
		head := str(r, "title", "heading")
		switch {
		case head == "" && b.Text == "":
			continue
		case b.Text == "":
			b.Kind, b.Level, b.Text = form.Heading, 1, head
		case head != "":
			b.Text = head + " " + b.Text
		}
		if _, err := cite.Parse(key); err != nil {
			without++
		}
		d.Blocks = append(d.Blocks, b)
		d.Found += form.Characters(b.Number + b.Text)
	}
	if without > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("Records whose key is none that could be cited: %d.", without))
	}
	return true
}

var (
	commentLabel  = regexp.MustCompile(`^(?:[Cc]omment )?(\d{1,4})-(\d{1,4}[a-z]?)((?:-[0-9A-Za-z]{1,5})*)-Interp(?:-([0-9a-zA-Z-]+))?$`)
	appendixLabel = regexp.MustCompile(`^\d{1,2} CFR (\d{1,4})-([A-Z]{1,2})(-.+)?$`)
)

// keyOf returns the citation key of a record. The labels of regulations that
// became keys word for word are written as they are cited: "Comment
// 1002-2-f-Interp-5" is 12 CFR 1002 comment 2(f)-5.
func keyOf(r record, title string) string {
	key := str(r, "key", "citation", "cite")
	if title == "" {
		return key
	}
	if m := commentLabel.FindStringSubmatch(key); m != nil {
		out := title + " CFR " + m[1] + " comment " + m[2]
		for p := range strings.SplitSeq(strings.TrimPrefix(m[3], "-"), "-") {
			if p != "" {
				out += "(" + p + ")"
			}
		}
		if m[4] != "" {
			out += "-" + strings.ReplaceAll(m[4], "-", ".")
		}
		return out
	}
	if m := appendixLabel.FindStringSubmatch(key); m != nil {
		key = title + " CFR " + m[1] + " appendix " + m[2]
		if m[3] != "" { // a paragraph that has no number of its own there
			key += " ¶"
		}
	}
	return key
}

// rows reads other records as rows of a table.
func rows(d *form.Document, records []record) {
	var header []string
	at := map[string]int{}
	for _, r := range records {
		for _, n := range r.names {
			if _, known := at[n]; !known && len(header) < 1000 {
				at[n] = len(header)
				header = append(header, n)
			}
		}
	}
	for i, r := range records {
		cells := make([]string, len(header))
		for n, v := range r.values {
			if k, known := at[n]; known {
				cells[k] = plain(v)
				d.Found += form.Characters(cells[k])
			}
		}
		d.Blocks = append(d.Blocks, form.Block{Kind: form.Row, Table: 1, Line: i + 1, Header: header, Cells: cells})
	}
}
