package gallery

import (
	"bytes"
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"polaris/static"
	"polaris/views/answers"
	"polaris/views/ask"
	"polaris/views/htmlcheck"
	"polaris/views/keys"
	"polaris/views/layout"
	"polaris/views/problem"
)

const nonce = "bm9uY2Utbm9uY2U"

// assets are those that the server gives to its pages.
func assets() layout.Assets {
	return layout.Assets{
		Styles:  []string{static.Path("oat.min.css"), static.Path("polaris.css")},
		Scripts: []string{static.Path("htmx.min.js"), static.Path("hx-csp.min.js"), static.Path("app.js")},
		Icon:    static.Path("favicon.svg"),
	}
}

func served(path string) bool {
	rec := httptest.NewRecorder()
	static.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
	return rec.Code == 200
}

func render(t *testing.T, c templ.Component) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(templ.WithNonce(context.Background(), nonce), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPagesAreSound(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("POLARIS_GALLERY")
	if folder != "" {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range Pages(assets()) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			b := render(t, p.Component)
			for _, problem := range htmlcheck.Document(b, served) {
				t.Error(problem)
			}
			if folder != "" {
				write(t, folder, p.Name, b)
			}
		})
	}
}

// write stores a page so that a browser can open it from the folder.
func write(t *testing.T, folder, name string, b []byte) {
	t.Helper()
	a := assets()
	for _, path := range append(append([]string{a.Icon}, a.Styles...), a.Scripts...) {
		rec := httptest.NewRecorder()
		static.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
		file := filepath.Base(path)
		if err := os.WriteFile(filepath.Join(folder, file), rec.Body.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		b = bytes.ReplaceAll(b, []byte(path), []byte(file))
	}
	if err := os.WriteFile(filepath.Join(folder, name+".html"), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPartsAreSound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]templ.Component{
		"answer":     ask.Answer(ask.Panel{Answered: true, Body: grounded(), RecordURL: "/answers/x"}),
		"no answer":  ask.Answer(ask.Panel{}),
		"keys":       keys.Table(layout.Frame{}, keys.Index{Keys: keyRows(), MayCreate: true}),
		"a problem":  problem.Part("answer", problem.Problem{Title: "The question is too long", Text: "At most 8 000 characters are read."}),
		"disclaimed": answers.Text(disclaimed()),
		"no text":    answers.Text(answers.Body{Guardrail: answers.Guardrail{Status: "disclaim", Reasons: []string{"no_evidence", "new_code"}}}),
	} {
		for _, problem := range htmlcheck.Fragment(render(t, c)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// hidden is what stands in a page for the copy button alone.
var hidden = regexp.MustCompile(`(?s)<pre [^>]*hidden>.*?</pre>`)

// text returns a page as a reader meets it, without tags.
func text(b []byte) string {
	b = hidden.ReplaceAll(b, nil)
	var out strings.Builder
	inTag := false
	for _, r := range string(b) {
		switch {
		case r == '<':
			inTag = true
		case r == '>':
			inTag = false
		case !inTag:
			out.WriteRune(r)
		}
	}
	return html.UnescapeString(out.String())
}

func page(t *testing.T, name string) []byte {
	t.Helper()
	for _, p := range Pages(assets()) {
		if p.Name == name {
			return render(t, p.Component)
		}
	}
	t.Fatalf("there is no page %s", name)
	return nil
}

// What a reader has to find on a page, and what must not be there.
func TestPagesSay(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		page        string
		want, never []string
	}{
		{"setup-wrong", []string{"not the token", "two passwords differ"}, nil},
		{"keys", []string{"2 keys are active", "Letters agent", "sk-polaris-k7Qd2mXw91aB_…", "laptop replaced", "in 9 days", "never"}, nil},
		{"keys-reader", []string{"Letters agent"}, []string{"Revoke", "Create a key"}},
		{"brains", []string{"Calliope Home Lending", "owner, curator", "Create a brain"}, nil},
		{"brains-none", []string{"You are in no brain"}, []string{"Create a brain"}},
		{"keys-empty", []string{"No keys yet", "Create a key"}, nil},
		{"keys-created", []string{"Copy the key now", "claude mcp add --transport http polaris", "mcpServers", "It expires on 28 February 2027"}, nil},
		{"keys-revoke", []string{"Revoke this key", "cannot be undone"}, nil},
		{"answer", []string{"grounded", "2 of 3 quotes verified", "0.91", "not verified", "entry 1\u202f042", "anchor of the topic card", "revision 2, bytes 9 124 to 9 226"}, []string{"decline it. [1]"}},
		{"answer-table", []string{"Returned payment fee", "$20"}, []string{"| --- |"}},
		{"answer-disclaimed", []string{"disclaimed", "The published sources do not answer this question.", "not sealed yet"}, []string{"confidence", "no_evidence"}},
		{"ask-broken", []string{"no answer may leave", question}, nil},
		{"cards", []string{"1 anchor without text", "SCORE § Use of scores ¶9 · no text"}, nil},
		{"versions", []string{"live", "four eyes: bootstrap"}, nil},
		{"home-banner", []string{"Four eyes are off"}, nil},
		{"wiki-missing", []string{"Completed <application>"}, nil},
	} {
		got := strings.ReplaceAll(text(page(t, row.page)), "\u00a0", " ")
		for _, want := range row.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not say %q", row.page, want)
			}
		}
		for _, never := range row.never {
			if strings.Contains(got, never) {
				t.Errorf("%s says %q", row.page, never)
			}
		}
	}
}

// A form comes back filled in, but never with a password.
func TestFormsKeepWhatWasTyped(t *testing.T) {
	t.Parallel()
	b := string(page(t, "setup-wrong"))
	for _, want := range []string{`value="7f3a"`, `value="Ada"`, `value="ada@calliope.example"`, `aria-invalid="true"`, `aria-describedby="token-problem token-hint"`} {
		if !strings.Contains(b, want) {
			t.Errorf("the set-up form lacks %s", want)
		}
	}
	if strings.Contains(b, `type="password" value`) {
		t.Error("a password was sent back")
	}
}

func TestCurrentPageIsMarked(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"keys-new": base + "/settings/api-keys", "answer": base + "/answers", "home": base, "wiki-article": base + "/wiki"} {
		b := string(page(t, name))
		if !strings.Contains(b, `href="`+want+`" aria-current="page"`) || strings.Count(b, "aria-current") != 1 {
			t.Errorf("%s does not mark %s as the current page", name, want)
		}
	}
}

// Where an answer has no text of its own, the reasons are told.
func TestReasonsAreTold(t *testing.T) {
	t.Parallel()
	got := text(render(t, answers.Text(answers.Body{Guardrail: answers.Guardrail{Status: "disclaim", Reasons: []string{"no_evidence", "new_code"}}})))
	for _, want := range []string{"Nothing in the published version bears on the question.", "new_code"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

// Text that looks like markup, or like a marker that no citation has, stays
// text.
func TestAnswerTextIsInert(t *testing.T) {
	t.Parallel()
	b := string(render(t, answers.Text(answers.Body{
		Text:      "See <b onclick=x>rule</b> [9] and [1], [x], [",
		Cites:     []answers.Cite{{N: 1}},
		Guardrail: answers.Guardrail{Status: "pass"},
	})))
	if strings.Contains(b, "<b ") || !strings.Contains(b, "[9] and") || strings.Count(b, `class="ref warn"`) != 1 || !strings.Contains(b, "[x], [") {
		t.Errorf("got %s", b)
	}
}
