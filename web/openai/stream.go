package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"unicode/utf8"

	"polaris/models"
)

// pieceSize is about how many bytes of the text a chunk has.
const pieceSize = 256

// A chunk is a part of a completion that is streamed.
type chunk struct {
	head
	Choices []part           `json:"choices"` // none in the one with the usage
	Usage   *usage           `json:"usage,omitempty"`
	Polaris *models.Envelope `json:"polaris,omitempty"` // in the one that ends the text
}

type part struct {
	Index    int     `json:"index"`
	Delta    delta   `json:"delta"`
	Logprobs *string `json:"logprobs"` // always null
	Finish   *string `json:"finish_reason"`
}

type delta struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
}

// chunks returns a completion in parts: the role, the text piece by piece, why
// it ended with the envelope, and where wanted the usage.
func (c *completion) chunks(includeUsage bool) []chunk {
	c.Object = "chat.completion.chunk"
	empty, stop := "", finished
	all := []chunk{{head: c.head, Choices: []part{{Delta: delta{Role: "assistant", Content: &empty}}}}}
	for _, p := range pieces(c.content) {
		all = append(all, chunk{head: c.head, Choices: []part{{Delta: delta{Content: &p}}}})
	}
	all = append(all, chunk{head: c.head, Choices: []part{{Finish: &stop}}, Polaris: &c.polaris})
	if includeUsage {
		all = append(all, chunk{head: c.head, Choices: []part{}, Usage: &c.usage})
	}
	return all
}

// pieces cuts a text behind white space where it can, and never within a
// character: each piece has to be text of its own.
func pieces(s string) (all []string) {
	for len(s) > pieceSize {
		cut := pieceSize
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		for i := cut; i > cut/2; i-- {
			if s[i-1] == ' ' || s[i-1] == '\n' {
				cut = i
				break
			}
		}
		all = append(all, s[:cut])
		s = s[cut:]
	}
	return append(all, s)
}

// stream sends a completion as server-sent events. All of it is encoded before
// the first byte leaves, so nothing but the connection can fail in between; it
// ends early where the client has gone.
func (c *completion) stream(ctx context.Context, w http.ResponseWriter, includeUsage bool) error {
	var events [][]byte
	for _, k := range c.chunks(includeUsage) {
		b, err := json.Marshal(k)
		if err != nil {
			return err
		}
		events = append(events, b)
	}
	sendEvents(ctx, w, append(events, []byte("[DONE]")))
	return nil
}

func sendEvents(ctx context.Context, w http.ResponseWriter, events [][]byte) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no") // nginx would keep it all until the end
	w.WriteHeader(http.StatusOK)
	rc := http.NewResponseController(w)
	for _, b := range events {
		_, err := w.Write(bytes.Join([][]byte{[]byte("data: "), b, []byte("\n\n")}, nil))
		if err == nil {
			err = rc.Flush()
		}
		if gone := err != nil && !errors.Is(err, http.ErrNotSupported); gone || ctx.Err() != nil {
			return // nobody is left to be told
		}
	}
}
