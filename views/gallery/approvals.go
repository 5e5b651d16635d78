package gallery

import (
	"strings"

	"polaris/views/approvals"
	"polaris/views/form"
	"polaris/views/layout"
)

// approvalPages are the queue and the review, in every state.
func approvalPages(f func(string) layout.Frame) []Page {
	filters := []approvals.Filter{{Label: "Waiting", URL: base + approvals.Path, Chosen: true}, {Label: "Applied", URL: base + approvals.Path + "?state=applied"}, {Label: "All", URL: base + approvals.Path + "?state=all"}}
	hash := strings.Repeat("9f2c1d6be0d9c4a1", 4)
	card := approvals.Row{
		ID: "rec_k7QdXm2PzR4a", URL: base + approvals.ReviewPath("rec_k7QdXm2PzR4a"), What: "Save a topic card", Target: "topic card declining-an-application", Class: "A3",
		By: "curator@calliope.example", Through: "by an agent over MCP with key BbHE5WN82380", Authenticated: true, Proposed: ago(2 * day / 24), Expires: ago(-13 * day), State: approvals.State{Name: "pending"}, Hash: hash,
	}
	publish := card
	publish.ID, publish.URL, publish.What, publish.Target, publish.Class, publish.Through = "rec_Vn21Lk0QwE8t", base+approvals.ReviewPath("rec_Vn21Lk0QwE8t"), "Publish", "published version", "A4", "at a terminal"
	publish.Authenticated, publish.Hash = false, ""
	applied, stale := card, card
	applied.State, stale.State, applied.Hash, stale.Hash = approvals.State{Name: "applied"}, approvals.State{Name: "stale"}, "", ""
	stale.ID = "rec_Pq93Lk0QwE8t"

	before := []string{"id: declining-an-application", "label: Declining an application", "covers: What we owe when we say no", "anchors:", "  • HB 4.2(a)", "  • HB 4.2(c)"}
	after := []string{"id: declining-an-application", "label: Declining\u200b an application", "covers: We turned someone down, or offered less than they asked; what notices, reasons and deadlines follow", "anchors:", "  • HB 4.2(a)", "  • HB 4.2(c)", "  • SCORE § Use of scores ¶3"}
	open := approvals.Review{
		Row: card, ClassText: "A3: a curator’s judgement", Diff: approvals.Diff(before, after), Input: approvals.Diff(after, after),
		Rationale: "Asked 14 times this week without a grounded answer.\nThe scoring policy answers it in ¶3, which no card anchors.", Evidence: []layout.Link{{Text: "ans_J3kQ0Xw9Zt2b", URL: base + "/answers/ans_J3kQ0Xw9Zt2b"}, {Text: "SCORE § Use of scores ¶3"}},
		Parts: []approvals.Part{{Who: "curator@calliope.example", What: "Proposed by", At: ago(2 * day / 24)}}, Needed: 1, Roles: "admin, approver, curator, owner",
		MayDecide: true, Standing: "You did not propose or edit this.",
	}
	own := open
	own.MayDecide, own.Withdraw, own.Standing = false, true, "You proposed this, or had a part in it. Another person decides on it."
	moved := open
	moved.Moved, moved.Needed, moved.Approved, moved.Problem = true, 2, 1, "What you saw is not what is to be decided on. Look at it again."
	moved.Comment = form.Entry{Value: "fine by me"}
	failed := open
	failed.Row, failed.Failed, failed.Unknown, failed.Rationale, failed.Evidence = publish, "The draft has no sources.", true, "", nil
	failed.Hash = hash
	done := open
	done.Row, done.EndedAt, done.MayDecide, done.Supersede = applied, ago(day/24), false, layout.Link{Text: "rec_Aa11Lk0QwE8t", URL: base + approvals.ReviewPath("rec_Aa11Lk0QwE8t")}
	done.Parts = append(done.Parts, approvals.Part{Who: "approver@calliope.example", What: "Approved by", Comment: "Read both sources.", At: ago(day / 24)})
	overtaken := open
	overtaken.Row, overtaken.EndedAt, overtaken.MayDecide, overtaken.Ended = stale, ago(day/24), false, "What it would change has changed since it was proposed."

	imported := open
	imported.What, imported.Target, imported.Class, imported.ClassText = "Import a source", "source HB", "A2", "A2: changes the draft, and can be undone"
	was, is := approvals.Compare("(a) Tell the applicant in writing within 30 days of receiving a completed application.", "(a) Tell the applicant in writing within 20 days of receiving a completed\u200b application.")
	imported.Passages = &approvals.Passages{
		Summary: "1 changed, 1 gained, 1 lost, 1 moved to another key, 83 as before.", Fields: []string{"title: Handbook → Lending Handbook"},
		Rows: []approvals.Change{
			{Key: "HB 4.2(a)", Status: "changed", Before: was, After: is},
			{Key: "HB 4.2(b)", Status: "lost", Before: approvals.Plain("(b) A telephone call is enough.")},
			{Key: "HB 4.2(c)", Status: "moved", To: "HB 4.2(b)", Before: approvals.Plain("(c) The notice states the principal reasons.")},
			{Key: "HB 4.2(f)", Status: "gained", After: approvals.Plain("(f) Keep a copy for 25 months.")},
		},
		More: "And 12 more. ", MoreURL: base + approvals.ReviewPath(card.ID) + "?passages=all",
	}
	vanished := imported
	vanished.Passages, vanished.Gone = nil, true
	publishing := open
	publishing.Row, publishing.MayDecide, publishing.Publish = publish, true, true
	publishing.Hash, publishing.ClassText = hash, "A4: publishes, or leaves the system"
	report := goldenReport()
	publishing.Golden = &report
	publishing.Items = []approvals.Item{
		{What: "source HB, revision 1 → 2", Title: "Lending Handbook", Status: "changed", URL: base + "/sources/HB", By: []approvals.Maker{{Who: "curator@calliope.example", Through: "at a terminal", At: ago(day)}, {Who: "Letters agent", Through: "over MCP", At: ago(2 * day), Authenticated: true, ApprovedBy: "approver@calliope.example"}}},
		{What: "topic card fees-we-may-charge", Title: "Fees we may charge", Status: "gained", By: []approvals.Maker{{Who: "curator@calliope.example", Through: "at the pages", At: ago(day), Authenticated: true}}},
	}
	publishing.Held = []string{"Price List (PL), revision 2: 1 flag; revision 1 goes on answering"}
	unasked := publishing
	unasked.Golden, unasked.Items, unasked.Held = nil, nil, nil
	mineRow := card
	mineRow.ID, mineRow.Hash, mineRow.Withdraw = "rec_Mn93Lk0QwE8t", "", true
	return []Page{
		{"approvals-mine", approvals.IndexPage(f(approvals.Path), approvals.Index{Filters: filters, Rows: []approvals.Row{mineRow, applied}, Mine: true})},
		{"approvals-mine-empty", approvals.IndexPage(f(approvals.Path), approvals.Index{Filters: filters, Mine: true})},
		{"approval-import", approvals.ReviewPage(f(approvals.ReviewPath(card.ID)), imported)},
		{"approval-import-gone", approvals.ReviewPage(f(approvals.ReviewPath(card.ID)), vanished)},
		{"approval-publish", approvals.ReviewPage(f(approvals.ReviewPath(publish.ID)), publishing)},
		{"approval-publish-bare", approvals.ReviewPage(f(approvals.ReviewPath(publish.ID)), unasked)},
		{"approvals", approvals.IndexPage(f(approvals.Path), approvals.Index{Filters: filters, Rows: []approvals.Row{card, publish}, Pending: true, Decidable: 1, Pages: layout.Pages{Older: base + approvals.Path + "?cursor=x"}})},
		{"approvals-decided", approvals.IndexPage(f(approvals.Path), approvals.Index{Filters: filters, Rows: []approvals.Row{publish}, Pending: true, Results: []approvals.Result{
			{ID: card.ID, URL: card.URL, What: "Save a topic card, topic card declining-an-application", Kind: layout.Good, Text: "applied"},
			{ID: publish.ID, URL: publish.URL, What: "Publish, published version", Kind: layout.Bad, Text: "This was decided already."},
		}})},
		{"approvals-all", approvals.IndexPage(f(approvals.Path), approvals.Index{Filters: filters, Rows: []approvals.Row{applied, stale}})},
		{"approvals-empty", approvals.IndexPage(f(approvals.Path), approvals.Index{Filters: filters, Pending: true, Warning: "Fewer than two people could ever decide in this brain, so what is proposed here waits for ever. Add a second person as approver, curator, admin or owner."})},
		{"approvals-none", approvals.IndexPage(f(approvals.Path), approvals.Index{Filters: filters, Problem: "Choose what you decide on first."})},
		{"approval", approvals.ReviewPage(f(approvals.ReviewPath(card.ID)), open)},
		{"approval-own", approvals.ReviewPage(f(approvals.ReviewPath(card.ID)), own)},
		{"approval-moved", approvals.ReviewPage(f(approvals.ReviewPath(card.ID)), moved)},
		{"approval-failed", approvals.ReviewPage(f(approvals.ReviewPath(publish.ID)), failed)},
		{"approval-applied", approvals.ReviewPage(f(approvals.ReviewPath(card.ID)), done)},
		{"approval-stale", approvals.ReviewPage(f(approvals.ReviewPath(card.ID)), overtaken)},
	}
}
