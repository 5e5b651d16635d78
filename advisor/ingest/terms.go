package ingest

import (
	"regexp"
	"strings"

	"polaris/models"
)

const verbs = `(?:means?|refers? (?:only )?to|includes?|ha(?:s|ve) the (?:same )?meanings?(?: given)?|shall have the meaning)`

var (
	// The term “consumer” means …; the terms “account” and “transfer” have the same meanings …
	quotedTerm = regexp.MustCompile(`(?:^|[\s(])[Tt]he terms? ((?:["“][^"“”\n]{1,80}["”](?:,? and |,? or |, )?)+)(?:[,\s]|$)`)
	inQuotes   = regexp.MustCompile(`["“]([^"“”\n]{1,80})["”]`)
	// “Consumer” means …
	leadQuoted = regexp.MustCompile(`^(?:\([0-9A-Za-z]{1,5}\) ?|[-*] )*["“]([^"“”\n]{1,80})["”],? ` + verbs + `\b`)
	// **Account** means …, **Account**: …
	bold = regexp.MustCompile(`^(?:\([0-9A-Za-z]{1,5}\) ?|[-*] )*(?:\*\*|__)([^*_\n]{1,80}?)(?::(?:\*\*|__)|(?:\*\*|__)(?: (?:means?|refers? to|is|are|includes?)\b|:| [-–—]))`)
	// In a section of definitions: Account means …, Account: …
	plainTerm = regexp.MustCompile(`^(?:\([0-9A-Za-z]{1,5}\) ?|[-*] )*(\p{Lu}[^.:;,\n*"“]{0,60}?)(?: ` + verbs + `\b|:\s)`)
	defining  = regexp.MustCompile(`(?i)\b(?:definitions?|glossary|defined terms|terms used|interpretation)\b`)
)

// terms finds what the passages define. It would rather miss a definition than
// take a sentence for one.
func terms(text, title string, ps []models.Passage) []models.Term {
	var out []models.Term
	for i, p := range ps {
		if p.Kind == models.Section && i+1 < len(ps) && ps[i+1].Parent == i && p.SpanEnd > p.End && p.Parent < 0 {
			continue // a section's heading
		}
		own := text[p.Start:p.End]
		own = own[:min(len(own), 2000)]
		var names []string
		if m := leadQuoted.FindStringSubmatch(own); m != nil {
			names = append(names, m[1])
		} else if m := bold.FindStringSubmatch(own); m != nil {
			names = append(names, m[1])
		} else if defining.MatchString(title + " " + strings.Join(p.Heading, " ")) {
			if m := plainTerm.FindStringSubmatch(own); m != nil && len(strings.Fields(m[1])) <= 6 {
				names = append(names, m[1])
			}
		}
		if !strings.Contains(own, "he term") {
			own = "" // matching costs more than looking
		}
		for _, m := range quotedTerm.FindAllStringSubmatchIndex(own, 4) {
			if !definesAfter(own[m[3]:]) {
				continue
			}
			for _, q := range inQuotes.FindAllStringSubmatch(own[m[2]:m[3]], -1) {
				names = append(names, q[1])
			}
		}
		for _, n := range names {
			if n = strings.Trim(n, " ,.;:"); n != "" && !has(out, n, i) {
				out = append(out, models.Term{Name: n, Ordinal: i})
			}
		}
	}
	return out
}

var definesNext = regexp.MustCompile(`^,?(?:[^.;\n]{0,160}?[, ])?` + verbs + `\b|^\s*$|^,?\s*\n`)

// definesAfter reports whether after the name of a term its meaning follows,
// possibly after "as used in this section,".
func definesAfter(s string) bool {
	m := definesNext.FindStringIndex(s)
	return m != nil && !strings.Contains(s[:m[1]], " not ")
}

func has(ts []models.Term, name string, ordinal int) bool {
	for i := len(ts) - 1; i >= 0 && ts[i].Ordinal == ordinal; i-- {
		if strings.EqualFold(ts[i].Name, name) {
			return true
		}
	}
	return false
}
