package web

import (
	"strconv"
	"strings"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/layout"
	"polaris/views/settings"
)

// An answering is what was sent of what is asked of answers.
type answering struct{ threshold, refused string }

// policyPart shows what is asked of answers, or what was asked to be.
func policyPart(x *settings.Page, now ops.BrainSettings, sent *answering, r *refusal) {
	threshold := strconv.FormatFloat(now.VerifyThreshold, 'f', -1, 64)
	x.Policy.Words = "A sentence counts as verified from a score of " + threshold + " on. No topic is refused."
	if n := len(now.RefusedTopics); n > 0 {
		x.Policy.Words = "A sentence counts as verified from a score of " + threshold + " on. " + layout.Plural(n, "topic is", "topics are") + " refused."
	}
	refused := refusedText(now.RefusedTopics)
	if sent != nil {
		threshold, refused = sent.threshold, sent.refused
	}
	x.Policy.Threshold = r.entry("verify_threshold", threshold)
	x.Policy.Refused = r.entry("refused_topics", refused)
}

// refusedText writes topics as they are typed: one a line.
func refusedText(topics []models.RefusedTopic) string {
	lines := make([]string, len(topics))
	for i, t := range topics {
		lines[i] = t.Label + ": " + strings.Join(t.Phrases, "; ")
	}
	return strings.Join(lines, "\n")
}

// refusedTopics reads what refusedText writes. A label alone is its own phrase.
func refusedTopics(text string) []models.RefusedTopic {
	out := []models.RefusedTopic{}
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == "" {
			continue
		}
		i := strings.LastIndex(l, ":")
		t := models.RefusedTopic{Label: strings.TrimSpace(l)}
		said := l
		if i >= 0 {
			t.Label, said = strings.TrimSpace(l[:i]), l[i+1:]
		}
		for p := range strings.SplitSeq(said, ";") {
			if p = strings.TrimSpace(p); p != "" {
				t.Phrases = append(t.Phrases, p)
			}
		}
		out = append(out, t)
	}
	return out
}

func (s *Server) savePolicy(p *page) error {
	sent, err := posted(p.Context)
	if err != nil {
		return err
	}
	asked := answering{strings.TrimSpace(sent.Get("verify_threshold")), sent.Get("refused_topics")}
	again := func(r *refusal) error { return s.settingsPage(p, tried{answering: &asked}, r) }
	threshold, err := strconv.ParseFloat(asked.threshold, 64)
	if err != nil {
		r, _ := refused(fault.Field("verify_threshold", "Give a score, such as 0.8."))
		return again(r)
	}
	topics := refusedTopics(asked.refused)
	call := p.call()
	call.Rationale = sent.Get("answering-rationale")
	_, err = ops.Do(p.ctx(), s.desk, call, ops.SaveSettings, ops.SaveSettingsIn{VerifyThreshold: &threshold, RefusedTopics: &topics})
	return p.ended(err, p.at(settings.Path)+"?done=saved", again)
}
