package openai_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"polaris/cmd/bb/demo"
	"polaris/internal/wiretest"
	"polaris/models"
	"polaris/web/openai"
)

// client is OpenAI's own Go library, with only the base URL and the key
// changed.
func client(w *wiretest.World, base, key string) sdk.Client {
	return sdk.NewClient(option.WithBaseURL(w.URL+base), option.WithAPIKey(w.Keys[key]))
}

func asking(text string) sdk.ChatCompletionNewParams {
	return sdk.ChatCompletionNewParams{Model: "polaris", Messages: []sdk.ChatCompletionMessageParamUnion{
		sdk.SystemMessage("You are helpful."), sdk.UserMessage(text),
	}, Temperature: sdk.Float(0), MaxCompletionTokens: sdk.Int(100)}
}

// TestOfficialClient: OpenAI's library lists models, asks whole and streamed,
// and sorts errors as it does those of OpenAI.
func TestOfficialClient(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true}, func(t *testing.T, w *wiretest.World) {
		for _, base := range []string{"/v1", "/v1/", ""} {
			c := client(w, base, "reader")
			var ids []string
			for pager := c.Models.ListAutoPaging(t.Context()); pager.Next(); {
				ids = append(ids, pager.Current().ID)
			}
			if strings.Join(ids, " ") != "polaris calliope" {
				t.Errorf("models at %q: %q", base, ids)
			}
			if m, err := c.Models.Get(t.Context(), "calliope"); err != nil || m.OwnedBy != "calliope" {
				t.Errorf("model %+v, %v", m, err)
			}
			done, err := c.Chat.Completions.New(t.Context(), asking(question()))
			if err != nil {
				t.Fatal(err)
			}
			content := done.Choices[0].Message.Content
			var env models.Envelope
			if err := json.Unmarshal([]byte(done.JSON.ExtraFields["polaris"].Raw()), &env); err != nil || env.Rendered != content || len(env.Notices) != 3 {
				t.Errorf("%v; envelope %+v", err, env)
			}
			if !strings.Contains(content, "## Sources") || done.Choices[0].FinishReason != "stop" || done.Usage.TotalTokens == 0 || len(done.Choices[0].Message.ToolCalls) != 0 {
				t.Errorf("%+v", done)
			}
			streamed(t, c, content)
		}
	})
}

// streamed asks again, in a stream, and puts it together as the library does.
func streamed(t *testing.T, c sdk.Client, whole string) {
	t.Helper()
	p := asking(question())
	p.StreamOptions = sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)}
	stream := c.Chat.Completions.NewStreaming(t.Context(), p)
	var acc sdk.ChatCompletionAccumulator
	var envelope string
	for stream.Next() {
		k := stream.Current()
		if !acc.AddChunk(k) {
			t.Errorf("the library cannot add %s", k.RawJSON())
		}
		if raw := k.JSON.ExtraFields["polaris"].Raw(); raw != "" {
			envelope = raw
		}
	}
	var env models.Envelope
	if err := errors.Join(stream.Err(), json.Unmarshal([]byte(envelope), &env)); err != nil {
		t.Fatal(err)
	}
	if m := acc.Choices[0].Message; m.Content != env.Rendered || timeless(m.Content) != timeless(whole) || m.Role != "assistant" || acc.Choices[0].FinishReason != "stop" || acc.Usage.TotalTokens == 0 {
		t.Errorf("streamed %+v\nwhole %s", acc.ChatCompletion, whole)
	}
}

// TestOfficialClientErrors: each refusal arrives as the library's error with its
// status, code and field.
func TestOfficialClientErrors(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true}, func(t *testing.T, w *wiretest.World) {
		w.Keys["nobody"] = "sk-proj-abc"
		two, model := asking(question()), asking(question())
		two.N, model.Model = sdk.Int(2), "gpt-4o"
		for _, r := range []struct {
			key         string
			p           sdk.ChatCompletionNewParams
			status      int
			code, param string
		}{
			{"nobody", asking("x"), 401, "invalid_api_key", ""},
			{"revoked", asking("x"), 401, "revoked_api_key", ""},
			{"operator", asking("x"), 403, "insufficient_scope", ""},
			{"reader", model, 404, "model_not_found", "model"},
			{"reader", two, 400, "unsupported_value", "n"},
			{"reader", asking(""), 400, "invalid_value", "messages[1].content"},
			{"reader", asking(strings.Repeat("x", 9000)), 400, "invalid", "messages[1].content"},
		} {
			c := client(w, "/v1", r.key)
			_, err := c.Chat.Completions.New(t.Context(), r.p)
			stream := c.Chat.Completions.NewStreaming(t.Context(), r.p)
			for stream.Next() {
				t.Errorf("%s %s: an event %s", r.key, r.code, stream.Current().RawJSON())
			}
			for _, err := range []error{err, stream.Err()} {
				var e *sdk.Error
				if !errors.As(err, &e) || e.StatusCode != r.status || e.Code != r.code || e.Param != r.param || e.Message == "" {
					t.Errorf("%s: %v %+v, want %d %s %s", r.key, err, e, r.status, r.code, r.param)
				}
			}
		}
		c := client(w, "/v1", "reader")
		_, err := c.Responses.New(t.Context(), responses.ResponseNewParams{Model: "polaris"})
		var e *sdk.Error
		if !errors.As(err, &e) || e.StatusCode != http.StatusNotFound || !strings.Contains(e.Message, "chat completions") {
			t.Errorf("responses: %v", err)
		}
	})
}

// TestTooLarge: a body over the limit is refused, and a client gets to read it.
// (Of one that is far over, net/http does not read the rest, so that a client
// which is still sending may find the connection closed instead.)
func TestTooLarge(t *testing.T) {
	t.Parallel()
	w := wiretest.NewWorld(t, func(_ testing.TB, w *wiretest.World, _ http.Handler) http.Handler {
		return openai.New(w.Desk, w.Door, openai.Config{MaxBody: 10_000})
	}, wiretest.Options{})
	refused(t, w, row{Row: wiretest.Row{Body: ask(strings.Repeat("x", 10_000)), Status: 413, Code: "body_too_large"}})
	c := client(w, "/v1", "reader")
	_, err := c.Chat.Completions.New(t.Context(), asking(strings.Repeat("x", 10_000)))
	var e *sdk.Error
	if !errors.As(err, &e) || e.StatusCode != http.StatusRequestEntityTooLarge || e.Code != "body_too_large" {
		t.Errorf("got %v", err)
	}
	if _, err := c.Chat.Completions.New(t.Context(), asking("x")); err != nil {
		t.Error(err)
	}
}

// TestOfficialClientComesBack: after a 429 the library waits as long as it is
// told, and is served.
func TestOfficialClientComesBack(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true, Rate: models.Rate{N: 1, Window: 1500_000_000}}, func(t *testing.T, w *wiretest.World) {
		c := client(w, "/v1", "reader")
		for _, q := range demo.Examples().Answerable[:2] {
			if _, err := c.Chat.Completions.New(t.Context(), asking(q.Text)); err != nil {
				t.Error(err)
			}
		}
	})
}
