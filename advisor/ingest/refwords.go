package ingest

import (
	"regexp"
	"strings"

	"polaris/advisor/cite"
)

// maxOwner is how far behind a citation its document may be named, in bytes.
const maxOwner = 160

// ownerOf reads "of the Companies Act 2006", "of that Act", "of the 2010
// Regulations", "of Regulation Z" behind a citation.
var ownerOf = regexp.MustCompile(`^\s*,?\s*(?:of|to|in|under)\s+(?:(this|these)\s|(?:(?:the|that|those|an?|any|such|said)\s+)?` +
	`((?:(?:[A-Z][\pL\pN'’&-]*|\d{4}),?\s+(?:(?:of|and|the|for|on|in|to|&|\([^()]*\))\s+)*)*?` +
	`(?:[Aa]cts?|Code|Orders?|Regulations?|Rules?|Directive|Ordinance|Statutes?|Measure|Treaty|Convention|Constitution|Bill|Policy|Handbook|Manual|Agreement)\b` +
	`(?:\s+(?:of\s+)?(?:\d{4}\b|[A-Z]{1,2}\b|\(?[A-Z]{2,3}\)?\s+\d[\d/]*))?))`)

// between is what stands between the members of a list.
var between = regexp.MustCompile(`^[\s,;§&–—-]*(?:(?:and|or|to|through|sections?)\b[\s,§]*){0,2}$`)

// owners returns for each citation the name of the document that the words
// behind it say it is of, "" where they say none or this one. A list has its
// document at its end.
func owners(text string, found []cite.Match) []string {
	out := make([]string, len(found))
	this := make([]bool, len(found))
	for i := len(found) - 1; i >= 0; i-- {
		end := found[i].End
		if m := ownerOf.FindStringSubmatch(text[end:min(len(text), end+maxOwner)]); m != nil {
			out[i], this[i] = strings.Join(strings.Fields(m[2]), " "), m[1] != ""
			continue
		}
		if i+1 < len(found) && !this[i+1] {
			next := found[i+1].Start
			if next <= end || next-end < 40 && between.MatchString(text[end:next]) {
				out[i] = out[i+1]
			}
		}
	}
	return out
}

// sameName reports whether a name in a text is that of the document.
func sameName(name, title string) bool {
	return strings.EqualFold(strings.TrimPrefix(name, "the "), strings.TrimPrefix(title, "The "))
}

// within finds "paragraph (b)(1)", "paragraphs (a) through (c)", "subsection (2)".
var within = regexp.MustCompile(`(?i)\b(paragraphs?|subsections?)\s+(?:\([a-z0-9]{1,5}\)){1,6}`)

// whose reads what a paragraph is said to be of.
var whose = regexp.MustCompile(`^\s*,?\s*(?:of|to|in|under)\s+(this section|this subsection|\S+)`)

// relatives finds what a passage cites by its place in the section that both are
// of. Those that say so are Named, a subsection without a word more may be meant
// of another.
func relatives(text string, own cite.Ref) (out []cite.Match) {
	if own.Kind != cite.Provision || own.Number == "" || own.Heading != "" {
		return nil
	}
	own.Block, own.Nth = 0, 0
	for _, loc := range within.FindAllStringSubmatchIndex(text, -1) {
		first := loc[0] + strings.IndexByte(text[loc[0]:loc[1]], '(')
		base := own
		base.Paras = ""
		ms := listed(text, first, base)
		if len(ms) == 0 {
			continue
		}
		of := ""
		last := ms[len(ms)-1].End
		if m := whose.FindStringSubmatch(text[last:min(len(text), last+60)]); m != nil {
			of = strings.ToLower(m[1])
		}
		strength := cite.Named
		switch of {
		case "this section":
		case "this subsection":
			level := strings.IndexByte(own.Paras, ')') + 1
			if level == 0 {
				continue
			}
			base.Paras = own.Paras[:level]
			ms = listed(text, first, base)
		case "":
			if text[loc[0]]|0x20 != 's' { // "paragraph (a)" may be of anything
				continue
			}
			strength = cite.Bare
		default:
			continue
		}
		for _, m := range ms {
			m.Start, m.Strength = max(m.Start, loc[0]), strength
			out = append(out, m)
		}
	}
	return out
}

// listed reads the paragraphs at i as if their section stood before them.
func listed(text string, i int, base cite.Ref) (out []cite.Match) {
	head := "§ " + base.Number + base.Paras
	s := head + text[i:min(len(text), i+200)]
	end := 0
	for _, m := range cite.Find(s) {
		if end > 0 && m.Start > end && !between.MatchString(s[end:m.Start]) || m.Ref.Number != base.Number || m.Ref.Title != "" {
			break
		}
		end = m.End
		m.Ref.Title, m.Ref.System, m.Ref.Code = base.Title, base.System, base.Code
		m.Start, m.End = max(0, m.Start-len(head))+i, m.End-len(head)+i
		out = append(out, m)
	}
	return out
}
