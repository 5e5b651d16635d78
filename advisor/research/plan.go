package research

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"polaris/models"
)

// A Part is one question of a plan.
type Part struct {
	Title string `json:"title"`
	Ask   string `json:"ask"`
}

// A Plan is a large question taken apart.
type Plan struct {
	Question string   `json:"question"`
	Parts    []Part   `json:"parts"`
	Topics   []string `json:"topics,omitempty"` // topic cards that it is scoped to, at most two
	Limits   bool     `json:"limits,omitempty"` // it asks for times and amounts

	Off []models.Withheld `json:"off,omitempty"` // what was suspended when its parts were read
}

// mostParts bounds a plan: what is longer is cut, and the report says so.
const mostParts = 12

var (
	// listed is an enumeration: three things or more, or two joined by "and".
	listed = regexp.MustCompile(`((?:[^,;:?.]+, )+[^,;:?.]+?,? (?:and|or) [^,;:?.]+)`)
	// joined is two things that are held against each other.
	joined  = regexp.MustCompile(`(?i)^(?:compare|contrast|reconcile|review)\s+(.+?)\s+(?:with|against|to|and|versus|vs\.?)\s+(.+)$`)
	between = regexp.MustCompile(`(?i)\bbetween\s+(.+?)\s+and\s+(.+)$`)
	task    = regexp.MustCompile(`(?i)^(?:please\s+)?(?:compare|contrast|analy[sz]e|review|summari[sz]e|research|investigate|assess|evaluate|examine|survey|trace|collect|map|outline|discuss|identify|describe|explain|list|(?:give|provide|write|prepare|draft|build|create|make|compile|produce)(?: me| us)?(?: an?| the)?(?: full| short| detailed| comprehensive| complete)*(?: overview| report| account| analysis| summary| briefing| outline| list| table| timeline| checklist| picture)?(?: of| on| about| how| that shows)?)\s+`)
	// riders are what a question adds to what it asks about.
	riders = regexp.MustCompile(`(?i),?\s+(?:with|including|and|together with)\s+(?:all |the |their |every )*(?:deadlines?|time limits?|limits|dates|amounts|sections?(?: for each)?|sources|citations|references|evidence|examples|exceptions)(?:(?:,| and) (?:all |the |their )*(?:deadlines?|time limits?|exceptions|sources|amounts))*\s*[.?]?$`)
	limits = regexp.MustCompile(`(?i)\b(?:deadlines?|time limits?|how (?:long|soon|much|many)|dates?|periods?|amounts?|fees?|due)\b`)
)

// MakePlan takes a question apart by its structure: each thing that it
// enumerates, each side that it holds against another, each question where it
// asks several. What has no such structure is one part.
func MakePlan(question string, topics []string) Plan {
	p := Plan{Question: clean(question), Topics: topics, Limits: limits.MatchString(question)}
	for _, q := range questions(p.Question) {
		p.Parts = append(p.Parts, parts(q)...)
	}
	p.Parts = distinct(p.Parts)
	if len(p.Parts) == 0 && p.Question != "" {
		p.Parts = []Part{{p.Question, p.Question}}
	}
	if len(p.Parts) > mostParts {
		p.Parts = p.Parts[:mostParts]
	}
	return p
}

// questions splits what asks several things one after the other.
func questions(s string) (out []string) {
	for _, q := range regexp.MustCompile(`[?;]\s+|\.\s+`).Split(s, -1) {
		if q = strings.TrimSpace(q); len(strings.Fields(q)) > 2 {
			out = append(out, q)
		}
	}
	if len(out) == 0 {
		return []string{s}
	}
	return out
}

// parts takes one question apart.
func parts(q string) []Part {
	bare := strings.TrimRight(riders.ReplaceAllString(q, ""), " .?!")
	if at := listed.FindStringIndex(bare); at != nil {
		before, items := bare[:at[0]], splitList(bare[at[0]:at[1]])
		// The first item has what stands before the enumeration: "what is to be told
		// after approval" of "after approval, counteroffer and denial".
		lead, first := leadOf(items[0])
		if shared := before + lead; len(items) > 1 {
			var out []Part
			after := bare[at[1]:]
			for i, it := range items {
				if i == 0 {
					it = first
				}
				out = append(out, Part{Title: title(it), Ask: asked(shared + it + after)})
			}
			return out
		}
	}
	if m := joined.FindStringSubmatch(bare); m != nil {
		return []Part{{title(m[1]), asked(m[1])}, {title(m[2]), asked(m[2])}}
	}
	if m := between.FindStringSubmatch(bare); m != nil && len(strings.Fields(m[1])) < 8 {
		return []Part{{title(bare), asked(bare)}, {title(m[1]), asked(m[1])}, {title(m[2]), asked(m[2])}}
	}
	return []Part{{title(bare), asked(bare)}}
}

// splitList takes an enumeration apart.
func splitList(s string) (items []string) {
	for _, x := range strings.Split(s, ", ") {
		for _, y := range regexp.MustCompile(`\s+(?:and|or)\s+`).Split(x, -1) {
			y = strings.TrimSpace(y)
			y = strings.TrimPrefix(strings.TrimPrefix(y, "and "), "or ")
			if y != "" {
				items = append(items, y)
			}
		}
	}
	return items
}

// leadOf parts the first item of an enumeration from what leads up to it: the
// words up to the last one that items follow.
func leadOf(s string) (lead, item string) {
	words := strings.Fields(s)
	for i := len(words) - 2; i >= 0; i-- {
		if slices.Contains(leads, strings.ToLower(words[i])) {
			return strings.Join(words[:i+1], " ") + " ", strings.Join(words[i+1:], " ")
		}
	}
	return "", s
}

var leads = strings.Fields("after before for of on about with by to from in between under during against how what which when where each: following: compare contrast than as is are was were do does")

// asked makes a question of what a task is about.
func asked(s string) string {
	s = strings.TrimSpace(task.ReplaceAllString(strings.TrimSpace(s), ""))
	r, n := utf8.DecodeRuneInString(s)
	if n > 0 {
		s = string(unicode.ToUpper(r)) + s[n:]
	}
	return s + "?"
}

func title(s string) string { return strings.TrimSuffix(asked(s), "?") }

func distinct(ps []Part) []Part {
	seen := map[string]bool{}
	return slices.DeleteFunc(ps, func(p Part) bool {
		k := strings.ToLower(p.Ask)
		was := seen[k]
		seen[k] = true
		return was || p.Ask == "?"
	})
}

// clean makes a question one line.
func clean(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}), " ")
}

// Cards returns the ids of those topic cards whose words a question has most of,
// at most two: what a person would have chosen for it.
func Cards(question string, topics []models.Topic) (ids []string) {
	has := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		has[w] = true
	}
	for _, t := range topics {
		words := strings.Fields(strings.ToLower(t.Label))
		n := 0
		for _, w := range words {
			if has[w] {
				n++
			}
		}
		if len(words) > 0 && n == len(words) && len(ids) < 2 {
			ids = append(ids, t.ID)
		}
	}
	return ids
}
