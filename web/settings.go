package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/form"
	"polaris/views/keys"
	"polaris/views/layout"
	"polaris/views/members"
	"polaris/views/settings"
)

// ruleWords say what each class of changes is.
var ruleWords = map[string]struct{ title, what string }{
	string(ops.Reversible):   {"Changes of the draft", "Imports, removals, golden questions: what can be taken back. It waits where an agent or a program asks."},
	string(ops.Judgement):    {"A curator’s judgement", "Topic cards and certifications. It waits where an agent or a program asks."},
	string(ops.Irreversible): {"What cannot be taken back", "Publishing, restoring a version, roles with a say, these settings. It always waits."},
}

func (s *Server) showSettings(p *page) error { return s.settingsPage(p, nil, nil, "") }

// settingsPage shows the settings, with what was wrong with four eyes or with
// the rules as they were sent.
func (s *Server) settingsPage(p *page, sent []models.DecisionRule, r *refusal, days string) error {
	now, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetSettings, ops.None{})
	if err != nil {
		return err
	}
	waiting, warning, err := s.waitingFor(p, ops.SaveSettings.Name)
	if err != nil {
		return err
	}
	x := settings.Page{
		FourEyes: now.FourEyes, Deciders: now.Deciders, Waiting: waiting, Days: r.entry("four_eyes_days_off", days), May: ops.Allowed(p.call(), ops.SaveSettings.Entry()) == nil,
		Alone: now.Deciders < 2 && slices.Contains(p.by.Roles, models.RoleOwner), State: "How this brain decides.",
	}
	if now.Deciders < 2 {
		x.Warning = warning
	}
	if now.Until != nil {
		x.Until = p.when(*now.Until)
	}
	if sent != nil {
		x.RulesSaid = r.rest()
	} else {
		x.Problem = r.rest("four_eyes_days_off")
	}
	for _, rule := range now.Rules {
		shown := rule
		if i := slices.IndexFunc(sent, func(o models.DecisionRule) bool { return o.Class == rule.Class }); i >= 0 {
			shown = sent[i]
		}
		x.Rules = append(x.Rules, settingsRule(rule, shown))
	}
	if p.by.May(models.MayKeys) {
		x.More = append(x.More, layout.Link{Text: "API keys", URL: p.at(keys.Path)})
	}
	if p.by.May(models.MayMembers) {
		x.More = append(x.More, layout.Link{Text: "Members and roles", URL: p.at(members.Path)})
	}
	return render(p.Context, r.status(), privately, settings.SettingsPage(p.frame(), x))
}

func settingsRule(rule, shown models.DecisionRule) settings.Rule {
	v := settings.Rule{Class: rule.Class, Title: ruleWords[rule.Class].title, What: ruleWords[rule.Class].what, Words: approvalWords(rule.Needed) + " by " + strings.ReplaceAll(rolesText(rule.Roles), ", ", " or ") + "."}
	for n := 1; n <= 5; n++ {
		v.Needed = append(v.Needed, form.Choice{Value: strconv.Itoa(n), Label: approvalWords(n), Chosen: n == shown.Needed})
	}
	for _, role := range models.Roles() {
		if slices.Contains(models.DefaultDeciders(), role) {
			v.Roles = append(v.Roles, form.Choice{Value: string(role), Label: string(role), Chosen: slices.Contains(shown.Roles, role)})
		}
	}
	return v
}

func approvalWords(n int) string {
	if n == 1 {
		return "one approval"
	}
	return layout.Number(n) + " approvals"
}

func (s *Server) saveFourEyes(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	on := sent.Get("four_eyes") == "on"
	in := ops.SaveSettingsIn{FourEyes: &on}
	if days := strings.TrimSpace(sent.Get("days")); days != "" && !on {
		if in.DaysOff, err = strconv.Atoi(days); err != nil || in.DaysOff < 1 {
			r, _ := refused(fault.Field("four_eyes_days_off", "Give a number of days, from 1 on."))
			return s.settingsPage(p, nil, r, days)
		}
	}
	call := p.call()
	call.Rationale = sent.Get("rationale")
	_, err = ops.Do(p.ctx(), s.desk, call, ops.SaveSettings, in)
	if done, ok := p.queued(err); ok {
		return done
	}
	if r, ok := refused(err); ok {
		return s.settingsPage(p, nil, r, sent.Get("days"))
	}
	if err != nil {
		return err
	}
	done := "four-eyes-off"
	if on {
		done = "four-eyes-on"
	}
	return p.Redirect(http.StatusSeeOther, p.at(settings.Path)+"?done="+done)
}

func (s *Server) saveRules(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	var in ops.SaveSettingsIn
	for _, c := range []ops.Class{ops.Reversible, ops.Judgement, ops.Irreversible} {
		n, err := strconv.Atoi(sent.Get("needed-" + string(c)))
		if err != nil {
			return fault.Field("rules", "How many must approve is a number.")
		}
		in.Rules = append(in.Rules, models.DecisionRule{Class: string(c), Needed: n, Roles: rolesOf(sent, "role-"+string(c))})
	}
	call := p.call()
	call.Rationale = sent.Get("rules-rationale")
	_, err = ops.Do(p.ctx(), s.desk, call, ops.SaveSettings, in)
	if done, ok := p.queued(err); ok {
		return done
	}
	if r, ok := refused(err); ok {
		return s.settingsPage(p, in.Rules, r, "")
	}
	if err != nil {
		return err
	}
	return p.Redirect(http.StatusSeeOther, p.at(settings.Path)+"?done=rules-saved")
}
