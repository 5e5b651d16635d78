package web

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"polaris/models"
	"polaris/ops"
)

// nouns are the names of one brain's things, by which somebody could try to
// reach them from another.
type nouns map[string]string

// nobodys are names of the same shapes that never were anybody's. No brain has
// heard of them, and neither have its texts.
var nobodys = nouns{
	"brain": "nowhere", "source": "src_000000000000", "code": "QUAGG", "card": "quagga-crossing", "key": "000000000000", "answer": "ans_000000000000",
	"owner": "nobody@example.com", "person": "per_000000000000", "version": "77", "title": "Quaggness", "cursor": "AAAAAAAAAAAAAAAAAAAA", "anchor": "QUAGG 1(a)",
	"recommendation": "rec_000000000000", "import": "imp_000000000000", "job": "6f1c2a9e-0000-4000-8000-000000000000", "hash": "0000000000000000000000000000000000000000000000000000000000000000",
}

// foreign makes the brain zebra with one of everything, by somebody else, and
// returns its names.
func (s *site) foreign() nouns {
	s.t.Helper()
	s.brain("zebra", "eve@example.com")
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: "eve@example.com"}, Brain: "zebra", Via: ops.CLI}
	n := nouns{"brain": "zebra", "owner": "eve@example.com", "code": "ZEBRA", "card": "zebra-crossing", "anchor": "ZEBRA 1(a)", "title": "Zebraness"}
	for v := range 3 {
		text := fmt.Sprintf("# Zebra\n\n1. \"Zebraness\" means the state of %d stripes.\n\n(a) A zebra has stripes.\n", v+20)
		n["source"] = run(s, c, ops.ImportSource, ops.ImportSourceIn{Name: "zebra.md", Title: "Zebra", Code: "ZEBRA", Data: []byte(text)}).SourceID
		run(s, c, ops.SaveCard, ops.SaveCardIn{ID: fmt.Sprintf("zebra-%d", v), Label: "Zebra", Covers: "zebras", Anchors: []string{"ZEBRA 1(a)"}})
		run(s, c, ops.PublishVersion, ops.PublishIn{})
	}
	n["version"] = "3"
	n["import"] = run(s, c, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{{Name: "zebra.md", Data: []byte("# Zebra")}}}).ID
	run(s, c, ops.SaveCard, ops.SaveCardIn{ID: n["card"], Label: "Zebra", Covers: "zebras", Anchors: []string{"ZEBRA 1(a)"}})
	k := run(s, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "zebra"})
	n["key"] = k.ID
	p, err := s.desk.KeyPrincipal(s.t.Context(), k.Secret)
	if err != nil {
		s.t.Fatal(err)
	}
	n["person"] = p.Person
	n["answer"] = run(s, ops.Call{By: p, Brain: "zebra", Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "What does a zebra have?"}).AnswerID
	n["job"] = run(s, ops.Call{By: c.By, Brain: "zebra", Via: ops.Hosted}, ops.SubmitQuery, ops.SubmitIn{Query: "Compare all zebras and write a report."}).JobID
	program := models.Principal{Kind: models.KindPerson, Person: p.Person, Actor: n["owner"], Brain: "zebra", TokenID: "x", Roles: []models.Role{models.RoleOwner}, Scopes: []models.Scope{models.ScopeWrite}, Authenticated: true}
	_, err = ops.Do(s.t.Context(), s.desk, ops.Call{By: program, Brain: "zebra", Via: ops.REST}, ops.DeleteCard, ops.CardIDIn{ID: n["card"]})
	q, ok := ops.AsWaiting(err)
	if !ok {
		s.t.Fatalf("nothing waits in zebra: %v", err)
	}
	n["recommendation"] = q.ID
	n["hash"] = run(s, c, ops.GetRecommendation, ops.RecommendationIDIn{ID: q.ID}).Hash
	n["change"] = fmt.Sprint(run(s, c, ops.ListAudit, ops.AuditListIn{AuditFilterIn: ops.AuditFilterIn{Operation: "topic_cards.save"}}).Rows[0].Row.ID)
	n["cursor"] = run(s, c, ops.ListVersions, ops.Page{Limit: 1}).NextCursor
	return n
}

// run runs an operation that must succeed.
func run[In, Out any](s *site, c ops.Call, o *ops.Op[In, Out], in In) Out {
	s.t.Helper()
	out, err := ops.Do(s.t.Context(), s.desk, c, o, in)
	if err != nil {
		s.t.Fatalf("%s: %v", o.Name, err)
	}
	return out
}

// An attempt is a request with names in it, in braces.
type attempt struct{ method, path, body string }

// attempts are, for each operation with a route, the requests in which a name of
// somebody else's can be put: in the path, in the query, and nested in a body.
// An operation without a line here fails the test.
var attempts = map[string][]attempt{
	"me":                       {{"GET", "/v1/me", ""}},
	"answer":                   {{"POST", "/answers", `{"query":"How long do we keep complaint records? {title} {code} 1(a)","topic_ids":["{card}"]}`}, {"POST", "/answers", `{"query":"x","topic_ids":["{card}","x"],"brain_id":"{brain}"}`}},
	"retrieve":                 {{"POST", "/retrieve", `{"query":"{anchor}","topic_ids":["{card}"]}`}},
	"topic_cards":              {{"GET", "/topic-cards?brain_id={brain}", ""}},
	"read_wiki":                {{"GET", "/wiki/{title}", ""}, {"GET", "/wiki/{code}", ""}},
	"answers.get":              {{"GET", "/answers/{answer}", ""}},
	"answers.list":             {{"GET", "/answers?cursor={cursor}", ""}},
	"sources.find":             {{"GET", "/draft/sources?cursor={cursor}", ""}, {"GET", "/draft/sources?import={import}", ""}, {"GET", "/draft/sources?text={code}", ""}},
	"sources.read":             {{"GET", "/sources/{source}/passages", ""}, {"GET", "/sources/{code}/passages?key={anchor}", ""}},
	"passages.find":            {{"GET", "/draft/passages?query={anchor}", ""}, {"GET", "/draft/passages?query={title}", ""}},
	"passages.read":            {{"GET", "/published/passages?key={anchor}", ""}, {"GET", "/published/passages?key={title}", ""}},
	"topic_cards.check":        {{"POST", "/draft/topic-cards/check", `{"id":"{card}","covers":"zebras","anchors":["{anchor}"]}`}},
	"draft.ask":                {{"POST", "/draft/answers", `{"query":"What does a zebra have?","source":"{source}"}`}, {"POST", "/draft/answers", `{"query":"x","source":"{code}"}`}},
	"draft.history":            {{"GET", "/draft/history?source={source}", ""}, {"GET", "/draft/history?source={code}", ""}, {"GET", "/draft/history?card={card}", ""}},
	"sources.list":             {{"GET", "/sources?cursor={cursor}", ""}},
	"sources.get":              {{"GET", "/sources/{source}", ""}, {"GET", "/sources/{code}", ""}},
	"sources.import":           {{"POST", "/sources", `{"name":"x.md","title":"X","code":"{code}","data":"IyBYCgpYLgo="}`}, {"POST", "/sources", `{"source_id":"{source}","data":"IyBYCgpYLgo="}`}},
	"topic_cards.list":         {{"GET", "/draft/topic-cards?cursor={cursor}", ""}},
	"topic_cards.get":          {{"GET", "/draft/topic-cards/{card}", ""}},
	"topic_cards.delete":       {{"DELETE", "/draft/topic-cards/{card}", ""}},
	"topic_cards.save":         {{"PUT", "/draft/topic-cards/{card}", `{"label":"x","covers":"x","anchors":["{anchor}"]}`}, {"PUT", "/draft/topic-cards/mine", `{"id":"{card}","label":"x","covers":"x","anchors":["{anchor}"]}`}},
	"answers.replay":           {{"GET", "/answers/{answer}/replay", ""}},
	"answers.prove":            {{"POST", "/answers/{answer}/proof", `{"body":"{}"}`}},
	"audit.list":               {{"GET", "/audit?cursor={cursor}", ""}},
	"audit.export":             {{"GET", "/audit/export?cursor={cursor}", ""}},
	"audit.retain":             {{"POST", "/audit/retention", `{"brain_id":"{brain}"}`}},
	"sources.remove":           {{"DELETE", "/sources/{source}", ""}, {"DELETE", "/sources/{code}", ""}},
	"sources.update":           {{"PATCH", "/sources/{source}", `{"title":"x"}`}, {"PATCH", "/sources/{code}", `{"supersedes":"{code}"}`}},
	"sources.diff":             {{"GET", "/sources/{source}/diff", ""}, {"GET", "/sources/{code}/diff?from=1&to=2", ""}},
	"imports.start":            {{"POST", "/imports", `{"import":"{import}","files":[{"name":"x.md","data":"IyBYCgpYLgo="}]}`}},
	"imports.get":              {{"GET", "/imports/{import}", ""}},
	"imports.list":             {{"GET", "/imports?cursor={cursor}", ""}},
	"imports.cancel":           {{"POST", "/imports/{import}/cancellation", ""}},
	"imports.compare":          {{"POST", "/folders/comparison", `{"folder":"{code}","files":[{"name":"{source}","sha256":"{hash}"}]}`}},
	"imports.events":           {{"GET", "/imports/{import}/events", ""}},
	"sources.restore":          {{"POST", "/sources/{source}/restore", `{"revision":1}`}},
	"sources.revert":           {{"POST", "/sources/{source}/revert", `{"revision":1}`}, {"POST", "/sources/{code}/revert", `{"revision":2}`}},
	"changes.undo":             {{"POST", "/changes/{recommendation}/undo", ""}, {"POST", "/changes/{change}/undo", ""}},
	"sources.suspend":          {{"POST", "/sources/{source}/suspend", `{"reason":"x"}`}, {"POST", "/sources/{code}/suspend", `{"key":"{anchor}","reason":"x"}`}},
	"sources.lift":             {{"POST", "/sources/{source}/lift", `{}`}, {"POST", "/sources/{code}/lift", `{"key":"{anchor}"}`}},
	"sources.certify":          {{"POST", "/sources/{source}/certification", `{}`}, {"POST", "/sources/{code}/certification", `{"note":"{anchor}"}`}},
	"sources.purge":            {{"POST", "/sources/{source}/purge", `{"reason":"x"}`}, {"POST", "/sources/{code}/purge", `{"reason":"{anchor}"}`}},
	"sources.purged":           {{"GET", "/purges?cursor={cursor}", ""}},
	"brains.export":            {{"GET", "/export?cursor={cursor}", ""}},
	"brains.delete":            {{"POST", "/deletion", `{"confirm":"{brain}"}`}},
	"golden_questions.save":    {{"PUT", "/golden-questions/{card}", `{"question":"x","brain":"{brain}"}`}},
	"golden_questions.list":    {{"GET", "/golden-questions?cursor={cursor}", ""}},
	"golden_questions.delete":  {{"DELETE", "/golden-questions/{card}", ""}},
	"golden_questions.run":     {{"GET", "/golden-report?version={version}", ""}},
	"versions.list":            {{"GET", "/versions?cursor={cursor}", ""}},
	"versions.get":             {{"GET", "/versions/{version}", ""}},
	"versions.diff":            {{"GET", "/diff?from={version}", ""}, {"GET", "/diff?to={version}", ""}},
	"versions.restore":         {{"POST", "/versions/{version}/restore", `{"notes":"x"}`}},
	"versions.publish":         {{"POST", "/versions", `{"notes":"x","version":"{version}"}`}},
	"api_keys.list":            {{"GET", "/api-keys?cursor={cursor}", ""}},
	"api_keys.get":             {{"GET", "/api-keys/{key}", ""}},
	"api_keys.create":          {{"POST", "/api-keys", `{"label":"x","actor":"{owner}"}`}, {"POST", "/api-keys", `{"label":"x","owner_id":"{person}"}`}},
	"api_keys.update":          {{"PATCH", "/api-keys/{key}", `{"label":"x"}`}, {"PATCH", "/api-keys/{own key}", `{"owner":"{owner}"}`}},
	"api_keys.rotate":          {{"POST", "/api-keys/{key}/rotate", `{"overlap_s":0}`}},
	"api_keys.revoke":          {{"DELETE", "/api-keys/{key}", ""}, {"DELETE", "/api-keys/{key}?reason={answer}", ""}},
	"settings.get":             {{"GET", "/settings", ""}},
	"settings.save":            {{"PATCH", "/settings", `{"rules":[{"class":"A2","needed":1,"roles":["owner"]}]}`}},
	"members.list":             {{"GET", "/members?cursor={cursor}", ""}},
	"members.grant":            {{"PUT", "/members/{owner}/roles", `{"roles":["reader"]}`}, {"PUT", "/members/{person}/roles", `{"roles":["owner"]}`}},
	"members.remove":           {{"DELETE", "/members/{owner}", ""}, {"DELETE", "/members/{person}", ""}},
	"references.broken":        {{"GET", "/references/broken?cursor={cursor}", ""}, {"GET", "/references/broken?source={source}", ""}, {"GET", "/references/broken?source={code}", ""}},
	"passages.get":             {{"GET", "/passages?key={anchor}", ""}, {"GET", "/passages?key={code}", ""}},
	"recommendations.list":     {{"GET", "/recommendations?cursor={cursor}", ""}, {"GET", "/recommendations?state={card}", ""}},
	"recommendations.get":      {{"GET", "/recommendations/{recommendation}", ""}},
	"recommendations.changes":  {{"GET", "/recommendations/{recommendation}/changes", ""}},
	"recommendations.withdraw": {{"POST", "/recommendations/{recommendation}/withdrawal", ""}},
	"recommendations.decide":   {{"POST", "/recommendations/{recommendation}/decision", `{"hash":"{hash}","verdict":"reject"}`}, {"POST", "/recommendations/{recommendation}/decision", `{"hash":"{hash}","verdict":"approve"}`}},
	"audit.verify":             {{"GET", "/audit/verification?head={person}", ""}},
	"brains.list":              {{"GET", "/v1/brains", ""}, {"GET", "/v1/brains?cursor={cursor}", ""}},
	"brains.show":              {{"GET", "", ""}},
	"brains.overview":          {{"GET", "/overview", ""}},
	"search":                   {{"GET", "/search?q={code}", ""}, {"GET", "/search?q={title}", ""}, {"GET", "/search?q={recommendation}", ""}, {"GET", "/search?q={card}", ""}, {"GET", "/search?q={anchor}", ""}},
}

// fill puts a brain's names into a text.
func (n nouns) fill(text string, escape func(string) string) string {
	for name, v := range n {
		text = strings.ReplaceAll(text, "{"+name+"}", escape(v))
	}
	return text
}

func asIs(s string) string { return s }

// what differs between any two requests: ids and times, the newest answers and
// what nobody could answer (the requests before have asked), and which titles a made-up one happens to be near to
var chance = regexp.MustCompile(`"(?:answers|gaps)":\[[^\]]*\]|"id":\d+|"at":"[^"]*"| Nearest: [^"]*?\.|(req|ans|src|per|rec|imp)_[0-9A-Za-z]{12}|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}|sk-polaris-\w+|"(as_of|[a-z_]+_at|key|id|start|person_id|hash|sha256|payload)":"[^"]*"|Answer ans_\w+[^"]*|"(remaining|latency_ns|micros)":\d+|"code":"[A-Z0-9]+"`)

// seen is an answer without what differs between any two requests, and with the
// names that were sent left out.
func (a *answer) seen(n nouns) string {
	text := a.text
	names := slices.SortedFunc(maps.Keys(n), func(x, y string) int { return len(n[y]) - len(n[x]) }) // one may be a part of another
	for _, name := range names {
		if v := n[name]; len(v) > 2 { // else it is found everywhere
			text = strings.ReplaceAll(text, v, "{"+name+"}")
		}
	}
	return fmt.Sprint(a.StatusCode, " ", a.Header.Get("Content-Type"), " ", a.Header.Get("WWW-Authenticate"), " ", a.Header.Get("Allow"), " ", chance.ReplaceAllString(text, "~"))
}

// credentials are those of one brain: how each is sent.
func (s *site) credentials(b *browser, brain string) map[string][]string {
	return map[string][]string{
		"cookie": {},
		"key":    {"X-API-Key", b.wideKey(brain)},
		"token":  {"Authorization", "Bearer " + b.scopedToken(brain, atThePage...)},
	}
}

// differ returns where two texts begin to differ.
func differ(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Whoever holds a credential of one brain learns nothing of another: every
// address with every name of its things, wherever it may stand, answers like one
// with names that never were.
func TestNoNameReachesAcross(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	theirs := s.foreign()
	before := s.state("zebra")
	creds := s.credentials(b, "calliope")
	mine := b.scopedKey("calliope")[len("sk-polaris-"):][:12]
	tried := 0
	for _, o := range ops.All() {
		if o.Route == "" {
			continue
		}
		if attempts[o.Name] == nil {
			t.Errorf("%s has no line in attempts", o.Name)
		}
		for _, at := range attempts[o.Name] {
			for who, header := range creds {
				see := func(brain string, n nouns) string {
					path := at.path
					if !isAPI(path) {
						path = "/v1/brains/" + brain + path
					}
					h := header
					body := strings.ReplaceAll(n.fill(at.body, asIs), "{own key}", mine)
					if body != "" {
						h = append([]string{"Content-Type", "application/json"}, header...)
					}
					agent := b
					if who != "cookie" {
						agent = s.browser()
					}
					tried++
					a := agent.do(at.method, strings.ReplaceAll(n.fill(path, url.PathEscape), "{own key}", mine), body, h...)
					if strings.Contains(a.text, "stripes") {
						t.Errorf("%s by %s shows what is in zebra: %s", o.Name, who, a.text)
					}
					return a.seen(n)
				}
				if got, want := see("calliope", theirs), see("calliope", nobodys); got != want {
					at0 := max(0, differ(got, want)-60)
					t.Errorf("%s %s by %s: names of zebra bring\n  …%.600s\nnames of nobody's\n  …%.600s", at.method, at.path, who, got[min(at0, len(got)):], want[min(at0, len(want)):])
				}
				if isAPI(at.path) {
					continue
				}
				if got, want := see("zebra", theirs), see("nowhere", theirs); got != want || !strings.HasPrefix(got, "404") {
					t.Errorf("%s %s by %s, in the brain itself:\n  %.600s\nin one that never was\n  %.600s", at.method, at.path, who, got, want)
				}
			}
		}
	}
	if after := s.state("zebra"); after != before {
		t.Errorf("zebra is not what it was:\n%s\n%s", before, after)
	}
	t.Logf("%d requests", tried)
	if tried < 300 {
		t.Error("that is too few")
	}
}

// state is all that a brain's lists say of it.
func (s *site) state(brain models.BrainID) string {
	s.t.Helper()
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: brain, Via: ops.CLI}
	return fmt.Sprint(run(s, c, ops.ListSources, ops.Page{}), run(s, c, ops.ListCards, ops.Page{}), run(s, c, ops.ListVersions, ops.Page{}),
		keyStates(run(s, c, ops.ListAPIKeys, ops.Page{})), run(s, c, ops.ListMembers, ops.Page{}), run(s, c, ops.ListAnswers, ops.AnswersIn{}), run(s, c, ops.ListRecommendations, ops.RecommendationsIn{}))
}

func keyStates(l ops.APIKeyList) []string {
	var all []string
	for _, k := range l.Keys {
		all = append(all, fmt.Sprint(k.ID, k.Label, k.Owner, k.State, k.Rev))
	}
	return all
}

// Bytes that another brain has are new here: that somebody holds a document is
// not told either.
func TestForeignBytesAreNew(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	s.foreign()
	text := "# Zebra\n\n1. \"Zebraness\" means the state of 20 stripes.\n\n(a) A zebra has stripes.\n"
	b.do(http.MethodPost, "/v1/brains/calliope/sources", `{"name":"zebra.md","data":"`+base64.StdEncoding.EncodeToString([]byte(text))+`"}`, "Content-Type", "application/json").
		want(http.StatusCreated, `"status":"new"`, `"revision":1`)
}

// The same over MCP, for every tool, by key and by token. A tool's arguments may
// even name the brain: the credential's is meant.
func TestNoNameReachesAcrossTools(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	theirs := s.foreign()
	arguments := map[string][]string{
		"answer":           {`{"query":"{title} {anchor}","topic_ids":["{card}","x"],"brain_id":"{brain}","tenantId":"{brain}"}`},
		"retrieve":         {`{"query":"{anchor}","topic_ids":["{card}"],"tenant_id":"{brain}"}`},
		"topic_cards":      {`{"brainId":"{brain}"}`},
		"submit_query":     {`{"query":"Compare {title} with {anchor} and write a report.","brain_id":"{brain}"}`},
		"poll_query":       {`{"job_id":"{job}"}`, `{"job_id":"{job}","brain_id":"{brain}"}`},
		"get_final_report": {`{"job_id":"{job}"}`},
		"read_wiki":        {`{"entity":"{title}"}`, `{"entity":"{code}","brain_id":"{brain}"}`},
	}
	for who, header := range s.credentials(b, "calliope") {
		if who == "cookie" {
			continue // no browser's session opens this endpoint
		}
		for _, o := range ops.All().On(ops.Hosted) {
			if arguments[o.Tool] == nil {
				t.Errorf("%s has no arguments to try", o.Tool)
			}
			for _, args := range arguments[o.Tool] {
				see := func(n nouns, more ...string) string {
					a := s.browser().do(http.MethodPost, "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+o.Tool+`","arguments":`+n.fill(args, asIs)+`}}`,
						slices.Concat([]string{"Content-Type", "application/json"}, header, more)...)
					if strings.Contains(a.text, "stripes") {
						t.Errorf("%s by %s shows what is in zebra: %s", o.Tool, who, a.text)
					}
					return a.seen(n)
				}
				if got, want := see(theirs), see(nobodys); got != want {
					t.Errorf("%s %s by %s: names of zebra bring\n  %.600s\nnames of nobody's\n  %.600s", o.Tool, args, who, got, want)
				}
				if got, want := see(theirs, "X-Tenant-Id", "zebra"), see(theirs, "X-Tenant-Id", "nowhere"); got != want || !strings.HasPrefix(got, "403") {
					t.Errorf("%s by %s for the tenant zebra:\n  %s\nfor none\n  %s", o.Tool, who, got, want)
				}
			}
		}
	}
}
