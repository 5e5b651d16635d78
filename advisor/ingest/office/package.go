package office

import (
	"encoding/xml"
	"path"
	"strings"

	"polaris/advisor/ingest/form"
)

// A relation leads from one part of an OPC package to another.
type relation struct {
	kind   string // the last word of its type: "footnotes", "header"
	target string // the other part's name; "" where it is outside the file
}

// relations reads those of a part: "word/document.xml" has them in
// "word/_rels/document.xml.rels". The package's own belong to "".
func (c *container) relations(part string) (map[string]relation, error) {
	dir, file := path.Split(part)
	w, done, err := c.walk(dir + "_rels/" + file + ".rels")
	defer done()
	if w == nil || err != nil {
		return nil, err
	}
	rels := map[string]relation{}
	return rels, w.find("?", "Relationship", func(e xml.StartElement) error {
		r := relation{kind: path.Base(attr(e, "Type"))}
		if target := attr(e, "Target"); attr(e, "TargetMode") != "External" {
			if !strings.HasPrefix(target, "/") {
				target = path.Join("/", dir, target)
			}
			r.target = strings.TrimPrefix(path.Clean(target), "/")
		}
		rels[attr(e, "Id")] = r
		return nil
	})
}

// partOf returns the first part that a relation of that kind leads to, or
// otherwise.
func partOf(rels map[string]relation, kind, otherwise string) string {
	best := ""
	for _, r := range rels {
		if r.kind == kind && r.target != "" && (best == "" || r.target < best) {
			best = r.target
		}
	}
	if best == "" {
		return otherwise
	}
	return best
}

// properties reads a package's title and language.
func (c *container) properties(d *form.Document, rels map[string]relation) error {
	w, done, err := c.walk(partOf(rels, "core-properties", "docProps/core.xml"))
	defer done()
	if w == nil || err != nil {
		return err
	}
	return w.children(func(xml.StartElement) error {
		return w.children(func(e xml.StartElement) error {
			if e.Name.Space != "dc" {
				return nil
			}
			s, err := w.text()
			switch e.Name.Local {
			case "title":
				d.Title = tidy(s)
			case "language":
				d.Language = tidy(s)
			}
			return err
		})
	})
}
