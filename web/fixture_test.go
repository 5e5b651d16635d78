package web

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"polaris/cmd/bb/demo"
	"polaris/models"
	"polaris/ops"
)

// published is an instance whose brain calliope answers from the demo's
// handbook; its owner is signed in.
func published(t *testing.T) (*site, *browser) {
	t.Helper()
	s, b := started(t)
	s.publish("calliope")
	return s, b
}

// publish imports the demo's documents and publishes them.
func (s *site) publish(brain models.BrainID) {
	s.t.Helper()
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: brain, Via: ops.CLI}
	if err := demo.Publish(s.t.Context(), s.desk, c); err != nil {
		s.t.Fatal(err)
	}
}

var rawKey = regexp.MustCompile(`sk-polaris-[0-9A-Za-z]{12}_[0-9A-Za-z]{38}`)

// createKey makes a key at the page and returns it.
func (b *browser) createKey(brain, label string) string {
	b.t.Helper()
	a := b.post("/brains/"+brain+"/settings/api-keys", url.Values{"label": {label}, "scope": {"advisor:read"}, "expires": {"30"}}).want(http.StatusCreated, "Copy the key now")
	if got := a.Header.Get("Cache-Control"); got != "no-store" {
		b.t.Errorf("the page with the key may be kept: Cache-Control %q", got)
	}
	key := rawKey.FindString(a.text)
	if key == "" {
		b.t.Fatalf("the page shows no key\n%s", a.text)
	}
	return key
}

// question is one that the demo answers.
func question() string { return demo.Examples().Answerable[0].Text }

// askAs asks over REST with a key, and returns the answer's id.
func (s *site) askAs(key, brain string) string {
	s.t.Helper()
	var env models.Envelope
	s.browser().do(http.MethodPost, "/v1/brains/"+brain+"/answers", `{"query":"`+question()+`"}`, "Content-Type", "application/json", "Authorization", "Bearer "+key).
		want(http.StatusOK).json(&env)
	return env.AnswerID
}
