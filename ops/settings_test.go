package ops_test

import (
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// How a brain decides becomes stricter at once, and laxer by a second person.
func TestRulesTakeTwoToLoosen(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	rule := func(n int, roles ...models.Role) ops.SaveSettingsIn {
		return ops.SaveSettingsIn{Rules: []models.DecisionRule{{Class: "A3", Needed: n, Roles: roles}}}
	}
	if s := must(t, x.d, x.di, ops.GetSettings, ops.None{}); !s.FourEyes || len(s.Rules) != 3 || s.Rules[1].Needed != 1 || s.Deciders != 5 {
		t.Errorf("as it is born: %+v", s)
	}
	_, err := ops.Do(t.Context(), x.d, x.di, ops.SaveSettings, rule(2, models.RoleOwner))
	refusedAs(t, "a curator", err, "insufficient_role")
	must(t, x.d, x.ann, ops.SaveSettings, rule(2, models.RoleOwner, models.RoleAdmin, models.RoleApprover))
	if got := x.strings(t, "SELECT needed || roles::text FROM decision_rules"); got[0] != `2["admin", "approver", "owner"]` {
		t.Errorf("stricter: %q", got)
	}
	id := x.byToken(t, x.ann, "fees", "")
	for who, want := range map[*ops.Call]string{&x.di: "not_entitled", &x.ben: "ok"} {
		if _, err := decide(t, x.d, *who, id, "approve"); told(err) != want {
			t.Errorf("%s: %v, want %s", who.By.Actor, err, want)
		}
	}
	if got, err := decide(t, x.d, x.cleo, id, "approve"); err != nil || got.State != models.Applied {
		t.Errorf("the second: %+v, %v", got, err)
	}
	for _, in := range []ops.SaveSettingsIn{rule(1, models.RoleOwner), rule(2, models.RoleOwner, models.RoleCurator)} {
		q := proposed(t, x.d, x.ann, ops.SaveSettings, in)
		_, err := decide(t, x.d, x.ann, q.ID, "approve")
		refusedAs(t, "alone", err, "own_proposal")
		if got, err := decide(t, x.d, x.ben, q.ID, "approve"); told(err) != "too_few_deciders" && got.State != models.Applied {
			t.Errorf("laxer: %+v, %v", got, err)
		}
	}
	if got := x.strings(t, "SELECT needed || roles::text FROM decision_rules"); got[0] != `2["curator", "owner"]` {
		t.Errorf("in the end: %q", got)
	}
	for what, in := range map[string]ops.SaveSettingsIn{
		"no class": {Rules: []models.DecisionRule{{Class: "A0", Needed: 1, Roles: []models.Role{models.RoleOwner}}}},
		"nobody":   rule(3), "none": rule(0, models.RoleOwner), "six": rule(6, models.RoleOwner), "readers": rule(3, models.RoleReader),
		"more than there are": rule(5, models.RoleOwner), "days on": {FourEyes: ptr(true), DaysOff: 3}, "days before": {FourEyes: ptr(false), DaysOff: -1},
	} {
		if _, err := ops.Do(t.Context(), x.d, x.ann, ops.SaveSettings, in); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want refused", what, err)
		}
	}
	if c := x.ann; true {
		c.DryRun = true
		must(t, x.d, c, ops.SaveSettings, rule(2, models.RoleOwner))
		if got := x.strings(t, "SELECT roles::text FROM decision_rules"); got[0] != `["curator", "owner"]` {
			t.Errorf("a rehearsal changed it: %q", got)
		}
	}
}

// Four eyes are turned off by two, and then publishing takes one and says so;
// they are turned on by one.
func TestFourEyesOffTakesTwo(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	q := proposed(t, x.d, x.ann, ops.SaveSettings, ops.SaveSettingsIn{FourEyes: ptr(false), DaysOff: 60})
	_, err := decide(t, x.d, x.ann, q.ID, "approve")
	refusedAs(t, "alone", err, "own_proposal")
	proposed(t, x.d, shellAs(x.shell, x.ann), ops.SaveSettings, ops.SaveSettingsIn{FourEyes: ptr(false)}) // at the terminal it waits as well
	if got, err := decide(t, x.d, x.ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	s := must(t, x.d, x.di, ops.GetSettings, ops.None{})
	if s.FourEyes || s.Until == nil || time.Until(*s.Until) < 59*24*time.Hour {
		t.Errorf("it is %+v", s)
	}
	if v := must(t, x.d, x.di, ops.PublishVersion, ops.PublishIn{}); v.FourEyes != models.FourEyesOff {
		t.Errorf("the version says %q", v.FourEyes)
	}
	if w := must(t, x.d, x.di, ops.ListRecommendations, ops.RecommendationsIn{}).Warning; !strings.Contains(w, "Four eyes are off until") {
		t.Errorf("the list warns: %q", w)
	}
	_, err = ops.Do(t.Context(), x.d, x.ann, ops.SaveSettings, ops.SaveSettingsIn{FourEyes: ptr(false), DaysOff: 300})
	refusedAs(t, "longer, while they are off", err, "four_eyes_required")
	must(t, x.d, x.ann, ops.SaveSettings, ops.SaveSettingsIn{FourEyes: ptr(true)})
	must(t, x.d, x.di, ops.SaveCard, card("next"))
	proposed(t, x.d, x.di, ops.PublishVersion, ops.PublishIn{})
}

// shellAs is the terminal, used by somebody.
func shellAs(c, who ops.Call) ops.Call {
	c.By.Actor, c.By.Person = who.By.Actor, who.By.Person
	return c
}

// Where fewer than two could decide, one owner does without for a while, and
// then they are on again by themselves.
func TestOneOwnerAlone(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	shell := newBrain(t, d, "acme", true)
	x := &team{d: d, db: db}
	must(t, d, shell, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(rules)})
	owner := signIn(t, d, "acme", ada, models.RoleOwner)
	x.di = owner
	_, err := ops.Do(t.Context(), d, owner, ops.SaveSettings, ops.SaveSettingsIn{FourEyes: ptr(false), DaysOff: 31})
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("for 31 days: %v", err)
	}
	must(t, d, owner, ops.SaveSettings, ops.SaveSettingsIn{FourEyes: ptr(false)})
	s := must(t, d, owner, ops.GetSettings, ops.None{})
	if s.FourEyes || s.Until == nil || time.Until(*s.Until) > 30*24*time.Hour {
		t.Fatalf("it is %+v", s)
	}
	if got := x.strings(t, "SELECT detail->>'four_eyes' FROM audit WHERE operation = 'settings.save' AND outcome = 'ok'"); len(got) != 1 || got[0] != "off" {
		t.Errorf("the log says %q", got)
	}
	if v := must(t, d, owner, ops.PublishVersion, ops.PublishIn{}); v.FourEyes != models.FourEyesOff {
		t.Errorf("the version says %q", v.FourEyes)
	}
	// When the time is over a second person is asked, before anybody has swept.
	later := ops.NewDesk(d.Store, d.Settings, d.Log)
	later.Now = func() time.Time { return time.Now().AddDate(0, 0, 31) }
	must(t, d, owner, ops.SaveCard, card("next"))
	proposed(t, later, owner, ops.PublishVersion, ops.PublishIn{})
	later.Expire(t.Context())
	if got := x.strings(t, "SELECT four_eyes::text || coalesce(four_eyes_until::text, '') FROM brains"); got[0] != "true" {
		t.Errorf("after the sweep: %q", got)
	}
	if got := x.strings(t, "SELECT actor FROM audit WHERE operation = 'settings.save' AND outcome = 'ok' ORDER BY id"); len(got) != 2 || got[1] != "system" {
		t.Errorf("the log names %q", got)
	}
	whole(t, d)
}

// Whose account is whose is decided on by two others, and holds for all that was
// proposed before.
func TestLinkingAccounts(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	pair := ops.LinkIn{Account: cleo, Person: "ann@example.org"}
	id := x.byToken(t, x.ann, "fees", "")
	q := proposed(t, x.d, signIn(t, x.d, "acme", "eve@example.org", models.RoleAdmin), ops.LinkPersons, pair)
	for _, c := range []ops.Call{x.ann, x.cleo} {
		_, err := decide(t, x.d, c, q.ID, "approve")
		refusedAs(t, "whoever it is about: "+c.By.Actor, err, "own_proposal")
	}
	if got, err := decide(t, x.d, x.ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	_, err := decide(t, x.d, x.cleo, id, "approve")
	refusedAs(t, "the second account", err, "own_proposal")
	for what, in := range map[string]ops.LinkIn{
		"again": pair, "the other way round": {Account: pair.Person, Person: pair.Account}, "a chain": {Account: "di@example.org", Person: cleo}, "the first to another": {Account: "ann@example.org", Person: "di@example.org"},
		"oneself": {Account: cleo, Person: cleo}, "nobody": {Account: "nobody@example.org", Person: cleo}, "no address": {Account: "x", Person: cleo},
	} {
		if _, err := ops.Do(t.Context(), x.d, x.ann, ops.LinkPersons, in); err == nil || fault.Of(err).Kind == fault.Internal {
			t.Errorf("%s: %v, want refused", what, err)
		}
	}
	_, err = ops.Do(t.Context(), x.d, x.ann, ops.UnlinkPersons, pair)
	refusedAs(t, "an owner unlinks", err, "insufficient_role")
	q = proposed(t, x.d, shellAs(x.shell, x.di), ops.UnlinkPersons, pair)
	if got, err := decide(t, x.d, x.ben, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("unlinking: %+v, %v", got, err)
	}
	if got, err := decide(t, x.d, x.cleo, id, "approve"); err != nil || got.State != models.Applied {
		t.Errorf("somebody else after all: %+v, %v", got, err)
	}
}
