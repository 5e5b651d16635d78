package gallery

import (
	"polaris/views/answers"
	"polaris/views/ask"
	"polaris/views/form"
	"polaris/views/layout"
)

const question = "An applicant’s score was below our cut-off. What must we tell them, and by when?"

// grounded is an answer as the engine gives it without a model.
func grounded() answers.Body {
	return answers.Body{
		Text:      "Tell the applicant in writing within 20 days of receiving a completed application that we decline it. [1] The notice states the principal reasons, in words the applicant can act on. [2] A score alone is not a reason; name what lowered it. [3]",
		Guardrail: answers.Guardrail{Status: "pass"}, Confidence: .91,
		Cites: []answers.Cite{
			{
				N: 1, Key: "HB 4.2(a)", Title: "Lending Handbook", Locator: "4.2(a)", Before: "(a) ",
				Quote:  "Tell the applicant in writing within 20 days of receiving a completed application that we decline it.",
				After:  " A telephone call may come first and never takes the place of the written notice.",
				Method: "lexical", Verified: true, Why: "anchor of the topic card", URL: base + "/sources/HB#p42", Revision: 2, Span: "bytes 9 124 to 9 226",
			},
			{
				N: 2, Key: "HB 4.2(c)", Title: "Lending Handbook", Locator: "4.2(c)", Before: "(c) ",
				Quote:  "The notice states the principal reasons, in words the applicant can act on.",
				After:  " State no more than four, the weightiest first.",
				Method: "lexical", Verified: true, Why: "anchor of the topic card", URL: base + "/sources/HB#p44", Revision: 2, Span: "bytes 9 540 to 9 616",
			},
			{
				N: 3, Key: "SCORE § Use of scores ¶3", Title: "Scoring Policy",
				Quote: "A score alone is not a reason; name what lowered it.", After: " “Too many accounts opened in the last 12 months” is a reason.",
				Method: "lexical_fallback", Why: "words", Revision: 1, Span: "bytes 2 310 to 2 362", Origin: "https://policies.calliope.example/scoring",
			},
		},
		Rendered: "Tell the applicant … [1]\n\n## Sources\n\n1. HB 4.2(a)",
		Notices:  []string{"A third topic card was ignored: an answer takes at most two."},
	}
}

// fees is a table as it stands in a source's Markdown.
const fees = "| Fee | Amount | When it is due |\n| --- | --- | --- |\n" +
	"| Late payment fee | the lower of $35 and 4 percent of the overdue instalment | when a payment is late under HB 5.3(a) |\n" +
	"| Returned payment fee | $20 | when a payment is returned unpaid |"

// tabled is an answer that quotes a table and a definition.
func tabled() answers.Body {
	return answers.Body{
		Text:      fees + " [1]\n\n**Main home** means the home in which the borrower lives for the greater part of the year. [2]",
		Guardrail: answers.Guardrail{Status: "pass"}, Confidence: .76, Rendered: fees,
		Cites: []answers.Cite{
			{N: 1, Key: "FEES § Fees we may charge ¶2", Title: "Schedule of Fees", Quote: fees, Method: "lexical", Verified: true, Why: "words", Revision: 1, Span: "bytes 310 to 702"},
			{N: 2, Key: "GL § Terms about the loan ¶2", Title: "Glossary", Quote: "**Main home** means the home in which the borrower lives for the greater part of the year.", Method: "lexical", Verified: true, Why: "words", Revision: 1, Span: "bytes 2 310 to 2 401"},
		},
	}
}

func disclaimed() answers.Body {
	return answers.Body{
		Text:      "The published sources do not answer this question.",
		Guardrail: answers.Guardrail{Status: "disclaim", Reasons: []string{"no_evidence", "a_code_without_words"}},
	}
}

func answerRows() []answers.Row {
	return []answers.Row{
		{URL: base + answers.RecordPath("ans_k7Qd2mXw91aB"), Question: question, Guardrail: answers.Guardrail{Status: "pass"}, Who: "curator@calliope.example", Surface: "web", At: ago(4 * 60e9)},
		{URL: base + answers.RecordPath("ans_9fQaZt7mp0Lw"), Question: "How many days of paid leave do our employees have?", Guardrail: answers.Guardrail{Status: "disclaim"}, Who: "Letters agent", Surface: "mcp", At: ago(3 * 3600e9)},
		{URL: base + answers.RecordPath("ans_p0Lw9fQaZt7n"), Question: "Question expired", Guardrail: answers.Guardrail{Status: "pass"}, Who: "Letters agent", Surface: "mcp", At: ago(39 * day)},
		{URL: base + answers.RecordPath("ans_p0Lw9fQaZt7m"), Question: "Draft a letter that hides the reason.", Guardrail: answers.Guardrail{Status: "block"}, Who: "Letters agent", Surface: "mcp", At: ago(40 * day)},
	}
}

func answerPages(f func(string) layout.Frame) []Page {
	record := answers.Record{
		ID: "ans_k7Qd2mXw91aB", Question: question, At: ago(2 * 3600e9), Version: "version 14", Intact: true, Released: "by approver@calliope.example, 24 November 2026", VerURL: base + "/versions#v14", Body: grounded(),
		Actor: "Letters agent", Key: "sk-polaris-k7Qd2mXw91aB_…", Owner: "curator@calliope.example", Surface: "mcp",
		Engine: "bm25/1 · snowball english · 0.1.0", Topics: []string{"Declining an application: the notices we owe"}, Ignored: []string{"no-such-card"},
		Latency: "3 ms", RecordURL: "https://polaris.calliope.example/brains/calliope/answers/ans_k7Qd2mXw91aB", JSONURL: "/v1/brains/calliope/answers/ans_k7Qd2mXw91aB",
		Chain: answers.Chain{Seq: layout.Number(1042), Hash: "9f2c1d6be0d9c4a1f1b7a1f1a5a3f0e77f3a0c7de2a4b1c8f6e5d4c3b2a19081", Sealed: true},
	}
	unsealed := record
	unsealed.Body, unsealed.Chain, unsealed.VerURL, unsealed.Key, unsealed.Owner = disclaimed(), answers.Chain{}, "", "", ""
	withTable := record
	withTable.Body = tabled()
	path := answers.RecordPath(record.ID)
	record.Replay, record.Decided = base+answers.ReplayPath(record.ID), []string{"proposed by curator@calliope.example, 23 November 2026", "approved by approver@calliope.example, 24 November 2026"}
	record.Review = layout.Link{Text: "How it was decided on", URL: base + "/approvals/rec_k7QdXm2PzR4a"}
	replayed, broken := record, record
	replayed.Replayed = &answers.Replay{Intact: true, Reproduced: true, Then: record.Engine, Now: record.Engine}
	broken.Replayed = &answers.Replay{Then: record.Engine, Now: "bm25/2", Findings: []string{"citation 2 is not what its source says there", "another engine answers now; its answer is the same"}}
	broken.Intact, broken.Stamp, broken.Decided, broken.Review = false, "published while four eyes were off", nil, layout.Link{}
	broken.Body.Cites = append([]answers.Cite(nil), broken.Body.Cites...)
	broken.Body.Cites[1].Off = true
	gone := record
	gone.Question, gone.Body, gone.Gone = "", answers.Body{Guardrail: answers.Guardrail{Status: "pass"}}, "the question and the answer expired on 24 November 2026; the audit log keeps the hash"
	guardrails := []form.Choice{{Label: "any", Chosen: true}, {Value: "disclaim", Label: "disclaimed"}}
	filter := answers.Filter{Guardrails: guardrails, Sources: []string{"HB", "SCORE"}, Text: form.Entry{Value: "score"}}
	wrong := filter
	wrong.Source = form.Entry{Value: "NOPE", Problem: "No source of this brain has this code."}
	return []Page{
		{"answer", answers.RecordPage(f(path), record)},
		{"answer-table", answers.RecordPage(f(path), withTable)},
		{"answer-disclaimed", answers.RecordPage(f(path), unsealed)},
		{"answers", answers.IndexPage(f(answers.Path), answers.Index{Rows: answerRows(), State: layout.Plural(1284, "answer", "answers") + " in all.", Older: base + "/answers?cursor=x", Newer: base + "/answers"})},
		{"answer-gone", answers.RecordPage(f(path), gone)},
		{"answer-replayed", answers.RecordPage(f(path), replayed)},
		{"answer-broken", answers.RecordPage(f(path), broken)},
		{"answers-found", answers.IndexPage(f(answers.Path), answers.Index{Rows: answerRows(), Filter: filter, Filtered: true})},
		{"answers-nothing", answers.IndexPage(f(answers.Path), answers.Index{Filter: wrong, Filtered: true})},
		{"answers-empty", answers.IndexPage(bare(f(answers.Path)), answers.Index{Ask: true})},
	}
}

func askPages(f func(string) layout.Frame) []Page {
	topics := []form.Choice{
		{Value: "declining-an-application", Label: "Declining an application: the notices we owe", Hint: "We turned someone down, said no, or offered less than they asked; what the letter must say, and by when"},
		{Value: "fees-we-may-charge", Label: "Fees we may charge", Hint: "What we may charge a customer or an applicant and how much"},
	}
	begin := ask.Page{
		State: "Answers from version 14, every sentence backed by a quote.", MaxQuestion: "8000", Topics: topics,
		Examples: []string{question, "When must we acknowledge a complaint?", "What is the cap on late payment fees in a calendar year?"},
	}
	chosen := append([]form.Choice(nil), topics...)
	chosen[0].Chosen = true
	answered := ask.Page{State: begin.State, MaxQuestion: "8000", Topics: chosen, Question: form.Entry{Value: question}, Panel: ask.Panel{
		Answered: true, Body: grounded(), RecordURL: base + answers.RecordPath("ans_k7Qd2mXw91aB"), Note: "answered in 3 ms · no model",
	}}
	declined := answered
	declined.Topics = nil
	declined.Question = form.Entry{Value: "How many days of paid leave do our employees have?"}
	declined.Panel.Body = disclaimed()
	wrong := begin
	wrong.Question = form.Entry{Value: " ", Problem: "Type a question first."}
	broken := begin
	broken.Question = form.Entry{Value: question}
	broken.Panel = ask.Panel{Problem: "The record of answers cannot be written now, so no answer may leave. Try again in a minute."}
	return []Page{
		{"ask", ask.AskPage(f(ask.Path), begin)},
		{"ask-answered", ask.AskPage(f(ask.Path), answered)},
		{"ask-disclaimed", ask.AskPage(f(ask.Path), declined)},
		{"ask-wrong", ask.AskPage(f(ask.Path), wrong)},
		{"ask-broken", ask.AskPage(f(ask.Path), broken)},
		{"ask-bare", ask.AskPage(bare(f(ask.Path)), ask.Page{State: "Nothing is published yet, so there is nothing to answer from.", MaxQuestion: "8000"})},
	}
}
