// Package model asks a language model for two things: claims about passages
// that it is shown, each with a quote, and whether a quote carries a claim. The
// model is behind any server that speaks OpenAI's chat completions.
//
// Nothing that comes back is believed here or trusted by whoever calls: a
// [Client] only makes sure that it has the shape that was asked for, in time and
// in bounds. Passages and questions go out as strings in JSON, so that no text
// can pose as an instruction by how it is written; that a model may follow what
// it reads all the same is why its every sentence is proved afterwards.
package model

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// Bounds of one call.
const (
	mostTokens = 1200    // that a model may write
	mostReply  = 1 << 20 // bytes of a server's answer
	mostClaims = 12
	retries    = 2                // of what failed for a reason that may pass
	oneAttempt = 25 * time.Second // then it is tried again, if there is time
)

// ErrUnusable is what a call returns whose answer is not what was asked for: no
// JSON, cut off, of another shape.
var ErrUnusable = errors.New("model: the answer cannot be used")

// A Config says where the model is.
type Config struct {
	BaseURL string // such as http://localhost:11434/v1
	Key     string // sent as a bearer token; may be empty
	Model   string
	Judge   string       // the model that judges; empty: Model
	Log     *slog.Logger // required
}

// A Client is a model behind a server. It is safe for concurrent use.
type Client struct {
	api    openai.Client
	writer string
	judge  string
	log    *slog.Logger
}

// A Passage is what a model is shown.
type Passage struct {
	N    int    `json:"n"`
	From string `json:"from"` // the document and the place in it
	Text string `json:"text"`
}

// A Claim is a sentence as the model wrote it, with what it says that carries it.
type Claim struct {
	Text    string `json:"text"`
	Passage int    `json:"passage"`
	Quote   string `json:"quote"`
}

// A Pair is a claim and the quote that is to carry it.
type Pair struct {
	N     int    `json:"pair"`
	Claim string `json:"claim"`
	Quote string `json:"quote"`
}

//go:embed prompts/write.md
var writePrompt string

//go:embed prompts/judge.md
var judgePrompt string

// New returns the client of a model.
func New(c Config) *Client {
	if c.Judge == "" {
		c.Judge = c.Model
	}
	opts := []option.RequestOption{
		option.WithBaseURL(c.BaseURL), option.WithMaxRetries(retries), option.WithRequestTimeout(oneAttempt),
		option.WithHTTPClient(&http.Client{
			Transport: bounded{http.DefaultTransport},
			// The key is for the server that was named, and for no other.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
		option.WithAPIKey(c.Key), option.WithHeaderDel("OpenAI-Organization"), option.WithHeaderDel("OpenAI-Project"),
	}
	if c.Key == "" {
		opts = append(opts, option.WithHeaderDel("Authorization"))
	}
	return &Client{api: openai.NewClient(opts...), writer: c.Model, judge: c.Judge, log: c.Log}
}

// Name is what the writing model is called.
func (c *Client) Name() string { return c.writer }

// Write asks for claims that answer the question from the passages. None is an
// answer, too.
func (c *Client) Write(ctx context.Context, question string, passages []Passage) ([]Claim, error) {
	in := struct {
		Question string    `json:"question"`
		Passages []Passage `json:"passages"`
	}{question, passages}
	var out struct {
		Claims []Claim `json:"claims"`
	}
	if err := c.ask(ctx, c.writer, writePrompt, in, &out); err != nil {
		return nil, err
	}
	if len(out.Claims) > mostClaims {
		return nil, fmt.Errorf("%w: %d claims", ErrUnusable, len(out.Claims))
	}
	return out.Claims, nil
}

// Judge returns of which pairs, by their numbers, the quote carries the claim.
// What it was not told of is not carried.
func (c *Client) Judge(ctx context.Context, pairs []Pair) (map[int]bool, error) {
	in := struct {
		Pairs []Pair `json:"pairs"`
	}{pairs}
	var out struct {
		Verdicts []struct {
			Pair    int  `json:"pair"`
			Carried bool `json:"carried"`
		} `json:"verdicts"`
	}
	if err := c.ask(ctx, c.judge, judgePrompt, in, &out); err != nil {
		return nil, err
	}
	carried, seen := map[int]bool{}, map[int]bool{}
	for _, v := range out.Verdicts {
		// Who says both says nothing.
		carried[v.Pair] = v.Carried && (!seen[v.Pair] || carried[v.Pair])
		seen[v.Pair] = true
	}
	return carried, nil
}

// ask sends a prompt with its data and reads the JSON that comes back into out.
func (c *Client) ask(ctx context.Context, name, prompt string, in, out any) error {
	data, err := json.Marshal(in)
	if err != nil {
		return err
	}
	began := time.Now()
	r, err := c.api.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:       name,
		Messages:    []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(prompt), openai.UserMessage(string(data))},
		MaxTokens:   openai.Int(mostTokens),
		Temperature: openai.Float(0),
		Seed:        openai.Int(1),
	})
	if err != nil {
		return fmt.Errorf("asking the model %s: %w", name, plainly(err))
	}
	c.log.Debug("a model was asked", "model", name, "took_ms", time.Since(began).Milliseconds(), "prompt_tokens", r.Usage.PromptTokens, "completion_tokens", r.Usage.CompletionTokens)
	if len(r.Choices) == 0 {
		return fmt.Errorf("%w: no choice", ErrUnusable)
	}
	if why := r.Choices[0].FinishReason; why != "stop" && why != "" {
		return fmt.Errorf("%w: it ended by %.20q", ErrUnusable, why)
	}
	return unpack(r.Choices[0].Message.Content, out)
}

// plainly keeps what a server answered out of an error, which is logged: it may
// repeat the prompt, or the key.
func plainly(err error) error {
	var api *openai.Error
	if errors.As(err, &api) {
		return fmt.Errorf("the server answered %d", api.StatusCode)
	}
	return err
}

// unpack reads the one JSON object that a text is, in a code fence or not. What
// stands around it is passed over: models like to introduce what they say.
func unpack(text string, out any) error {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end < start {
		return fmt.Errorf("%w: it is no JSON", ErrUnusable)
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text[start : end+1])))
	if err := d.Decode(out); err != nil {
		return fmt.Errorf("%w: it is no JSON of the shape that was asked for", ErrUnusable)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: it is more than one JSON object", ErrUnusable)
	}
	return nil
}

// bounded is a transport that reads only so much of an answer.
type bounded struct{ http.RoundTripper }

// RoundTrip sends a request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, mostReply), res.Body}
	return res, nil
}
