package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"polaris/models/fault"
)

// mostMessages is how many messages a conversation may have, as at OpenAI.
const mostMessages = 2048

// A question is what a request asks, with all that this endpoint heeds of it.
type question struct {
	model        string
	text         string   // of the last user message
	at           string   // where that is: messages[2].content
	earlier      []string // user messages before it, oldest first
	topics       []string
	stream       bool
	includeUsage bool
	sent         int      // bytes of text in all messages, for the usage
	notices      []string // what of the request is ignored
}

// read reads a request's body.
func read(body []byte) (*question, error) {
	fields, err := object(body)
	if err != nil {
		return nil, err
	}
	for name, raw := range fields {
		if kindOf(raw) == aNull { // what some clients send for what is not set
			delete(fields, name)
		}
	}
	q := &question{}
	for _, step := range []func(map[string]json.RawMessage) error{q.readModel, q.readMessages, q.readCount, q.readStream, q.readTopics} {
		if err := step(fields); err != nil {
			return nil, err
		}
	}
	ignored, err := ignore(fields)
	if err != nil {
		return nil, err
	}
	q.notices = append(ignored, q.notices...)
	return q, nil
}

func (q *question) readModel(fields map[string]json.RawMessage) (err error) {
	raw, ok := fields["model"]
	if !ok {
		return wrong("model", "missing_required_parameter", "Say which `model` to use: %q, or one of GET /v1/models.", anyBrain)
	}
	q.model, err = as[string](raw, "model", aString)
	return err
}

// readCount sees to it that no more than one answer is wanted: there is only
// one.
func (q *question) readCount(fields map[string]json.RawMessage) error {
	raw, ok := fields["n"]
	if !ok {
		return nil
	}
	n, err := as[float64](raw, "n", aNumber)
	if err == nil && n != 1 {
		err = wrong("n", "unsupported_value", "`n` must be 1: a question has one answer here.")
	}
	return err
}

func (q *question) readStream(fields map[string]json.RawMessage) (err error) {
	if raw, ok := fields["stream"]; ok {
		if q.stream, err = as[bool](raw, "stream", aBoolean); err != nil {
			return err
		}
	}
	raw, ok := fields["stream_options"]
	if !ok {
		return nil
	}
	options, err := as[map[string]json.RawMessage](raw, "stream_options", anObject)
	if err != nil {
		return err
	}
	if raw, ok := options["include_usage"]; ok && kindOf(raw) != aNull {
		if q.includeUsage, err = as[bool](raw, "stream_options.include_usage", aBoolean); err != nil {
			return err
		}
	}
	if !q.stream {
		q.notices = append(q.notices, "`stream_options` is ignored: the answer is not streamed.")
	}
	return nil
}

func (q *question) readTopics(fields map[string]json.RawMessage) error {
	raw, ok := fields["topic_ids"]
	if !ok {
		return nil
	}
	ids, err := as[[]json.RawMessage](raw, "topic_ids", anArray)
	if err != nil {
		return err
	}
	for i, raw := range ids {
		id, err := text(raw, fmt.Sprintf("topic_ids[%d]", i))
		if err != nil {
			return err
		}
		q.topics = append(q.topics, id)
	}
	return nil
}

// text reads a string that holds no NUL, which no text does.
func text(raw json.RawMessage, field string) (string, error) {
	s, err := as[string](raw, field, aString)
	if err == nil && strings.IndexByte(s, 0) >= 0 {
		err = wrong(field, "invalid_value", "%s is not valid text: it has a NUL character.", quoted(field))
	}
	return s, err
}

// blame names the field of the request for what the operation says of its own.
func (q *question) blame(err error) error {
	f := fault.Of(err)
	if f.Field != "query" {
		return err
	}
	blamed := *f
	blamed.Field = q.at
	return &blamed
}

// unprintable reports whether a character is white space, or would be invisible
// or turn the direction of what follows.
func unprintable(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
