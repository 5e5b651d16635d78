package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// roles are those that a message may have, with why those of others than the
// user do not take part in the answer.
var roles = map[string]string{
	"user":      "",
	"system":    "instructions do not change what the sources say",
	"developer": "instructions do not change what the sources say",
	"assistant": "an answer stands on the sources, not on earlier answers",
	"tool":      "an answer stands on the published sources alone",
	"function":  "an answer stands on the published sources alone",
}

// readMessages takes the question out of a conversation.
func (q *question) readMessages(fields map[string]json.RawMessage) error {
	raw, ok := fields["messages"]
	if !ok {
		return wrong("messages", "missing_required_parameter", "Send `messages`, with a user message that asks a question.")
	}
	all, err := as[[]json.RawMessage](raw, "messages", anArray)
	switch {
	case err != nil:
		return err
	case len(all) == 0:
		return wrong("messages", "empty_array", "`messages` is empty: send a user message that asks a question.")
	case len(all) > mostMessages:
		return wrong("messages", "array_above_max_length", "`messages` has %d messages; at most %d are read.", len(all), mostMessages)
	}
	unheard, extra := map[string]int{}, map[string]bool{}
	var asked []string
	for i, raw := range all {
		m, err := readMessage(raw, fmt.Sprintf("messages[%d]", i))
		if err != nil {
			return err
		}
		q.sent += len(m.text)
		for _, name := range m.extra {
			extra[name] = true
		}
		if m.role != "user" {
			unheard[m.role]++
			continue
		}
		asked, q.at = append(asked, m.text), fmt.Sprintf("messages[%d].content", i)
	}
	if len(asked) == 0 {
		return wrong("messages", "invalid_value", "`messages` has no user message, so nothing is asked.")
	}
	q.text, q.earlier = asked[len(asked)-1], asked[:len(asked)-1]
	if strings.TrimSpace(q.text) == "" {
		return wrong(q.at, "invalid_value", "The last user message is empty: ask a question.")
	}
	for _, role := range slices.Sorted(maps.Keys(unheard)) {
		q.notices = append(q.notices, fmt.Sprintf("%d `%s` %s ignored: %s.", unheard[role], role, plural(unheard[role], "message is", "messages are"), roles[role]))
	}
	q.notices = append(q.notices, list("In messages, %s %s ignored.", slices.Sorted(maps.Keys(extra)))...)
	return nil
}

// A message is one message of a conversation.
type message struct {
	role, text string
	extra      []string // fields that are not read
}

func readMessage(raw json.RawMessage, at string) (m message, err error) {
	fields, err := as[map[string]json.RawMessage](raw, at, anObject)
	if err != nil {
		return m, err
	}
	if fields["role"] == nil {
		return m, wrong(at+".role", "missing_required_parameter", "%s has no `role`.", quoted(at))
	}
	if m.role, err = as[string](fields["role"], at+".role", aString); err != nil {
		return m, err
	}
	if _, ok := roles[m.role]; !ok {
		return m, wrong(at+".role", "invalid_value", "%s is no role: use system, developer, user, assistant or tool.", quoted(m.role))
	}
	for name, raw := range fields {
		if name != "role" && name != "content" && kindOf(raw) != aNull {
			m.extra = append(m.extra, name)
		}
	}
	content := fields["content"]
	if content == nil || kindOf(content) == aNull {
		if m.role == "user" {
			return m, wrong(at+".content", "missing_required_parameter", "%s has no `content`.", quoted(at))
		}
		return m, nil // an assistant's message that only calls tools
	}
	m.text, err = readContent(content, at+".content", m.role)
	return m, err
}

// readContent reads a message's text: a string, or parts that are text.
func readContent(raw json.RawMessage, at, role string) (string, error) {
	switch kindOf(raw) {
	case aString:
		return text(raw, at)
	case anArray:
	default:
		return "", wrong(at, "invalid_type", "%s must be a string or a list of parts, not %s.", quoted(at), kindOf(raw))
	}
	parts, err := as[[]json.RawMessage](raw, at, anArray)
	if err != nil {
		return "", err
	}
	texts := make([]string, 0, len(parts))
	for i, raw := range parts {
		t, err := readPart(raw, fmt.Sprintf("%s[%d]", at, i), role)
		if err != nil {
			return "", err
		}
		texts = append(texts, t)
	}
	return strings.Join(texts, "\n"), nil
}

// readPart reads one part of a content.
func readPart(raw json.RawMessage, at, role string) (string, error) {
	part, err := as[map[string]json.RawMessage](raw, at, anObject)
	if err != nil {
		return "", err
	}
	if part["type"] == nil {
		return "", wrong(at+".type", "missing_required_parameter", "%s has no `type`.", quoted(at))
	}
	kind, err := as[string](part["type"], at+".type", aString)
	if err != nil {
		return "", err
	}
	if kind != "text" && (kind != "refusal" || role != "assistant") {
		return "", wrong(at, "unsupported_value", "%s is of the type %s: only parts of the type `text` are read here.", quoted(at), quoted(kind))
	}
	if part[kind] == nil {
		return "", wrong(at+"."+kind, "missing_required_parameter", "%s has no `%s`.", quoted(at), kind)
	}
	return text(part[kind], at+"."+kind)
}

// plural chooses between the forms for one and for many.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
