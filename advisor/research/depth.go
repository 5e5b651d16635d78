package research

import (
	"regexp"
	"strings"
)

// A Depth is how much work a question is.
type Depth string

// Depths.
const (
	Meta    Depth = "meta"    // about this server: answered at once
	Shallow Depth = "shallow" // one answer of the advisor
	Deep    Depth = "deep"    // sub-questions, notes and a report
)

// A sign is something in a question that speaks for a report; weights of one
// make it one.
type sign struct {
	pattern *regexp.Regexp
	weight  float64
}

func signs(weight float64, patterns ...string) (all []sign) {
	for _, p := range patterns {
		all = append(all, sign{regexp.MustCompile(`(?i)` + p), weight})
	}
	return all
}

// What asks for work on more than one passage: a verb of work at the beginning,
// a whole, several things held against each other.
var deepSigns = append(append(
	signs(1,
		`^(?:compare|contrast|analy[sz]e|review|summari[sz]e|research|investigate|assess|evaluate|examine|survey|trace|collect|map|outline|discuss|identify|prepare|draft|write|rank|reconcile|audit)\b`,
		`^(?:build|create|make|give|provide|compile|put together|draw up|produce|show)\b.*\b(?:list|table|timeline|checklist|overview|report|account|analysis|summary|briefing|outline|matrix|picture|evidence)\b`,
		`^(?:go through|find (?:every|all|each)|list (?:all|every|each))\b`,
		`\b(?:step by step|from start to (?:end|finish)|full picture|pros and cons|for and against|in detail|comprehensive|overview of)\b`,
		`\bthe (?:life|whole|history) of\b|\bhow (?:they|these|both) work together\b`,
	),
	signs(0.6,
		`\b(?:compared? (?:with|to)|differ(?:ences|s)?\b.*\b(?:why|and what|follow|effect)|disagree|conflicts?|contradict\w*|inconsisten\w*|consistent with|overlap\w*)`,
		`\b(?:gaps?|risks?|implications?|consequences|unanswered|recommend\w*|propose\w*|timeline)\b`,
		`\b(?:what changed|would have to change|which (?:one )?wins|what follows)\b`,
		`\b(?:all|every|each|everything)\b.*\b(?:across|in order|with (?:the )?(?:section|source)s?|polic(?:y|ies)|documents|sources|obligations|requirements|deadlines|duties|channel|question)\b`,
		`\b(?:policies|documents|sources|rules)\b.*\b(?:and|or)\b.*\b(?:which|why|where|support|differ)\b`,
	)...),
	signs(0.5,
		`\bwhy\b`,
		`\b(?:what do|how do|how are|how is|what would)\b.*,.*\b(?:and|or)\b`,
		`\bfrom (?:\S+ ){1,4}to\b`,
		`\w, [^,?]+\b(?:and|or) \w`, // three things or more
		`\b(?:both sides|with (?:the )?(?:sources|evidence)|what do (?:the|our) (?:sources|documents|policies) say)\b`,
		`\band\b[^,?]*\b(?:which|what|how|do|does)\b`,
	)...)

var (
	polite  = regexp.MustCompile(`(?i)^(?:please|hello|hi|hey|good (?:morning|afternoon|evening)|thanks|thank you|(?:can|could|would|will) you(?: please)?(?: tell (?:me|us)| explain| say| check| find out| show (?:me|us))?|i(?:'d| would) like (?:you )?to (?:know|ask)|do you know|tell (?:me|us))\b[\s,:!.]*`)
	second  = regexp.MustCompile(`(?i)\b(?:you|your|yours|yourself)\b`)
	aboutMe = regexp.MustCompile(`(?i)^(?:help|how do i use (?:this|it)|what is this|how (?:long|much) does an? (?:report|answer|job) (?:take|cost)|(?:is|are) (?:this|the) (?:server|service|assistant|bot)\b)`)
	thanks  = regexp.MustCompile(`(?i)^(?:hello|hi|hey|thanks|thank you|good (?:morning|afternoon|evening)|ok|okay|bye)\b`)
)

// Classify says how much work a question is, by rules: English ones, and such
// that hold of any language.
func Classify(question string) Depth {
	q := strings.Join(strings.Fields(question), " ")
	asked := q
	for {
		rest := polite.ReplaceAllString(asked, "")
		if rest == asked {
			break
		}
		asked = rest
	}
	if len(strings.Fields(asked)) < 4 && second.MatchString(q) && !strings.HasSuffix(asked, q) {
		return Meta // "can you search the web": what it can do, not what is to be done
	}
	if asked == "" || aboutMe.MatchString(asked) || second.MatchString(asked) || thanks.MatchString(q) && len(strings.Fields(asked)) < 5 && !strings.Contains(asked, "?") {
		return Meta
	}
	weight := 0.0
	for _, s := range deepSigns {
		if s.pattern.MatchString(asked) {
			weight += s.weight
		}
	}
	switch n := len(strings.Fields(asked)); {
	case n > 60:
		weight++
	case n > 25:
		weight += 0.5
	}
	if strings.Count(asked, "?") > 2 {
		weight += 0.5
	}
	if weight >= 1 {
		return Deep
	}
	return Shallow
}
