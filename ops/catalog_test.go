package ops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

var (
	opName   = regexp.MustCompile(`^[a-z_]+(\.[a-z_]+)?$`)
	toolName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)
)

func TestCatalogIsComplete(t *testing.T) {
	t.Parallel()
	if got, want := len(ops.All()), declared(t); got != want {
		t.Errorf("the catalog has %d operations, %d are declared", got, want)
	}
	seen := map[string]bool{}
	for _, o := range ops.All() {
		if seen[o.Name] {
			t.Errorf("%s is there twice", o.Name)
		}
		seen[o.Name] = true
		if !opName.MatchString(o.Name) || o.Title == "" || o.Summary == "" || len(o.Summary) > 2048 || o.Class == "" || o.Offered == 0 {
			t.Errorf("%s does not say all that it must: %+v", o.Name, o)
		}
		if !slices.Contains(models.Rights(), o.Needs) {
			t.Errorf("%s needs %q, which is no right", o.Name, o.Needs)
		}
		if o.Offered&(ops.Hosted|ops.Stdio) != 0 && !toolName.MatchString(o.Tool) {
			t.Errorf("%s is offered over MCP under the name %q", o.Name, o.Tool)
		}
		if o.Offered&ops.REST != 0 && o.Route == "" {
			t.Errorf("%s is offered over REST without a route", o.Name)
		}
		if o.Serves && o.Class != ops.Read {
			t.Errorf("%s serves an answer and changes something", o.Name)
		}
	}
}

// declared counts the operations in this package's source, so that one that is
// missing in the catalog is found.
func declared(t *testing.T) (n int) {
	fset := token.NewFileSet()
	pkgs, err := parser.ParseDir(fset, ".", nil, 0) //nolint:staticcheck // no build tags here
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range pkgs["ops"].Files {
		ast.Inspect(f, func(node ast.Node) bool {
			if lit, ok := node.(*ast.CompositeLit); ok {
				if ix, ok := lit.Type.(*ast.IndexListExpr); ok {
					if id, ok := ix.X.(*ast.Ident); ok && id.Name == "Op" {
						n++
					}
				}
			}
			return true
		})
	}
	return n
}

// TestDispose is the table of the contract, written out once more.
func TestDispose(t *testing.T) {
	t.Parallel()
	want := map[ops.Surface][5]ops.Disposition{
		//          A0        A1        A2          A3           A4
		ops.Web:    {ops.Runs, ops.Runs, ops.Runs, ops.Decides, ops.Queues},
		ops.CLI:    {ops.Runs, ops.Runs, ops.Runs, ops.Names, ops.Queues},
		ops.Stdio:  {ops.Runs, ops.Runs, ops.Runs, ops.Names, ops.Queues},
		ops.Hosted: {ops.Runs, ops.Runs, ops.Queues, ops.Queues, ops.Queues},
		ops.REST:   {ops.Runs, ops.Runs, ops.Queues, ops.Queues, ops.Queues},
		ops.OpenAI: {ops.Runs, ops.Runs, ops.Never, ops.Never, ops.Never},
	}
	for _, s := range ops.Surfaces() {
		for i, c := range []ops.Class{ops.Read, ops.Metered, ops.Reversible, ops.Judgement, ops.Irreversible} {
			if got := ops.Dispose(s, c); got != want[s][i] {
				t.Errorf("%s × %s: got %v, want %v", s, c, got, want[s][i])
			}
		}
	}
}

// ids are the names of one brain's things.
type ids struct{ source, card, key, answer, member, refresh, recommendation, imported, job string }

// inputs has an input for each operation that names things by their ids. An
// operation that takes none, or makes what it names, has the empty object or an
// input that fits. A new operation without a line here fails the test.
func inputs(x ids) map[string]string {
	return map[string]string{
		"answer":                    `{"query":"How much is the late fee?","topic_ids":["` + x.card + `"]}`,
		"retrieve":                  `{"query":"How much is the late fee?","topic_ids":["` + x.card + `"]}`,
		"topic_cards":               `{}`,
		"read_wiki":                 `{"entity":"` + x.source + `"}`,
		"answers.get":               `{"id":"` + x.answer + `"}`,
		"answers.list":              `{}`,
		"research.submit":           `{"query":"Compare all fees and write a report on late fees."}`,
		"research.poll":             `{"job_id":"` + x.job + `"}`,
		"research.report":           `{"job_id":"` + x.job + `"}`,
		"answers.replay":            `{"id":"` + x.answer + `"}`,
		"answers.prove":             `{"id":"` + x.answer + `","body":"{}"}`,
		"answers.expire":            `{}`,
		"recommendations.list":      `{}`,
		"recommendations.get":       `{"id":"` + x.recommendation + `"}`,
		"recommendations.changes":   `{"id":"` + x.recommendation + `"}`,
		"recommendations.withdraw":  `{"id":"` + x.recommendation + `"}`,
		"recommendations.decide":    `{"id":"` + x.recommendation + `","hash":"` + strings.Repeat("0", 64) + `","verdict":"reject"}`,
		"audit.verify":              `{}`,
		"audit.list":                `{"target":"` + x.answer + `","person":"` + x.member + `","key_id":"` + x.key + `"}`,
		"audit.export":              `{"target":"` + x.answer + `"}`,
		"audit.retain":              `{"before":"2020-01-01"}`,
		"sources.import":            `{"name":"x.md","code":"X","data":"IyBYCgpUZXh0IG9mIFgu"}`,
		"sources.list":              `{}`,
		"imports.survey":            `{"url":"https://example.org/","max_pages":1}`,
		"sources.find":              `{"text":"` + x.source + `"}`,
		"sources.read":              `{"source":"` + x.source + `"}`,
		"passages.find":             `{"query":"` + strings.ToUpper(x.card) + ` 1(a)"}`,
		"passages.read":             `{"key":"` + strings.ToUpper(x.card) + ` 1(a)"}`,
		"topic_cards.check":         `{"id":"` + x.card + `","anchors":["` + strings.ToUpper(x.card) + ` 1(a)"]}`,
		"draft.ask":                 `{"query":"How much is the late fee?","source":"` + x.source + `"}`,
		"draft.history":             `{"source":"` + x.source + `"}`,
		"sources.update":            `{"source":"` + x.source + `","title":"x"}`,
		"sources.diff":              `{"source":"` + x.source + `","from":1,"to":1}`,
		"imports.start":             `{"import":"` + x.imported + `","files":[{"name":"y.md","data":"IyBZCgpUZXh0IG9mIFkuCg=="}]}`,
		"imports.get":               `{"id":"` + x.imported + `"}`,
		"imports.list":              `{}`,
		"imports.cancel":            `{"id":"` + x.imported + `"}`,
		"imports.compare":           `{"folder":"x","files":[{"name":"` + x.source + `","sha256":"9f2c"}]}`,
		"imports.events":            `{"id":"` + x.imported + `"}`,
		"references.broken":         `{"source":"` + x.source + `"}`,
		"passages.get":              `{"key":"` + strings.ToUpper(x.card) + ` 1(a)"}`,
		"brains.list":               `{}`,
		"sources.get":               `{"source":"` + x.source + `"}`,
		"sources.remove":            `{"source":"` + x.source + `"}`,
		"sources.restore":           `{"source":"` + x.source + `"}`,
		"sources.revert":            `{"source":"` + x.source + `","revision":1}`,
		"changes.undo":              `{"id":"` + x.recommendation + `"}`,
		"sources.suspend":           `{"source":"` + x.source + `","reason":"x"}`,
		"sources.lift":              `{"source":"` + x.source + `"}`,
		"sources.certify":           `{"source":"` + x.source + `"}`,
		"sources.purge":             `{"source":"` + x.source + `","reason":"x"}`,
		"sources.purged":            `{}`,
		"topic_cards.save":          `{"id":"` + x.card + `","label":"L","covers":"c","anchors":["HR 1(a)"]}`,
		"topic_cards.list":          `{}`,
		"topic_cards.get":           `{"id":"` + x.card + `"}`,
		"topic_cards.delete":        `{"id":"` + x.card + `"}`,
		"versions.publish":          `{}`,
		"versions.list":             `{}`,
		"versions.diff":             `{}`,
		"golden_questions.save":     `{"id":"` + x.card + `","question":"How much is the late fee?"}`,
		"golden_questions.list":     `{}`,
		"golden_questions.run":      `{}`,
		"golden_questions.delete":   `{"id":"` + x.card + `"}`,
		"versions.restore":          `{"n":1}`,
		"versions.get":              `{"n":1}`,
		"api_keys.create":           `{"label":"x"}`,
		"api_keys.list":             `{}`,
		"api_keys.get":              `{"id":"` + x.key + `"}`,
		"api_keys.update":           `{"id":"` + x.key + `","label":"y","scopes":["advisor:read"],"owner":"` + x.member + `","expires_days":1}`,
		"api_keys.rotate":           `{"id":"` + x.key + `","overlap_s":0}`,
		"api_keys.revoke":           `{"id":"` + x.key + `"}`,
		"me":                        `{}`,
		"members.list":              `{}`,
		"persons.link":              `{"account":"` + x.member + `","person":"` + x.member + `"}`,
		"persons.unlink":            `{"account":"` + x.member + `","person":"` + x.member + `"}`,
		"settings.get":              `{}`,
		"settings.save":             `{"four_eyes":true}`,
		"members.grant":             `{"member":"` + x.member + `","roles":["approver"]}`,
		"members.remove":            `{"member":"` + x.member + `"}`,
		"users.list":                `{}`,
		"users.disable":             `{"email":"eve@example.org"}`,
		"users.enable":              `{"email":"eve@example.org"}`,
		"brains.show":               `{}`,
		"brains.overview":           `{}`,
		"search":                    `{"q":"` + x.card + `"}`,
		"brains.export":             `{}`,
		"brains.delete":             `{"confirm":"alpha"}`,
		"persons.forget":            `{"member":"` + x.member + `"}`,
		"brains.create":             `{"id":"beta","name":"x","owner":"eve@example.org"}`,
		"users.create":              `{"email":"eve@example.org","roles":["reader"]}`,
		"instance.set_up":           `{"token":"x","email":"eve@example.org","password":"long enough it is"}`,
		"session.start":             `{"email":"eve@example.org","password":"long enough it is"}`,
		"session.link":              `{"token":"x","password":"long enough it is"}`,
		"tokens.sign_in":            `{"email":"eve@example.org","password":"long enough it is"}`,
		"tokens.create":             `{}`,
		"tokens.refresh":            `{"refresh_token":"` + x.refresh + `"}`,
		"tokens.revoke":             `{"refresh_token":"` + x.refresh + `"}`,
		"tokens.revoke_all":         `{}`,
		"tokens.rotate_signing_key": `{}`,
	}
}

// furnished makes a brain with one of everything, published.
func furnished(t *testing.T, d *ops.Desk, brain models.BrainID, secret string) (ops.Call, ids) {
	c := newBrain(t, d, brain, false)
	x := ids{card: "card-" + secret, member: secret + "@example.org"}
	must(t, d, c, ops.CreateUser, ops.CreateUserIn{Email: x.member, Roles: []models.Role{models.RoleReader}})
	x.source = must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: secret + ".md", Title: secret, Code: strings.ToUpper(secret), Data: []byte(rules + "\nThe word is " + secret + ".\n")}).SourceID
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: x.card, Label: secret, Covers: secret, Anchors: []string{strings.ToUpper(secret) + " 1(a)"}})
	must(t, d, c, ops.SaveGolden, ops.SaveGoldenIn{ID: x.card, Question: "What is the word " + secret + "?"})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	x.imported = must(t, d, c, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{{Name: secret + ".md", Data: []byte("# " + secret)}}}).ID
	k := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: secret})
	x.key = k.ID
	tokens := tokensOf(t, d, brain, ada, models.ScopeAdvisorRead, models.ScopeWrite)
	x.refresh = tokens.RefreshToken
	by, err := d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	x.recommendation = proposed(t, d, ops.Call{By: by, Brain: brain, Via: ops.REST}, ops.DeleteCard, ops.CardIDIn{ID: x.card}).ID
	p, err := d.KeyPrincipal(t.Context(), k.Secret)
	if err != nil {
		t.Fatal(err)
	}
	x.answer = must(t, d, ops.Call{By: p, Brain: brain, Via: ops.Hosted}, ops.Answer, ops.AskIn{Query: "How much is the late fee?"}).AnswerID
	x.job = must(t, d, ops.Call{By: c.By, Brain: brain, Via: ops.Hosted}, ops.SubmitQuery, ops.SubmitIn{Query: "Compare all fees and write a report on " + secret + "."}).JobID
	return c, x
}

// dump returns every row of the brain that is no audit row, as text.
func dump(t *testing.T, url string, brain models.BrainID) string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	var b strings.Builder
	rows, err := c.Query(t.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('audit', 'audit_chain', 'goose_db_version', 'sessions', 'links') ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', $1, false)", string(brain)); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		rows, err := c.Query(t.Context(), fmt.Sprintf("SELECT x::text FROM %s x ORDER BY 1", table))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if table == "brains" { // the one list that both are in
			lines = slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "("+string(brain)+",") })
		}
		fmt.Fprintf(&b, "%s\n%s\n", table, strings.Join(lines, "\n"))
	}
	return b.String()
}

// everyone returns a principal of each kind that belongs to the brain.
func everyone(t *testing.T, d *ops.Desk, c ops.Call) map[string]models.Principal {
	ps := map[string]models.Principal{
		"terminal": c.By, "visitor": ops.Visitor(),
		"outsider": {Kind: models.KindPerson, Person: "per_nobody", Actor: "eve@example.org", Brain: store.Instance, Authenticated: true},
	}
	for _, r := range models.Roles() {
		ps[string(r)] = models.Principal{Kind: models.KindPerson, Person: "per_" + string(r), Actor: string(r) + "@example.org", Brain: c.Brain, Roles: []models.Role{r}, Authenticated: true, Published: 1}
	}
	for _, s := range models.Scopes() {
		p := models.Principal{Kind: models.KindKey, KeyID: "k", Actor: ada, Brain: c.Brain, Roles: []models.Role{models.RoleOwner}, Scopes: []models.Scope{s}, Authenticated: true, Published: 1}
		ps["key with "+string(s)] = p
	}
	return ps
}

// TestNoIDReachesAcross walks the whole catalog on every surface as every
// principal of brain alpha, with the ids of brain beta. What comes back must be
// what an id that never existed brings, and beta must stay as it was.
func TestNoIDReachesAcross(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	ca, _ := furnished(t, d, "alpha", "aleph")
	_, xb := furnished(t, d, "beta", "zebra")
	never := ids{source: "src_000000000000", card: "card-never", key: "000000000000", answer: "ans_000000000000", member: "never@example.org", recommendation: "rec_000000000000", imported: "imp_000000000000", job: "6f1c2a9e-0000-4000-8000-000000000000"}
	never.refresh, _ = models.MintRefresh()
	theirs, none := inputs(xb), inputs(never)
	before := dump(t, db.URL, "beta")

	for name, p := range everyone(t, d, ca) {
		for _, o := range ops.All() {
			if theirs[o.Name] == "" {
				t.Fatalf("%s has no line in inputs", o.Name)
			}
			for _, via := range ops.Surfaces() {
				if o.Name == "session.start" || o.Name == "tokens.sign_in" {
					continue // the same input both times; its rate limit would tell them apart
				}
				at := ops.Call{By: p, Brain: "alpha", Via: via, DryRun: true}
				if o.Needs == models.MayAdminister {
					continue // names a brain that is to be made: TestBrainsAreMadeOnce
				}
				got, want := outcome(d, at, o, theirs[o.Name]), outcome(d, at, o, none[o.Name])
				got, want = strings.ReplaceAll(got, xb.card, "CARD"), strings.ReplaceAll(want, never.card, "CARD")
				got, want = strings.ReplaceAll(got, strings.ToUpper(xb.card), "CARD"), strings.ReplaceAll(want, strings.ToUpper(never.card), "CARD")
				got, want = strings.ReplaceAll(got, xb.source, "SRC"), strings.ReplaceAll(want, never.source, "SRC")
				got, want = strings.ReplaceAll(got, xb.answer, "ANS"), strings.ReplaceAll(want, never.answer, "ANS")
				if got != want {
					t.Errorf("%s as %s by %s: beta's ids bring\n  %s\nids that never existed bring\n  %s", o.Name, name, via, got, want)
				}
				if strings.Contains(got, "zebra") {
					t.Errorf("%s as %s by %s shows beta's content: %s", o.Name, name, via, got)
				}
				if p.Kind == models.KindTerminal {
					continue // a shell on the host reaches every brain
				}
				at.Brain = "beta"
				got = outcome(d, at, o, theirs[o.Name])
				at.Brain = "nowhere"
				if want := outcome(d, at, o, theirs[o.Name]); got != want || !strings.HasPrefix(got, "fault") {
					t.Errorf("%s as %s by %s in beta itself: %s; in a brain that is not there: %s", o.Name, name, via, got, want)
				}
			}
		}
	}
	if after := dump(t, db.URL, "beta"); after != before {
		t.Error("beta is not what it was")
	}
}

// what differs between any two calls
var fleeting = regexp.MustCompile(`(ans|src)_[0-9A-Za-z]{12}|"(created_at|updated_at|as_of|key|id|job_id|expires_at|sign_in_token|head_hash|person_id)":"[^"]*"|"(sealed|unsealed|head_seq)":\d+|Answer ans[^"]*|sk-polaris-\w+`)

// outcome runs an operation and returns what came back, without what differs
// between any two calls.
func outcome(d *ops.Desk, c ops.Call, o *ops.Entry, in string) string {
	out, err := d.Invoke(context.Background(), c, o, []byte(in))
	if err != nil {
		f := fault.Of(err)
		if f.Kind == fault.Internal {
			return "INTERNAL " + err.Error()
		}
		return "fault " + f.Code + " " + f.Field + " " + f.Message
	}
	b, err := json.Marshal(out)
	if err != nil {
		return "INTERNAL " + err.Error()
	}
	if o.Name == "answers.list" {
		return "ok" // the walk itself adds answers
	}
	return "ok " + fleeting.ReplaceAllString(string(b), "~")
}

// TestRights holds each operation against each principal: allowed exactly where
// the roles and scopes of the contract say so.
func TestRights(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, x := furnished(t, d, "alpha", "aleph")
	in := inputs(x)
	curators := []string{"owner", "admin", "curator"}
	readers := append([]string{"approver", "auditor", "reader", "key with advisor:read"}, curators...)
	allowed := map[models.Right][]string{
		models.MayAsk:         readers,
		models.MayResearch:    append([]string{"approver", "auditor", "reader", "key with research:run"}, curators...),
		models.MayReadDraft:   append([]string{"approver", "auditor", "key with mcp:invoke"}, curators...),
		models.MayReadRecords: append([]string{"approver", "auditor", "key with mcp:invoke"}, curators...),
		models.MayEditDraft:   append([]string{"key with mcp:write"}, curators...),
		models.MayPublish:     append([]string{"key with mcp:write"}, curators...),
		models.MayKeys:        {"owner", "admin"},
		models.MayMembers:     {"owner", "admin"},
		models.MayAudit:       {"owner", "admin", "auditor"},
		models.MayAdminister:  {},
		models.MayEnter:       {"visitor"},
		models.MayIdentify:    append([]string{"key with research:run", "key with mcp:invoke", "key with mcp:write", "key with mcp:any-brain"}, readers...),
		models.MaySelf:        {"owner", "admin", "curator", "approver", "auditor", "reader"},
	}
	for name, p := range everyone(t, d, c) {
		if name == "terminal" {
			continue
		}
		for _, o := range ops.All() {
			if o.Session {
				continue // nobody here has one: TestDecidingTakesASession
			}
			via := ops.Web
			for _, other := range []ops.Surface{ops.CLI, ops.Hosted} {
				if o.Offered&via == 0 {
					via = other
				}
			}
			call := ops.Call{By: p, Brain: "alpha", Via: via, DryRun: true}
			if o.Needs == models.MayEnter {
				call.Brain = store.Instance
			}
			got := outcome(d, call, o, in[o.Name])
			refused := strings.HasPrefix(got, "fault insufficient_") || strings.HasPrefix(got, "fault no_such_brain")
			if want := slices.Contains(allowed[o.Needs], name); want == refused {
				t.Errorf("%s as %s: %.120s; allowed should be %v", o.Name, name, got, want)
			}
		}
	}
}
