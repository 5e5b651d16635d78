package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"polaris/models"
	"polaris/ops"
)

// scopedKey makes a key with these scopes alone, owned by whoever is signed in.
func (b *browser) scopedKey(brain string, scopes ...models.Scope) string {
	b.t.Helper()
	body, _ := json.Marshal(ops.CreateAPIKeyIn{Label: "agent", Scopes: scopes}) // strings always marshal
	var made struct{ Key string }
	b.do(http.MethodPost, "/v1/brains/"+brain+"/api-keys", string(body), "Content-Type", "application/json").want(http.StatusCreated).json(&made)
	return made.Key
}

// atThePage are the scopes that a key or a token can be given from outside.
var atThePage = []models.Scope{models.ScopeAdvisorRead, models.ScopeResearchRun, models.ScopeInvoke, models.ScopeWrite}

// wideKey makes a key with every scope that a page can give.
func (b *browser) wideKey(brain string) string { return b.scopedKey(brain, atThePage...) }

// scopedToken gets an access token with these scopes alone, for whoever is
// signed in.
func (b *browser) scopedToken(brain string, scopes ...models.Scope) string {
	b.t.Helper()
	var names []string
	for _, s := range scopes {
		names = append(names, `"`+string(s)+`"`)
	}
	return b.tokens(`{"brain_id":"` + brain + `","scopes":[` + strings.Join(names, ",") + `]}`).AccessToken
}
