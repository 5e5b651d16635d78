package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// heeded are the fields that are read.
var heeded = []string{"model", "messages", "n", "stream", "stream_options", "topic_ids"}

// A wish is a field of OpenAI's that is accepted and not met.
type wish struct {
	kinds []kind
	why   string // it is not met; empty where the field's name is enough
}

const (
	noSampling = "answers are quoted, not sampled"
	noTools    = "no tool is called from here"
	noCut      = "an answer is not cut to a length"
)

// ignored are the wishes. What one holds is looked at only so far as to tell a
// client that it sent something else than it meant.
var ignored = map[string]wish{
	"temperature":            {[]kind{aNumber}, noSampling},
	"top_p":                  {[]kind{aNumber}, noSampling},
	"frequency_penalty":      {[]kind{aNumber}, noSampling},
	"presence_penalty":       {[]kind{aNumber}, noSampling},
	"logit_bias":             {[]kind{anObject}, noSampling},
	"seed":                   {[]kind{aNumber}, noSampling},
	"logprobs":               {[]kind{aBoolean}, noSampling},
	"top_logprobs":           {[]kind{aNumber}, noSampling},
	"reasoning_effort":       {[]kind{aString}, noSampling},
	"prediction":             {[]kind{anObject}, noSampling},
	"max_tokens":             {[]kind{aNumber}, noCut},
	"max_completion_tokens":  {[]kind{aNumber}, noCut},
	"stop":                   {[]kind{aString, anArray}, noCut},
	"verbosity":              {[]kind{aString}, noCut},
	"tools":                  {[]kind{anArray}, noTools},
	"tool_choice":            {[]kind{aString, anObject}, noTools},
	"parallel_tool_calls":    {[]kind{aBoolean}, noTools},
	"functions":              {[]kind{anArray}, noTools},
	"function_call":          {[]kind{aString, anObject}, noTools},
	"web_search_options":     {[]kind{anObject}, "only the published sources are searched"},
	"response_format":        {[]kind{anObject}, "an answer is text with its sources; its parts are under `polaris`"},
	"modalities":             {[]kind{anArray}, "an answer is text"},
	"audio":                  {[]kind{anObject}, "an answer is text"},
	"store":                  {[]kind{aBoolean}, "every answer is recorded"},
	"user":                   {[]kind{aString}, "who asks is told by the credential"},
	"safety_identifier":      {[]kind{aString}, "who asks is told by the credential"},
	"metadata":               {[]kind{anObject}, ""},
	"moderation":             {[]kind{anObject}, ""},
	"service_tier":           {[]kind{aString}, ""},
	"prompt_cache_key":       {[]kind{aString}, ""},
	"prompt_cache_retention": {[]kind{aString}, ""},
	"prompt_cache_options":   {[]kind{anObject}, ""},
}

// ignore returns a notice for each field that is not heeded. Fields that nobody
// knows are named, too: clients grow new ones faster than servers learn them.
func ignore(fields map[string]json.RawMessage) (notices []string, err error) {
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(heeded, name) {
			continue
		}
		w, known := ignored[name]
		if !known {
			unknown = append(unknown, name)
			continue
		}
		if got := kindOf(fields[name]); !slices.Contains(w.kinds, got) {
			return nil, wrong(name, "invalid_type", "`%s` must be %s, not %s.", name, or(w.kinds), got)
		}
		notice := "`" + name + "` is ignored"
		if w.why != "" {
			notice += ": " + w.why
		}
		notices = append(notices, notice+".")
	}
	return append(notices, list("Of the request, %s %s ignored: this endpoint does not know what that is.", unknown)...), nil
}

func or(kinds []kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, " or ")
}

// list says something of a list of names, of which a caller may make up any
// number: at most one notice, of no great length. The format has the names and
// the verb.
func list(format string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	const most = 20
	shown := make([]string, 0, most)
	for _, n := range names[:min(len(names), most)] {
		shown = append(shown, quoted(n))
	}
	said := strings.Join(shown, ", ")
	if over := len(names) - most; over > 0 {
		said += fmt.Sprintf(" and %d more", over)
	}
	return []string{fmt.Sprintf(format, said, plural(len(names), "is", "are"))}
}
