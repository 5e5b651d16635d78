package advisor

import (
	"fmt"
	"unicode/utf8"

	"polaris/models"
)

// check refuses a corpus whose spans do not fit its texts, so that no question
// can ever make the engine panic.
func check(c *models.Corpus) error {
	for d := range c.Docs {
		doc := &c.Docs[d]
		text := doc.Revision.Text
		if !utf8.ValidString(text) {
			return fmt.Errorf("building the engine of %s: the text of source %s is not UTF-8", c.Brain, doc.Source.ID)
		}
		for i, p := range doc.Passages {
			ok := 0 <= p.Start && p.Start <= p.End && p.End <= p.SpanEnd && p.SpanEnd <= len(text) &&
				boundary(text, p.Start) && boundary(text, p.End) && boundary(text, p.SpanEnd) &&
				p.Parent < i && (i == 0 || doc.Passages[i-1].Start <= p.Start)
			if !ok {
				return fmt.Errorf("building the engine of %s: passage %d of source %s has span %d:%d:%d below %d in %d bytes",
					c.Brain, i, doc.Source.ID, p.Start, p.End, p.SpanEnd, p.Parent, len(text))
			}
		}
	}
	return nil
}

// boundary reports whether a character begins at i, or the text ends.
func boundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }
