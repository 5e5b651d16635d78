package openai_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"polaris/internal/wiretest"
	"polaris/models"
	"polaris/ops"
	"polaris/web/openai"
)

// TestAccessTokens: a person's program asks with its token as with a key, in the
// brain of the token, as far as the token's scopes go.
func TestAccessTokens(t *testing.T) {
	t.Parallel()
	both(t, wiretest.Options{Published: true}, func(t *testing.T, w *wiretest.World) {
		w.Desk.Settings.SealingKey = bytes.Repeat([]byte("k"), 32)
		const eve, password = "eve@example.org", "correct horse battery"
		terminal := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: "ada@example.org"}, Brain: "calliope", Via: ops.CLI}
		if _, err := ops.Do(t.Context(), w.Desk, terminal, ops.CreateUser, ops.CreateUserIn{Email: eve, Roles: []models.Role{models.RoleCurator}, Password: password}); err != nil {
			t.Fatal(err)
		}
		for key, scope := range map[string]models.Scope{"asks": models.ScopeAdvisorRead, "reads": models.ScopeInvoke} {
			visitor := ops.Call{By: ops.Visitor(), Brain: ops.Instance, Via: ops.Web}
			out, err := w.Desk.TokensByPassword(t.Context(), visitor, ops.SignInIn{Email: eve, Password: password}, "calliope", ops.CreateTokensIn{Scopes: []models.Scope{scope}})
			if err != nil {
				t.Fatal(err)
			}
			w.Keys[key] = out.AccessToken
		}
		if c := answered(t, w, "asks", ask(question())); c.Polaris.Guardrail.Status != models.GuardrailPass {
			t.Errorf("%+v", c.Polaris)
		}
		refused(t, w, row{Row: wiretest.Row{Header: bearer("reads"), Body: ask(question()), Status: 403, Code: "insufficient_scope", Expect: map[string]string{"Www-Authenticate": tooSmall}}})
		refused(t, w, row{Row: wiretest.Row{Method: "GET", Path: "/v1/models", Header: bearer("reads"), Status: 403, Code: "insufficient_scope"}})
		if _, err := ops.Do(t.Context(), w.Desk, terminal, ops.DisableUser, ops.UserIn{Email: eve}); err != nil {
			t.Fatal(err)
		}
		refused(t, w, row{Row: wiretest.Row{Header: bearer("asks"), Body: ask(question()), Status: 401, Code: "invalid_token", Expect: map[string]string{"Www-Authenticate": invalid}}})
	})
}

// TestSlowBodies: a body that trickles in holds nothing open.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	w := wiretest.NewWorld(t, func(_ testing.TB, w *wiretest.World, _ http.Handler) http.Handler {
		return openai.New(w.Desk, w.Door, openai.Config{Deadline: 2 * time.Second})
	}, wiretest.Options{})
	for name, key := range map[string]string{"400": w.Keys["reader"], "401": "sk-polaris-x"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		start := time.Now()
		_ = c.SetDeadline(start.Add(10 * time.Second))
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{", chat, key)
		got, _ := io.ReadAll(c) // until the server closes, or the deadline
		if open := time.Since(start); open > 5*time.Second || !bytes.HasPrefix(got, []byte("HTTP/1.1 "+name)) || !bytes.Contains(got, []byte(`"param":null`)) {
			t.Errorf("after %s: %s", open, got)
		}
	}
}
