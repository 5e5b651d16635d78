package web

import (
	"cmp"
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

func (s *Server) showSettings(p *page) error { return s.settingsPage(p, tried{}, nil) }

// A tried is what of the settings was sent and refused, zero where nothing was.
type tried struct {
	rules     []models.DecisionRule
	days      string // that four eyes are off
	recording *recorded
	answering *answering
}

// A recorded is what was asked to be kept of answers.
type recorded struct{ what, days string }

// settingsPage shows the settings, with what was wrong with what was sent.
func (s *Server) settingsPage(p *page, sent tried, r *refusal) error {
	now, err := ops.Do(p.ctx(), s.desk, p.call(), ops.GetSettings, ops.None{})
	if err != nil {
		return err
	}
	waiting, warning, err := s.waitingFor(p, ops.SaveSettings.Name)
	if err != nil {
		return err
	}
	x := settings.Page{
		FourEyes: now.FourEyes, Deciders: now.Deciders, Waiting: waiting, Days: r.entry("four_eyes_days_off", sent.days), May: ops.Allowed(p.call(), ops.SaveSettings.Entry()) == nil,
		Alone: now.Deciders < 2 && slices.Contains(p.by.Roles, models.RoleOwner), State: "How this brain decides.",
	}
	if now.Deciders < 2 {
		x.Warning = warning
	}
	if now.Until != nil {
		x.Until = p.when(*now.Until)
	}
	switch {
	case sent.rules != nil:
		x.RulesSaid = r.rest()
	case sent.recording != nil:
		x.Recording.Problem = r.rest("answer_days")
	case sent.answering != nil:
		x.Policy.Problem = r.rest("verify_threshold", "refused_topics")
	default:
		x.Problem = r.rest("four_eyes_days_off")
	}
	recording(&x, now, sent.recording, r)
	policyPart(&x, now, sent.answering, r)
	x.Owner = slices.Contains(p.by.Roles, models.RoleOwner)
	for _, rule := range now.Rules {
		shown := rule
		if i := slices.IndexFunc(sent.rules, func(o models.DecisionRule) bool { return o.Class == rule.Class }); i >= 0 {
			shown = sent.rules[i]
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
			return s.settingsPage(p, tried{days: days}, r)
		}
	}
	call := p.call()
	call.Rationale = sent.Get("rationale")
	_, err = ops.Do(p.ctx(), s.desk, call, ops.SaveSettings, in)
	done := "four-eyes-off"
	if on {
		done = "four-eyes-on"
	}
	return p.ended(err, p.at(settings.Path)+"?done="+done, func(r *refusal) error { return s.settingsPage(p, tried{days: sent.Get("days")}, r) })
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
	return p.ended(err, p.at(settings.Path)+"?done=rules-saved", func(r *refusal) error { return s.settingsPage(p, tried{rules: in.Rules}, r) })
}

// recordingWords say what each choice keeps.
var recordingWords = []string{"full", "question and answer", "hash", "their hash only", "off", "nothing but the audit row"}

// recording shows what is kept of answers, or what was asked to be.
func recording(x *settings.Page, now ops.BrainSettings, sent *recorded, r *refusal) {
	for i := 0; i < len(recordingWords); i += 2 {
		if recordingWords[i] == now.RecordAnswers {
			x.Recording.Words = "Of each answer " + recordingWords[i+1] + " is kept"
		}
	}
	if now.AnswerDays > 0 {
		x.Recording.Words += ", for " + layout.Plural(now.AnswerDays, "day", "days") + "."
	} else {
		x.Recording.Words += ", for ever."
	}
	what, days := now.RecordAnswers, strconv.Itoa(now.AnswerDays)
	if sent != nil {
		what, days = sent.what, sent.days
	}
	x.Recording.Choices = choices(what, "", recordingWords...)[1:]
	x.Recording.Days = r.entry("answer_days", days)
}

func (s *Server) saveRecording(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	asked := recorded{sent.Get("record_answers"), strings.TrimSpace(sent.Get("answer_days"))}
	again := func(r *refusal) error { return s.settingsPage(p, tried{recording: &asked}, r) }
	days, err := strconv.Atoi(cmp.Or(asked.days, "0"))
	if err != nil {
		r, _ := refused(fault.Field("answer_days", "Give a number of days; 0 is for ever."))
		return again(r)
	}
	call := p.call()
	call.Rationale = sent.Get("recording-rationale")
	_, err = ops.Do(p.ctx(), s.desk, call, ops.SaveSettings, ops.SaveSettingsIn{RecordAnswers: asked.what, AnswerDays: &days})
	return p.ended(err, p.at(settings.Path)+"?done=saved", again)
}

// exportBrain gives all of the brain out as a file. That it was taken is recorded
// before its first byte leaves.
func (s *Server) exportBrain(p *page) error {
	x, err := ops.Do(p.ctx(), s.desk, p.call(), ops.ExportBrain, ops.None{})
	if err != nil {
		return err
	}
	return s.stream(p.Context, x)
}

func (s *Server) newDeletion(p *page) error { return s.deletionPage(p, ops.DeleteBrainIn{}, nil) }

func (s *Server) deletionPage(p *page, in ops.DeleteBrainIn, r *refusal) error {
	if err := ops.Allowed(p.call(), ops.DeleteBrain.Entry()); err != nil {
		return err
	}
	d := settings.Deletion{Brain: string(p.brain), Confirm: r.entry("confirm", string(in.Confirm)), Reason: r.entry("reason", in.Reason), Problem: r.rest("confirm", "reason")}
	return render(p.Context, r.status(), privately, settings.DeletionPage(p.frame(), d))
}

func (s *Server) deleteBrain(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	in := ops.DeleteBrainIn{Confirm: models.BrainID(sent.Get("confirm")), Reason: sent.Get("reason")}
	_, err = ops.Do(p.ctx(), s.desk, p.call(), ops.DeleteBrain, in)
	return p.ended(err, "/brains", func(r *refusal) error { return s.deletionPage(p, in, r) })
}
