package keys

import (
	"slices"
	"strconv"

	"polaris/views/form"
)

// scopeWords say what a key with a scope can do, for whoever chooses.
var scopeWords = map[string]string{
	"advisor:read":  "Ask: answers, passages, topic cards and the wiki of the published version.",
	"research:run":  "Run research jobs on this brain and fetch their reports.",
	"mcp:invoke":    "Use the operator tools that read: sources, cards and versions as curators see them.",
	"mcp:write":     "Use the operator tools that change something. Each change waits for a second person.",
	"mcp:any-brain": "Reach every brain in which the owner is a curator, on stdio only.",
}

// ScopeChoices returns the scopes as the form offers them, with those chosen
// ticked.
func ScopeChoices(offered, chosen []string) []form.Choice {
	var choices []form.Choice
	for _, s := range offered {
		choices = append(choices, form.Choice{Value: s, Label: s, Hint: scopeWords[s], Chosen: slices.Contains(chosen, s)})
	}
	return choices
}

// Never is the choice of a key that does not expire.
const Never = "never"

// LifetimeChoices returns the lifetimes in days as the form offers them, and
// never where the brain allows it. The first is kept, unless it is empty: what
// leaves the key's end as it is.
func LifetimeChoices(kept string, offered []int, never bool, chosen string) []form.Choice {
	var choices []form.Choice
	if kept != "" {
		choices = append(choices, form.Choice{Label: kept, Chosen: chosen == ""})
	}
	for _, days := range offered {
		n := strconv.Itoa(days)
		choices = append(choices, form.Choice{Value: n, Label: "in " + n + " days", Chosen: n == chosen})
	}
	if never {
		choices = append(choices, form.Choice{Value: Never, Label: "never", Chosen: chosen == Never})
	}
	return choices
}

// overlaps are how long an old secret may hold on, in seconds.
var overlaps = []form.Choice{
	{Value: "0", Label: "not at all: it is refused at once"},
	{Value: "3600", Label: "for 1 hour"},
	{Value: "86400", Label: "for 24 hours"},
	{Value: "604800", Label: "for 7 days"},
}

// OverlapChoices returns the overlaps as the form offers them.
func OverlapChoices(chosen string) []form.Choice {
	choices := slices.Clone(overlaps)
	for i := range choices {
		choices[i].Chosen = choices[i].Value == chosen
	}
	return choices
}
