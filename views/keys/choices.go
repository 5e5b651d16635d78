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

// LifetimeChoices returns the lifetimes in days as the form offers them.
func LifetimeChoices(offered []int, chosen int) []form.Choice {
	var choices []form.Choice
	for _, days := range offered {
		n := strconv.Itoa(days)
		choices = append(choices, form.Choice{Value: n, Label: "in " + n + " days", Chosen: days == chosen})
	}
	return choices
}
