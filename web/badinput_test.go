package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/ops"
)

// What is wrong with a proposal or a decision is refused with its reason, over
// REST and at the pages alike, and changes nothing.
func TestBadProposalsAndDecisions(t *testing.T) {
	t.Parallel()
	s, a, b := fourEyed(t)
	s.brain("zebra", "eve@example.com")
	s.draft("zebra", "ZEB", "# Zebra\n\nStripes.\n")
	token := a.scopedToken("acme", models.ScopeInvoke, models.ScopeWrite)
	program := func(method, path, body string, more ...string) *answer {
		t.Helper()
		return s.browser().do(method, "/v1/brains/acme"+path, body, append([]string{"Content-Type", "application/json", "Authorization", "Bearer " + token}, more...)...)
	}
	propose := func(id string) (rec, hash string) {
		t.Helper()
		program(http.MethodPut, "/draft/topic-cards/"+id, `{"label":"Fees","covers":"fees","anchors":["HB 1"],"rationale":"asked for"}`).want(http.StatusAccepted)
		page := b.get("/brains/acme/approvals?order=newest").text
		_, rest, _ := strings.Cut(page, `value="rec_`)
		rec = "rec_" + rest[:12]
		return rec, b.get("/brains/acme/approvals/" + rec).hash()
	}
	decide := func(rec, body string) *answer {
		t.Helper()
		return b.do(http.MethodPost, "/v1/brains/acme/recommendations/"+rec+"/decision", body, "Content-Type", "application/json")
	}
	zeros, huge := strings.Repeat("0", 64), strings.Repeat("why ", 1<<18)
	pending, hash := propose("waits")
	decided, decidedHash := propose("decided")
	decide(decided, fmt.Sprintf(`{"hash":%q,"verdict":"approve"}`, decidedHash)).want(http.StatusOK)
	expired, expiredHash := propose("expired")
	s.own(`ALTER TABLE recommendations DISABLE TRIGGER USER; UPDATE recommendations SET expires_at = now() - interval '1 minute' WHERE id = '` + expired + `'; ALTER TABLE recommendations ENABLE TRIGGER USER`)
	foreign := s.foreignRecommendation("zebra", "eve@example.com")

	before := s.drafted()
	card := func(more string) string { return `{"label":"L","covers":"c","anchors":["HB 1"]` + more + `}` }
	for name, c := range map[string]struct {
		a      *answer
		status int
		says   string
	}{
		"REST: an unknown operation":               {program(http.MethodPost, "/explosions", "{}"), 404, ""},
		"REST: a field that is not there":          {program(http.MethodPut, "/draft/topic-cards/x", card(`,"colour":"red"`)), 400, "colour"},
		"REST: a wrong kind":                       {program(http.MethodPut, "/draft/topic-cards/x", `{"label":1,"covers":"c","anchors":["HB 1"]}`), 400, "label"},
		"REST: no JSON":                            {program(http.MethodPut, "/draft/topic-cards/x", `{"label":`), 400, "invalid_json"},
		"REST: another brain's source":             {program(http.MethodDelete, "/sources/ZEB", ""), 404, "no_such_source"},
		"REST: another brain's recommendation":     {decide(foreign, fmt.Sprintf(`{"hash":%q,"verdict":"approve"}`, zeros)), 404, "no_such_recommendation"},
		"REST: a revision that never was":          {program(http.MethodPut, "/draft/topic-cards/decided", card(""), "If-Match", `"r99-nonsense"`), 412, "If-Match"},
		"REST: a source's revision that never was": {program(http.MethodPost, "/sources/HB/revert", `{"revision":99}`), 404, "no_such_revision"},
		"REST: a rationale of 1 MB":                {program(http.MethodPut, "/draft/topic-cards/x", card(`,"rationale":"`+huge+`"`)), 413, "body"},
		"REST: a rationale of 5 KB":                {program(http.MethodPut, "/draft/topic-cards/x", card(`,"rationale":"`+huge[:5000]+`"`)), 400, "rationale"},
		"REST: a rationale that is a list":         {program(http.MethodPut, "/draft/topic-cards/x", card(`,"rationale":["x"]`)), 400, "rationale"},
		"REST: evidence that is none":              {program(http.MethodPut, "/draft/topic-cards/x", card(`,"evidence":"x"`)), 400, "evidence"},
		"REST: in place of what never was":         {program(http.MethodPut, "/draft/topic-cards/x", card(`,"supersedes":"rec_000000000000"`)), 400, "not_superseded"},
		"REST: a dry run that is maybe":            {program(http.MethodPut, "/draft/topic-cards/x?dry_run=maybe", card("")), 400, "dry_run"},
		"REST: a dry run of a reading":             {program(http.MethodGet, "/draft/topic-cards?dry_run=true", ""), 400, "dry_run"},
		"REST: decided already":                    {decide(decided, fmt.Sprintf(`{"hash":%q,"verdict":"reject"}`, decidedHash)), 409, "already_decided"},
		"REST: expired":                            {decide(expired, fmt.Sprintf(`{"hash":%q,"verdict":"approve"}`, expiredHash)), 409, "expired"},
		"REST: another hash":                       {decide(pending, fmt.Sprintf(`{"hash":%q,"verdict":"approve"}`, zeros)), 409, "content_changed"},
		"REST: no hash":                            {decide(pending, `{"hash":"zz","verdict":"approve"}`), 400, "content_changed"},
		"REST: a verdict that is none":             {decide(pending, fmt.Sprintf(`{"hash":%q,"verdict":"maybe"}`, hash)), 400, "verdict"},
		"REST: what never was":                     {decide("rec_000000000000", fmt.Sprintf(`{"hash":%q,"verdict":"approve"}`, zeros)), 404, "no_such_recommendation"},
		"page: an address that is none":            {b.post("/brains/acme/approvals/"+pending+"/explode", url.Values{}), 404, ""},
		"page: another brain's recommendation":     {b.get("/brains/acme/approvals/" + foreign), 404, ""},
		"page: decided already":                    {b.post("/brains/acme/approvals/"+decided, url.Values{"verdict": {"reject"}, "hash": {decidedHash}}), 409, "decided already"},
		"page: expired":                            {b.post("/brains/acme/approvals/"+expired, url.Values{"verdict": {"approve"}, "hash": {expiredHash}}), 409, "waited too long"},
		"page: another hash":                       {b.post("/brains/acme/approvals/"+pending, url.Values{"verdict": {"approve"}, "hash": {zeros}}), 409, "not what is to be decided on"},
		"page: a verdict that is none":             {b.post("/brains/acme/approvals/"+pending, url.Values{"verdict": {"maybe"}, "hash": {hash}}), 422, "approve or reject"},
		"page: a rationale of 1 MB":                {a.post("/brains/acme/versions", url.Values{"notes": {huge}}), 413, ""},
		"page: a rationale of 5 KB":                {a.post("/brains/acme/versions", url.Values{"notes": {huge[:5000]}}), 422, "at most"},
	} {
		if c.a.StatusCode != c.status || !strings.Contains(c.a.text, c.says) {
			t.Errorf("%s: %d %.300s; want %d with %q", name, c.a.StatusCode, c.a.text, c.status, c.says)
		}
	}
	if after := s.drafted(); after != before {
		t.Errorf("something was changed or queued: %s\n%s", before, after)
	}

	// What is not seen in a rationale is shown.
	program(http.MethodPut, "/draft/topic-cards/unseen", card(`,"rationale":"safe\u202eevil\u200b\u2066x","evidence":["HB 1\u200d"]`)).want(http.StatusAccepted)
	_, rest, _ := strings.Cut(b.get("/brains/acme/approvals").text, `value="rec_`)
	page := b.get("/brains/acme/approvals/rec_"+rest[:12]).want(http.StatusOK, "U+202E", "U+200B", "U+2066", "U+200D")
	for _, hidden := range []string{"\u202e", "\u200b", "\u2066", "\u200d"} {
		if strings.Contains(page.text, hidden) {
			t.Errorf("the page holds %U as it is", []rune(hidden)[0])
		}
	}
}

// own runs SQL as the owner's login, in the brain acme.
func (s *site) own(sql string) {
	s.t.Helper()
	c, err := pgx.Connect(s.t.Context(), s.db.Own)
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close(s.t.Context())
	if _, err := c.Exec(s.t.Context(), "SELECT set_config('app.brain_id', 'acme', false); "+sql); err != nil {
		s.t.Fatal(err)
	}
}

// drafted sums up what is drafted and queued in acme.
func (s *site) drafted() string {
	s.t.Helper()
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: "acme", Via: ops.CLI}
	cards := run(s, c, ops.ListCards, ops.Page{}).Cards
	recs := run(s, c, ops.ListRecommendations, ops.RecommendationsIn{Page: ops.Page{Limit: 200}}).Recommendations
	sources := run(s, c, ops.ListSources, ops.Page{}).Sources
	var states []string
	for _, r := range recs {
		states = append(states, r.ID+" "+string(r.State))
	}
	return fmt.Sprint(len(cards), len(sources), states)
}

// foreignRecommendation queues something in another brain.
func (s *site) foreignRecommendation(brain models.BrainID, email string) string {
	s.t.Helper()
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: email}, Brain: brain, Via: ops.CLI}
	person := run(s, c, ops.ListMembers, ops.Page{}).Members[0].PersonID
	by := models.Principal{Kind: models.KindPerson, Person: person, Actor: email, Brain: brain, TokenID: "x", Roles: []models.Role{models.RoleOwner}, Scopes: []models.Scope{models.ScopeWrite}, Authenticated: true}
	_, err := ops.Do(s.t.Context(), s.desk, ops.Call{By: by, Brain: brain, Via: ops.REST}, ops.SaveCard, ops.SaveCardIn{ID: "z", Label: "Z", Covers: "z", Anchors: []string{"ZEB 1"}})
	q, ok := ops.AsWaiting(err)
	if !ok {
		s.t.Fatalf("nothing waits in %s: %v", brain, err)
	}
	return q.ID
}
