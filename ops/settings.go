package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// mostDaysOff is how long one owner alone may do without a second person.
const mostDaysOff = 30

// SaveSettingsIn says what of a brain's settings is to change; what is left out
// stays.
type SaveSettingsIn struct {
	FourEyes *bool                 `json:"four_eyes,omitempty"`
	DaysOff  int                   `json:"four_eyes_days_off,omitempty" schema:"minimum=1,maximum=366"` // until they are on again; default where one owner decides alone: 30
	Rules    []models.DecisionRule `json:"rules,omitempty" schema:"maxItems=3"`

	RecordAnswers string `json:"record_answers,omitempty" schema:"enum=full|hash|off"`
	AnswerDays    *int   `json:"answer_days,omitempty" schema:"minimum=0,maximum=36500"` // after which bodies of answers expire; 0: never

	VerifyThreshold *float64               `json:"verify_threshold,omitempty"` // 0.5 to 1: the score from which a sentence counts as verified; default 0.8
	RefusedTopics   *[]models.RefusedTopic `json:"refused_topics,omitempty"`   // all of them, at most 50; an empty list refuses none
}

// BrainSettings are how a brain decides.
type BrainSettings struct {
	FourEyes bool                  `json:"four_eyes"`
	Until    *time.Time            `json:"four_eyes_until,omitempty"` // when they are on again
	DaysOff  int                   `json:"four_eyes_days_off,omitempty"`
	Rules    []models.DecisionRule `json:"rules"`                  // of every class
	Deciders int                   `json:"could_decide,omitempty"` // people who could decide on a publish now

	RecordAnswers string `json:"record_answers"`        // full; hash: no question and no answer, but their hash; off: the audit row alone
	AnswerDays    int    `json:"answer_days,omitempty"` // after which bodies of answers expire; absent: never

	VerifyThreshold float64               `json:"verify_threshold"` // from which a sentence counts as verified
	RefusedTopics   []models.RefusedTopic `json:"refused_topics"`   // that are not answered about
}

// GetSettings shows how the brain decides.
var GetSettings = &Op[None, BrainSettings]{
	Name: "settings.get", Title: "Show how a brain decides", Summary: "Show whether a second person is asked, how many must approve, and who may.",
	Route: "GET /v1/brains/{brain_id}/settings",
	Class: Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, _ None) (BrainSettings, error) {
		s, err := settingsNow(e)
		if err == nil {
			s.Deciders, err = e.Tx.Deciders(string(Irreversible))
		}
		return s, err
	},
}

// SaveSettings changes how the brain decides. Stricter it becomes at once. Laxer
// it becomes by another person's decision; only where fewer than two people could
// decide one owner may do without, for 30 days at most.
var SaveSettings = &Op[SaveSettingsIn, BrainSettings]{
	Name: "settings.save", Title: "Change how a brain decides", Summary: "Turn four eyes on or off, say how many must approve changes of a class and who may, what is recorded of answers for how long, how sure they must be and what is not answered. What makes it laxer, or destroys records, waits for another person.",
	Route: "PATCH /v1/brains/{brain_id}/settings",
	Class: Irreversible, Needs: models.MayMembers, Offered: Web | CLI | REST,
	Final:  "how a brain decides is decided on each time; save the settings of before",
	HTTP:   HTTP{Example: `{"rules":[{"class":"A4","needed":2,"roles":["owner","approver"]}]}`},
	AtOnce: settingsAtOnce,
	Propose: func(_ context.Context, e *Env, in SaveSettingsIn) (Subject, error) {
		now, next, err := settle(e, in)
		return Subject{Name: "settings", Before: now, After: next}, err
	},
	Base: func(_ context.Context, e *Env, _ SaveSettingsIn) (string, error) {
		s, err := settingsNow(e)
		return fmt.Sprint(s.FourEyes, s.Until != nil, s.Rules) + s.recording() + fmt.Sprint(s.asks()), err
	},
	InputVersion: 2, // 0 knew nothing of what is recorded of answers, 1 nothing of what is asked of them, and they change nothing of that
	Older:        map[int]func(raw json.RawMessage) (SaveSettingsIn, error){0: decode[SaveSettingsIn], 1: decode[SaveSettingsIn]},
	Run:          saveSettings,
}

func settingsNow(e *Env) (BrainSettings, error) {
	b, err := e.Tx.ThisBrain(false)
	if err != nil {
		return BrainSettings{}, err
	}
	s := BrainSettings{FourEyes: b.FourEyesAt(e.Now), RecordAnswers: b.RecordAnswers}
	p := policyOf(b)
	s.VerifyThreshold, s.RefusedTopics = p.VerifyThreshold, p.RefusedTopics
	if b.AnswerDays != nil {
		s.AnswerDays = *b.AnswerDays
	}
	if !s.FourEyes {
		s.Until = b.FourEyesUntil
	}
	own, err := e.Tx.DecisionRules()
	if err != nil {
		return s, err
	}
	for _, c := range []Class{Reversible, Judgement, Irreversible} {
		r := models.DecisionRule{Class: string(c), Needed: 1, Roles: models.DefaultDeciders()}
		if i := slices.IndexFunc(own, func(o models.DecisionRule) bool { return o.Class == r.Class }); i >= 0 {
			r = own[i]
		}
		r.BrainID = ""
		s.Rules = append(s.Rules, r)
	}
	return s, nil
}

// settle returns the settings as they are, and as the input would have them.
func settle(e *Env, in SaveSettingsIn) (now, next BrainSettings, err error) {
	if now, err = settingsNow(e); err != nil {
		return now, next, err
	}
	next = now
	next.Rules = slices.Clone(now.Rules)
	if in.FourEyes != nil {
		next.FourEyes, next.Until, next.DaysOff = *in.FourEyes, nil, in.DaysOff
	}
	if in.DaysOff < 0 || in.DaysOff > 366 || in.DaysOff > 0 && next.FourEyes {
		return now, next, fault.Field("four_eyes_days_off", "Four eyes are turned off for 1 to 366 days.")
	}
	if in.RecordAnswers != "" {
		if !slices.Contains([]string{models.RecordFull, models.RecordHash, models.RecordOff}, in.RecordAnswers) {
			return now, next, fault.Field("record_answers", "Answers are recorded in full, by their hash, or off.")
		}
		next.RecordAnswers = in.RecordAnswers
	}
	if in.AnswerDays != nil {
		if *in.AnswerDays < 0 || *in.AnswerDays > 36500 {
			return now, next, fault.Field("answer_days", "Bodies of answers are kept for 1 to 36,500 days, or with 0 for ever.")
		}
		next.AnswerDays = *in.AnswerDays
	}
	if err := settlePolicy(in, &next); err != nil {
		return now, next, err
	}
	for _, r := range in.Rules {
		i := slices.IndexFunc(next.Rules, func(o models.DecisionRule) bool { return o.Class == r.Class })
		if i < 0 {
			return now, next, fault.Field("rules", "%q is no class that is decided on. Classes are A2, A3 and A4.", r.Class)
		}
		r.BrainID, r.Roles = "", slices.Clone(r.Roles)
		slices.Sort(r.Roles)
		r.Roles = slices.Compact(r.Roles)
		if r.Needed < 1 || r.Needed > 5 || len(r.Roles) == 0 || slices.ContainsFunc(r.Roles, func(o models.Role) bool { return !slices.Contains(models.DefaultDeciders(), o) }) {
			return now, next, fault.Field("rules", "A rule asks for 1 to 5 approvals, by some of %v.", models.DefaultDeciders())
		}
		next.Rules[i] = r
	}
	return now, next, nil
}

// laxer reports whether one of the rules asks for less than it did.
func laxer(now, next BrainSettings) bool {
	for i, r := range next.Rules {
		old := now.Rules[i]
		if r.Needed < old.Needed || slices.ContainsFunc(r.Roles, func(o models.Role) bool { return !slices.Contains(old.Roles, o) }) {
			return true
		}
	}
	return false
}

func settingsAtOnce(e *Env, in SaveSettingsIn) (bool, error) {
	now, next, err := settle(e, in)
	if err != nil || laxer(now, next) || recordsByTwo(now, next) || wider(now, next) {
		return false, err
	}
	if next.FourEyes || in.FourEyes == nil {
		return true, nil
	}
	return alone(e)
}

// alone reports whether an owner asks where fewer than two people could decide.
func alone(e *Env) (bool, error) {
	if e.Call.By.Kind != models.KindTerminal && !slices.Contains(e.Call.By.Roles, models.RoleOwner) {
		return false, nil
	}
	n, err := e.Tx.Deciders(string(Irreversible))
	return n < 2, err
}

func saveSettings(_ context.Context, e *Env, in SaveSettingsIn) (BrainSettings, error) {
	e.Audit.Target = "settings"
	if _, err := e.Tx.ThisBrain(true); err != nil {
		return BrainSettings{}, err
	}
	now, next, err := settle(e, in)
	if err != nil {
		return next, err
	}
	off := !next.FourEyes && in.FourEyes != nil
	if e.Queued == nil && (off || laxer(now, next)) {
		ok, err := alone(e)
		if err != nil {
			return next, err
		}
		if !ok || laxer(now, next) {
			return next, needsTwo("What makes decisions laxer is decided on by two people, and this brain's four eyes are off.")
		}
		if next.DaysOff == 0 {
			next.DaysOff = mostDaysOff
		}
		if next.DaysOff > mostDaysOff {
			return next, fault.Field("four_eyes_days_off", "Alone one turns four eyes off for at most %d days.", mostDaysOff)
		}
		e.Audit.Detail.FourEyes = models.FourEyesOff
	}
	if in.FourEyes != nil {
		if off && next.DaysOff > 0 {
			until := e.Now.AddDate(0, 0, next.DaysOff)
			next.Until = &until
		}
		e.changed("four_eyes", onOff(now), onOff(next))
		if err := e.Tx.SetFourEyes(next.FourEyes, next.Until); err != nil {
			return next, err
		}
	}
	next.DaysOff = 0
	if err := saveRecording(e, now, next); err != nil {
		return next, err
	}
	if err := savePolicy(e, now, next); err != nil {
		return next, err
	}
	return next, saveRules(e, now, next)
}

func saveRules(e *Env, now, next BrainSettings) error {
	for i, r := range next.Rules {
		old := now.Rules[i]
		if r.Needed == old.Needed && slices.Equal(r.Roles, old.Roles) {
			continue
		}
		e.changed("rule "+r.Class, fmt.Sprintf("%d of %s", old.Needed, words(old.Roles)), fmt.Sprintf("%d of %s", r.Needed, words(r.Roles)))
		if err := e.Tx.LockSay(); err != nil {
			return err
		}
		if err := e.Tx.SaveDecisionRule(r); err != nil {
			return err // where one alone were left who could decide, the database refuses
		}
		n, err := e.Tx.Deciders(r.Class)
		if err != nil {
			return err
		}
		if n < r.Needed {
			return fault.Field("rules", "%d people could decide on %s, so %d approvals would never come together.", n, r.Class, r.Needed).WithCode("too_few_deciders")
		}
	}
	return nil
}

func onOff(s BrainSettings) string {
	switch {
	case s.FourEyes:
		return "on"
	case s.Until != nil:
		return "off until " + s.Until.UTC().Format(time.DateOnly)
	}
	return "off"
}

// fourEyesBack turns on again what was off until now.
func (d *Desk) fourEyesBack(ctx context.Context, b *models.Brain) error {
	now := d.Now().UTC()
	if b.FourEyes || !b.FourEyesAt(now) {
		return nil
	}
	err := d.Store.InBrain(ctx, b.ID, func(tx *store.Tx) error {
		b, err := tx.ThisBrain(true)
		if err != nil || b.FourEyes || !b.FourEyesAt(now) {
			return err
		}
		if err := tx.SetFourEyes(true, nil); err != nil {
			return err
		}
		return tx.AppendAudit(&models.AuditRow{
			At: now, Kind: models.KindSystem, Actor: "system", Authenticated: true, Surface: "system", Operation: "settings.save", Class: string(Reversible), Outcome: "ok", Target: "settings",
			Detail: models.Detail{Changes: []models.Change{{Field: "four_eyes", From: onOff(BrainSettings{Until: b.FourEyesUntil}), To: "on"}}},
		})
	})
	if err == nil {
		d.sealer.Wrote(b.ID)
	}
	return err
}

// warning says what everybody in the brain should know of how it decides.
func warning(e *Env, deciders int) (string, error) {
	var ws []string
	b, err := e.Tx.ThisBrain(false)
	if err != nil {
		return "", err
	}
	if !b.FourEyesAt(e.Now) {
		until := "."
		if b.FourEyesUntil != nil {
			until = " until " + b.FourEyesUntil.UTC().Format("2 January 2006, 15:04 UTC") + "."
		}
		ws = append(ws, "Four eyes are off"+until+" What is published meanwhile says so.")
	}
	if deciders < 2 {
		ws = append(ws, "Fewer than two people could ever decide in this brain, so what is proposed here waits for ever. Add a second person as approver, curator, admin or owner.")
	}
	return strings.Join(ws, " "), nil
}
