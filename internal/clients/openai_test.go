package clients

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"polaris/models"
)

// A chat is what a client of OpenAI's saw. What it cannot show is left out.
type chat struct {
	Models   []string
	Unknown  string // what it made of a model that is not there
	Whole    spoken
	Streamed spoken
	Error    string
}

// A spoken is one answer.
type spoken struct {
	Text     string
	Envelope json.RawMessage
	Finish   string
	Tokens   int
	Pieces   int // of a stream
}

// libraries are the clients of the OpenAI-compatible endpoint that scripts
// drive, and what their users are told of a key that does not hold.
var libraries = []struct {
	name, script, refused string
	envelopes             bool // whether it shows what is beside OpenAI's fields
}{
	{"openai for node", "openai.mjs", "401 This is not a valid API key", true},
	{"langchain openai", "langchain-openai.mjs", "401 This is not a valid API key", true},
	{"openai agents", "openai-agents.mjs", "401 This is not a valid API key", false},
}

func TestOpenAILibraries(t *testing.T) {
	t.Parallel()
	s := polaris(t)
	for _, c := range libraries {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got chat
			via := newRelay(t, s.url, nil)
			r := script(t, &got, via.url+"/v1", s.key, c.script)
			if got.Error != "" {
				t.Fatalf("%s\n%s", got.Error, r.err)
			}
			got.check(t, c.envelopes)
			if c.script == "openai.mjs" && (!slices.Equal(got.Models, []string{"polaris", "calliope"}) || got.Unknown != "NotFoundError 404 model_not_found") {
				t.Errorf("models %q; of an unknown one it says %q", got.Models, got.Unknown)
			}
			for _, p := range via.passed() {
				if p.path != "/v1/models" && p.path != "/v1/chat/completions" {
					t.Errorf("it asks for %s %s", p.method, p.path)
				}
			}
			t.Logf("%s, %d requests", r.took.Round(time.Millisecond), len(via.passed()))
		})
		t.Run(c.name+", bad key", func(t *testing.T) {
			t.Parallel()
			var got chat
			via := newRelay(t, s.url, nil)
			r := script(t, &got, via.url+"/v1", badKey, c.script)
			if !strings.Contains(got.Error, c.refused) || got.Whole.Text != "" {
				t.Errorf("the user is told %q, want %q", got.Error, c.refused)
			}
			if all := via.passed(); len(all) != 1 || all[0].status != http.StatusUnauthorized {
				t.Errorf("%d requests pass, want one that is refused: %v", len(all), all)
			}
			t.Logf("%s: %s", r.took.Round(time.Millisecond), got.Error)
		})
	}
}

// check: whole and streamed, the answer is the same, with its sources.
func (c *chat) check(t *testing.T, envelopes bool) {
	t.Helper()
	for how, s := range map[string]spoken{"whole": c.Whole, "streamed": c.Streamed} {
		told{Text: s.Text}.checkText(t)
		if s.Finish != "stop" || s.Tokens == 0 {
			t.Errorf("%s: it ends with %q, and %d tokens are counted", how, s.Finish, s.Tokens)
		}
		if envelopes {
			told{Text: s.Text, Structured: s.Envelope}.check(t)
		}
	}
	if c.Streamed.Pieces < 2 {
		t.Errorf("the stream came in %d pieces", c.Streamed.Pieces)
	}
	if timeless(c.Whole.Text) != timeless(c.Streamed.Text) {
		t.Errorf("whole it says\n%s\nand streamed\n%s", c.Whole.Text, c.Streamed.Text)
	}
}

// timeless is an answer without its id, which each serving has of its own.
func timeless(s string) string { return regexp.MustCompile(`ans_\w+`).ReplaceAllString(s, "ans") }

// TestOpenAIGo runs OpenAI's library for Go.
func TestOpenAIGo(t *testing.T) {
	t.Parallel()
	s := polaris(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	asked := openai.ChatCompletionNewParams{Model: "polaris", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)}}
	client := openai.NewClient(option.WithBaseURL(s.url+"/v1"), option.WithAPIKey(s.key))

	var got chat
	whole, err := client.Chat.Completions.New(ctx, asked)
	if err != nil {
		t.Fatal(err)
	}
	got.Whole = spoken{Text: whole.Choices[0].Message.Content, Envelope: json.RawMessage(whole.JSON.ExtraFields["polaris"].Raw()), Finish: whole.Choices[0].FinishReason, Tokens: int(whole.Usage.TotalTokens)}
	asked.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := client.Chat.Completions.NewStreaming(ctx, asked)
	var all openai.ChatCompletionAccumulator
	for ; stream.Next(); got.Streamed.Pieces++ {
		c := stream.Current()
		if !all.AddChunk(c) {
			t.Errorf("the library cannot add %s", c.RawJSON())
		}
		if raw := c.JSON.ExtraFields["polaris"].Raw(); raw != "" {
			got.Streamed.Envelope = json.RawMessage(raw)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	got.Streamed.Text, got.Streamed.Finish, got.Streamed.Tokens = all.Choices[0].Message.Content, all.Choices[0].FinishReason, int(all.Usage.TotalTokens)
	got.check(t, true)

	bad := openai.NewClient(option.WithBaseURL(newRelay(t, s.url, nil).url+"/v1"), option.WithAPIKey(badKey))
	_, err = bad.Models.List(ctx)
	if e, ok := errors.AsType[*openai.Error](err); !ok || e.StatusCode != http.StatusUnauthorized || e.Code != "invalid_api_key" || !strings.Contains(e.Message, "API key") {
		t.Errorf("of a bad key the user is told %v", err)
	}
	var none models.Envelope
	if err := json.Unmarshal(got.Whole.Envelope, &none); err != nil || none.BrainVersion != 1 {
		t.Errorf("the envelope is of version %d, %v", none.BrainVersion, err)
	}
}
