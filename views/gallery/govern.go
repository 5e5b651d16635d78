package gallery

import (
	"polaris/views/approvals"
	"polaris/views/audit"
	"polaris/views/form"
	"polaris/views/golden"
	"polaris/views/layout"
	"polaris/views/members"
	"polaris/views/problem"
	"polaris/views/settings"
)

// goldenReport is what a candidate makes of three questions.
func goldenReport() golden.Report {
	return golden.Report{Against: "version 14", Asked: 3, Failed: 1, Changed: 2, Results: []golden.Result{
		{ID: "late-fee", URL: base + golden.QuestionPath("late-fee"), Question: "How much is the late fee?", Before: "pass", After: "pass", Cites: []string{"FEES § Fees ¶2"}, Appeared: []string{"FEES § Fees ¶2"}, Vanished: []string{"HB 5.1(a)"}, Moved: []string{"HB 5.2(b) → HB 5.3(b)"}, Reworded: []string{"HB 5.4"}, Missing: []string{"HB 5.1(a)"}},
		{ID: "notice", Question: question, Before: "pass", After: "pass", Cites: []string{"HB 4.2(a)", "HB 4.2(c)"}},
		{ID: "leave", Question: "How many days of paid leave do our employees have?", Before: "pass", After: "disclaim"},
	}}
}

func goldenPages(f func(string) layout.Frame) []Page {
	rows := []golden.Row{
		{ID: "late-fee", Question: "How much is the late fee?", Expects: []string{"HB 5.1(a)"}, Topics: []string{"fees-we-may-charge"}, Updated: ago(6 * day), By: "curator@calliope.example"},
		{ID: "notice", Question: question, Updated: ago(40 * day), By: "Letters agent"},
	}
	filled := golden.Form{ID: "late-fee", Tag: "r1.1", Question: form.Entry{Value: rows[0].Question}, Expects: form.Entry{Value: "HB 5.1(a)"}, Topics: form.Entry{Value: "fees-we-may-charge"}, Known: []string{"declining-an-application", "fees-we-may-charge"}}
	wrong := filled
	wrong.ID, wrong.Expects, wrong.Problem = "", form.Entry{Value: "section five", Problem: "“section five” is no citation key. Write it as in 12 CFR 1002.9(a) or HB 4.2."}, "Nothing was saved."
	removing := filled
	removing.Removing = true
	fresh := goldenReport()
	fresh.Against, fresh.Changed, fresh.Failed = "", 0, 0
	fresh.Results = fresh.Results[1:2]
	fresh.Asked = 1
	return []Page{
		{"golden", golden.IndexPage(f(golden.Path), golden.Index{Rows: rows, May: true})},
		{"golden-reader", golden.IndexPage(f(golden.Path), golden.Index{Rows: rows})},
		{"golden-empty", golden.IndexPage(bare(f(golden.Path)), golden.Index{May: true})},
		{"golden-new", golden.FormPage(f(golden.NewPath), golden.Form{})},
		{"golden-new-wrong", golden.FormPage(f(golden.NewPath), wrong)},
		{"golden-question", golden.FormPage(f(golden.QuestionPath("late-fee")), filled)},
		{"golden-delete", golden.FormPage(f(golden.RemovalPath("late-fee")), removing)},
		{"golden-report", golden.ReportPage(f(golden.ReportPath), goldenReport())},
		{"golden-report-first", golden.ReportPage(f(golden.ReportPath), fresh)},
		{"golden-report-none", golden.ReportPage(f(golden.ReportPath), golden.Report{})},
	}
}

func memberPages(f func(string) layout.Frame) []Page {
	ada := members.Row{ID: "per_k7Qd2mXw91aB", URL: members.MemberPath("per_k7Qd2mXw91aB"), Name: "Ada Marchetti", Email: "curator@calliope.example", Roles: []string{"owner", "curator"}, Decides: true, You: true}
	ben := members.Row{ID: "per_9fQaZt7mp0Lw", URL: members.MemberPath("per_9fQaZt7mp0Lw"), Name: "approver@calliope.example", Email: "approver@calliope.example", Roles: []string{"approver"}, Decides: true, Disabled: true}
	roles := []form.Choice{{Value: "owner", Label: "owner", Hint: "All, and who decides on what."}, {Value: "approver", Label: "approver", Hint: "Reads the draft and decides.", Chosen: true}, {Value: "reader", Label: "reader", Hint: "Reads and asks what is published."}}
	add := "bb user create EMAIL --role approver --brain-id calliope"
	keep := settings.Recording{Words: "Of each answer question and answer is kept, for ever.", Choices: []form.Choice{{Value: "full", Label: "question and answer", Chosen: true}, {Value: "hash", Label: "their hash only"}}, Days: form.Entry{Value: "0"}}
	rules := []settings.Rule{
		settingsRule("A2", "Changes of the draft", "Imports, removals, golden questions: what can be taken back. It waits where an agent or a program asks."),
		settingsRule("A3", "A curator’s judgement", "Topic cards and certifications. It waits where an agent or a program asks."),
		settingsRule("A4", "What cannot be taken back", "Publishing, restoring a version, roles with a say, these settings. It always waits."),
	}
	waiting := []layout.Link{{Text: "Set a member’s roles, roles of reader@calliope.example", URL: base + approvals.ReviewPath("rec_k7QdXm2PzR4a")}}
	asked := settings.Policy{Words: "A sentence counts as verified from a score of 0.8 on. 1 topic is refused.", Threshold: form.Entry{Value: "0.8"}, Refused: form.Entry{Value: "Advice on a case: legal advice; my own case"}}
	on := settings.Page{State: "How this brain decides.", FourEyes: true, Deciders: 3, Rules: rules, May: true, Owner: true, Recording: keep, Policy: asked, Waiting: waiting, More: []layout.Link{{Text: "API keys", URL: base + "/settings/api-keys"}, {Text: "Members and roles", URL: base + members.Path}}}
	off := on
	off.FourEyes, off.Until, off.Deciders, off.Alone, off.Waiting = false, ago(-28*day), 1, true, nil
	off.Warning = "Fewer than two people could ever decide in this brain, so what is proposed here waits for ever. Add a second person as approver, curator, admin or owner."
	wrong := on
	wrong.Problem, wrong.Days, wrong.RulesSaid, wrong.Waiting = "Alone one turns four eyes off for at most 30 days.", form.Entry{Value: "90", Problem: "At most 30 days."}, "2 people could decide on A4, so 3 approvals would never come together.", nil
	wrong.Recording.Problem, wrong.Recording.Days = "Nothing was saved.", form.Entry{Value: "many", Problem: "Give a number of days; 0 is for ever."}
	reads := on
	reads.May, reads.More = false, nil
	without := f(settings.Path)
	without.Banner = "Four eyes are off in this brain until 28 December 2026: versions are published without a second person, and say so."
	return []Page{
		{"members", members.IndexPage(f(members.Path), members.Index{Rows: []members.Row{ada, ben}, Link: true, Add: add, Waiting: waiting})},
		{"members-alone", members.IndexPage(f(members.Path), members.Index{Rows: []members.Row{ada}, Add: add, Warning: off.Warning})},
		{"member", members.MemberPage(f(ben.URL), members.Detail{Row: ben, Roles: roles, Waits: true})},
		{"member-wrong", members.MemberPage(f(ben.URL), members.Detail{Row: ben, Roles: roles, Problem: "This is the last active owner of this brain. Make somebody else an owner first.", About: "Give at least one role, or remove the member."})},
		{"member-remove", members.MemberPage(f(members.RemovalPath(ben.ID)), members.Detail{Row: ben, Removing: true})},
		{"member-accounts", members.AccountsPage(f(members.LinkPath), members.Accounts{Members: []string{ada.Email, ben.Email}, Unlink: true})},
		{"member-accounts-wrong", members.AccountsPage(f(members.LinkPath), members.Accounts{Members: []string{ada.Email}, Off: true, Account: form.Entry{Value: "x@y", Problem: "Nobody in this brain has that e-mail address."}, Problem: "Nothing was asked for."})},
		{"members-refused", problem.ProblemPage(f(members.Path), problem.Problem{Status: "403", Title: "That is not allowed", Text: "Your role in this brain does not allow that.", SignedIn: true, RequestID: "r_8hK2"})},
		{"member-forget", members.MemberPage(f(members.ForgettingPath(ben.ID)), members.Detail{Row: ben, Forgetting: true, Problem: "This person is forgotten already."})},
		{"brain-delete", settings.DeletionPage(f(settings.DeletionPath), settings.Deletion{Brain: "calliope"})},
		{"brain-delete-wrong", settings.DeletionPage(f(settings.DeletionPath), settings.Deletion{Brain: "calliope", Confirm: form.Entry{Value: "calliop", Problem: "Write the brain’s id once more."}, Problem: "Nothing was asked for."})},
		{"settings", settings.SettingsPage(f(settings.Path), on)},
		{"settings-off", settings.SettingsPage(without, off)},
		{"settings-wrong", settings.SettingsPage(f(settings.Path), wrong)},
		{"settings-reader", settings.SettingsPage(f(settings.Path), reads)},
	}
}

func settingsRule(class, title, what string) settings.Rule {
	return settings.Rule{
		Class: class, Title: title, What: what, Words: "one approval by admin or approver or owner.",
		Needed: []form.Choice{{Value: "1", Label: "one approval", Chosen: true}, {Value: "2", Label: "2 approvals"}},
		Roles:  []form.Choice{{Value: "owner", Label: "owner", Chosen: true}, {Value: "admin", Label: "admin", Chosen: true}, {Value: "curator", Label: "curator"}, {Value: "approver", Label: "approver", Chosen: true}},
	}
}

func auditPages(f func(string) layout.Frame) []Page {
	hash := "9f2c1d6be0d9c4a1f1b7a1f1a5a3f0e77f3a0c7de2a4b1c8f6e5d4c3b2a19081"
	rows := []audit.Row{
		{ID: "1043", At: ago(60e9), What: "Answer a question", Operation: "answer", Class: "A0", Target: "ans_k7Qd2mXw91aB", URL: base + "/answers/ans_k7Qd2mXw91aB", Who: "Letters agent", Key: "sk-polaris-k7Qd2mXw91aB_…", Surface: "over MCP", Verified: true, Outcome: "done", Kind: layout.Good, Lines: []string{"version 14", "guardrail: pass"}},
		{ID: "1042", At: ago(2 * 3600e9), What: "Decide", Operation: "recommendations.decide", Class: "A2", Target: "rec_k7QdXm2PzR4a", URL: base + approvals.ReviewPath("rec_k7QdXm2PzR4a"), Who: "approver@calliope.example", Surface: "at the pages", Verified: true, Outcome: "done", Kind: layout.Good, Lines: []string{"Publish: published version", "verdict: approve", "now applied", "why: Read both sources."}, Seq: "1\u202f042", Hash: hash},
		{ID: "1041", At: ago(3 * 3600e9), What: "Import a source", Operation: "sources.import", Class: "A2", Target: "HB\u202e", Who: "curator@calliope.example", Surface: "at a terminal", Outcome: "done", Kind: layout.Good, Seq: "1\u202f041", Hash: hash},
		{ID: "1040", At: ago(day), What: "Set a member’s roles", Operation: "members.grant", Class: "A4", Target: "reader@calliope.example", Who: "reader@calliope.example", Surface: "over REST", Verified: true, Outcome: "refused", Code: "insufficient_role", Kind: layout.Bad, Seq: "1\u202f040", Hash: hash},
	}
	choices := []form.Choice{{Label: "any", Chosen: true}, {Value: "ok", Label: "done"}}
	filter := audit.Filter{Outcomes: choices, Surfaces: choices, Operations: []string{"answer", "sources.import"}}
	wrong := filter
	wrong.From = form.Entry{Value: "yesterday", Problem: "from is a date such as 2026-03-01, or a time such as 2026-03-01T12:00:00Z."}
	exports := []layout.Link{{Text: "Export as JSON lines", URL: base + audit.ExportPath + "?format=jsonl"}, {Text: "Export as CSV", URL: base + audit.ExportPath + "?format=csv"}}
	chain := audit.Chain{Hash: "1042:" + hash, Unsealed: layout.Plural(1, "row is", "rows are")}
	return []Page{
		{"audit", audit.IndexPage(f(audit.Path), audit.Index{Chain: chain, Filter: filter, Rows: rows, Exports: exports, Older: base + audit.Path + "?cursor=x", Newest: base + audit.Path})},
		{"audit-empty", audit.IndexPage(bare(f(audit.Path)), audit.Index{Filter: filter})},
		{"audit-nothing", audit.IndexPage(f(audit.Path), audit.Index{Chain: audit.Chain{Hash: "1042:" + hash}, Filter: filter, Filtered: true, Exports: exports})},
		{"audit-wrong", audit.IndexPage(f(audit.Path), audit.Index{Chain: chain, Filter: wrong, Filtered: true})},
		{"audit-verified", audit.VerificationPage(f(audit.VerificationPath), audit.Verification{Sealed: "1\u202f042", Unsealed: "0", Head: "1042:" + hash})},
		{"audit-broken", audit.VerificationPage(f(audit.VerificationPath), audit.Verification{Sealed: "1\u202f042", Unsealed: "3", Removed: "200", Head: "1042:" + hash, Problems: []string{"row 812 is not what was sealed as link 801"}, Known: form.Entry{Value: "9:zz", Problem: "A head is SEQ:HASH, as `bb audit verify` prints it."}})},
	}
}
