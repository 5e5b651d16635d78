package openai

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"polaris/models"
)

// A completion is an answer as OpenAI's clients read it.
type completion struct {
	head
	content string
	usage   usage
	polaris models.Envelope
}

// A head is what a completion and each chunk of a stream begin with.
type head struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	Model       string `json:"model"`
	Fingerprint string `json:"system_fingerprint"` // engine and version: equal ones give equal answers
}

// A usage counts tokens. There is no tokeniser here, so it is an estimate: see
// [tokens].
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// tokens estimates the tokens of a text by the rule of thumb for English: one
// for every four bytes of UTF-8, rounded up.
func tokens(bytes int) int { return (bytes + 3) / 4 }

// completionOf makes the completion of an envelope. The text is the envelope's
// own, sources included; the envelope gets the notices of what this endpoint
// ignored beside the engine's. (The record has the engine's alone: it is of the
// question, not of how it was sent.)
func completionOf(q *question, env *models.Envelope, now time.Time) *completion {
	c := &completion{content: env.Rendered, polaris: *env}
	unused := len(q.earlier)
	if env.Query != q.text && unused > 0 {
		unused-- // it was read together with one of them
	}
	if unused > 0 {
		q.notices = append(q.notices, fmt.Sprintf("%d earlier `user` %s not used: the question is the last one.", unused, plural(unused, "message is", "messages are")))
	}
	c.polaris.Notices = slices.Concat(env.Notices, q.notices)
	c.head = head{
		ID: "chatcmpl-" + strings.TrimPrefix(env.AnswerID, "ans_"), Created: now.Unix(), Model: q.model,
		Fingerprint: fmt.Sprintf("%s/%d", env.Engine, env.BrainVersion),
	}
	c.usage = usage{Prompt: tokens(q.sent), Completion: tokens(len(c.content))}
	c.usage.Total = c.usage.Prompt + c.usage.Completion
	return c
}

// A body is a completion in one piece.
type body struct {
	head
	Choices []choice         `json:"choices"`
	Usage   usage            `json:"usage"`
	Polaris *models.Envelope `json:"polaris"`
}

type choice struct {
	Index    int     `json:"index"`
	Message  said    `json:"message"`
	Logprobs *string `json:"logprobs"` // always null
	Finish   string  `json:"finish_reason"`
}

type said struct {
	Role    string  `json:"role"`
	Content string  `json:"content"`
	Refusal *string `json:"refusal"` // always null: that the brain declines is an answer, and in its text
}

// finished is why every answer ends: it was said to its end.
const finished = "stop"

func (c *completion) whole() body {
	c.Object = "chat.completion"
	return body{c.head, []choice{{Message: said{Role: "assistant", Content: c.content}, Finish: finished}}, c.usage, &c.polaris}
}
