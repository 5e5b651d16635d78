package advisor

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"polaris/models"
)

// wikiLinks is how many links into the wiki an entry of the Sources block has.
const wikiLinks = 2

// render writes an envelope as text that is complete on its own: what is said,
// the sources with their quotes, and how far it may be trusted. Entries are
// those of its citations, where they are written already.
func render(env *models.Envelope, entries []string) string {
	var b strings.Builder
	b.Grow(size(entries) + len(env.Result) + 1000)
	b.WriteString(env.Result)
	if env.Result == "" && env.Guardrail.Status != models.GuardrailPass {
		b.WriteString(declined[env.Guardrail.Reasons[0]])
	}
	if len(env.Citations) > 0 {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("## Sources\n\n")
		sources(&b, env, entries)
	}
	trust := "Guardrail: " + env.Guardrail.Status
	if len(env.Guardrail.Reasons) > 0 {
		trust += " (" + strings.Join(env.Guardrail.Reasons, ", ") + ")"
	}
	fmt.Fprintf(&b, "\n\n%s · confidence %g", trust, env.Confidence)
	for _, n := range env.Notices {
		b.WriteString("\nNote: " + n)
	}
	return b.String()
}

// sources writes the numbered entries. Where the whole quotes are more than the
// text may hold, the later ones are only in the structured citations.
func sources(b *strings.Builder, env *models.Envelope, entries []string) {
	if entries == nil {
		entries = make([]string, len(env.Citations))
		for i := range env.Citations {
			entries[i] = entry(&env.Citations[i], true)
		}
	}
	if b.Len()+size(entries) > textMost {
		quoteFirst(entries, env.Citations, textMost-b.Len())
	}
	for i, e := range entries {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e)
	}
}

// size returns how long the entries are with the line breaks between them.
func size(entries []string) int {
	n := len(entries)
	for _, e := range entries {
		n += len(e)
	}
	return n
}

// quoteFirst takes the quotes out of entries that do not fit the room, those of
// the first citations last.
func quoteFirst(entries []string, cs []models.Citation, room int) {
	short := make([]string, len(cs))
	for i := range cs {
		short[i] = entry(&cs[i], false)
		room -= len(short[i]) + 1
	}
	for i := range entries {
		if extra := len(entries[i]) - len(short[i]); extra <= room {
			room -= extra
			continue
		}
		entries[i] = short[i]
	}
}

// entry writes one citation. A quote of one line stands in the entry, a longer
// one below it as a block quote.
func entry(c *models.Citation, quoted bool) string {
	var b strings.Builder
	b.Grow(len(c.Quote) + 400) // measured: with titles and links
	b.WriteString(strconv.Itoa(c.N))
	b.WriteString(". **")
	b.WriteString(label(c.SourceID))
	b.WriteString("**")
	if l := clean(c.Locator); l != "" {
		b.WriteString(" (")
		b.WriteString(l)
		b.WriteString(")")
	}
	b.WriteString(" —")
	block := strings.ContainsAny(c.Quote, "\n\r")
	switch {
	case !quoted:
		fmt.Fprintf(&b, " (the quote of %d bytes is in the structured citations)", len(c.Quote))
	case !block:
		b.WriteString(" “")
		b.WriteString(c.Quote)
		b.WriteString("”")
	}
	if u := link(c.Provenance.OriginURL); u != "" {
		b.WriteString(" [source](" + u + ")")
	}
	for _, w := range shown(c.Wiki) {
		b.WriteString(" [wiki: ")
		b.WriteString(label(w.Entity))
		b.WriteString("](")
		b.WriteString(escapeLink.Replace(w.Ref))
		b.WriteString(")")
	}
	if quoted && block {
		for l := range strings.Lines(c.Quote) {
			b.WriteString("\n   > ")
			b.WriteString(strings.TrimRight(l, "\r\n"))
		}
	}
	return b.String()
}

// shown returns the first links; the others are in the structured citation.
func shown(links []models.WikiLink) []models.WikiLink { return links[:min(len(links), wikiLinks)] }

var escapeLabel = strings.NewReplacer("*", `\*`, "[", `\[`, "]", `\]`, "`", "\\`", "<", `\<`)

// escapeLink keeps an address from ending where it has a parenthesis.
var escapeLink = strings.NewReplacer("(", "%28", ")", "%29")

// label makes a name fit to stand in Markdown.
func label(s string) string { return escapeLabel.Replace(clean(s)) }

// link returns a source's web address fit to stand in Markdown, or "" for
// anything else.
func link(s string) string {
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return escapeLink.Replace(u.String())
}

// unprintable reports whether a character is white space, or would be invisible
// or turn the direction of what follows.
func unprintable(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// A Serving is what distinguishes one delivery of an answer from another.
type Serving struct {
	AnswerID  string
	RecordURL string
	At        time.Time
}

// Finish sets the serving fields of an envelope and ends its text with the line
// that leads to its proof.
func Finish(env *models.Envelope, s Serving) {
	at := s.At.UTC()
	env.AnswerID, env.RecordURL, env.AsOf = s.AnswerID, s.RecordURL, at.Format(time.RFC3339)
	env.Rendered += fmt.Sprintf("\n\nAnswer %s · version %d · %s · %s", s.AnswerID, env.BrainVersion, at.Format(time.DateOnly), s.RecordURL)
}
