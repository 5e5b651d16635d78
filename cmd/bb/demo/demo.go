// Package demo holds the brain that `bb serve --demo` makes: the handbook and
// the policies of Calliope Home Lending, a lender that does not exist, with
// topic cards, its people and the questions that show what the brain can and
// cannot answer.
//
// [Publish] makes its first version. [Furnish] adds what a brain has after some
// days of use: questions that were asked, golden questions, a document that is
// held for what is hidden in it, and changes that wait for a second person.
//
// The texts were written for Polaris. They state one invented house's rules and
// no law. Their structure is what the importer reads: numbered headings and
// lettered paragraphs make keys such as "HB 4.2(a)", all other paragraphs are
// keyed by heading and place, such as "SCORE § Use of scores ¶3". One is a Word
// document that has its numbers from Word alone, and one a spreadsheet.
package demo

import (
	"embed"
	"encoding/json"
	"fmt"

	"polaris/models"
)

// The brain.
const (
	Brain     models.BrainID = "calliope"
	BrainName string         = "Calliope Home Lending"
)

// The people who keep it.
const (
	Curator  = "curator@calliope.example"
	Approver = "approver@calliope.example"
	Reader   = "reader@calliope.example"

	// A second curator, who has an agent and waits for the others' decisions.
	Colleague = "colleague@calliope.example"
)

//go:embed *.md *.csv *.docx *.html cards.json questions.json
var files embed.FS

// A Document is one source of the demo brain, as a curator would import it.
type Document struct {
	Name  string // of the file
	Title string // as its first heading has it
	Code  string // prefix of its citation keys
	Data  []byte
}

// Documents returns the sources in the order of import.
func Documents() []Document {
	docs := []Document{
		{Name: "handbook.md", Title: "Lending Handbook", Code: "HB"},
		{Name: "scoring.md", Title: "Scoring Policy", Code: "SCORE"},
		{Name: "complaints.md", Title: "Complaints Procedure", Code: "CP"},
		{Name: "fees.md", Title: "Schedule of Fees", Code: "FEES"},
		{Name: "records.md", Title: "Records and Retention", Code: "REC"},
		{Name: "vulnerable.md", Title: "Customers in Vulnerable Circumstances", Code: "VC"},
		{Name: "glossary.md", Title: "Glossary", Code: "GL"},
		{Name: "leave.md", Title: "Leave and Working from Elsewhere", Code: "LV"},
		{Name: "expenses.md", Title: "Expenses, Gifts and Hospitality", Code: "EXP"},
		{Name: "speaking-up.md", Title: "Speaking Up", Code: "SPK"},
		{Name: "suppliers.docx", Title: "Taking on a Supplier", Code: "SUP"},
		{Name: "pricing.csv", Title: "Exceptions to the Price List", Code: "PRICE"},
	}
	for i := range docs {
		docs[i].Data = read(docs[i].Name)
	}
	return docs
}

// Incidents is a policy that is in the draft and waits to be published. Until
// then nothing says what to do about a laptop that was lost.
func Incidents() Document {
	return Document{Name: "incidents.md", Title: "Security Incidents", Code: "INC", Data: read("incidents.md")}
}

// Planted is a supplier's page with an order to a language model where no
// reader sees it. It is held until a curator has looked.
func Planted() Document {
	return Document{Name: "supplier-note.html", Title: "Brightmark Valuations: Terms of Service", Code: "BV", Data: read("supplier-note.html")}
}

// Cards returns the topic cards. Every anchor of theirs is a key of the
// documents.
func Cards() []models.TopicCard {
	var cards []models.TopicCard
	decode("cards.json", &cards)
	for i := range cards {
		cards[i].BrainID = Brain
	}
	return cards
}

// Questions are examples for tests and for the page that invites a first
// question.
type Questions struct {
	Answerable   []Question `json:"answerable"`
	Unanswerable []string   `json:"unanswerable"` // the handbook says nothing about these
}

// A Question comes with the topic cards that it is asked under, if any, and
// the keys that its answer has to cite.
type Question struct {
	Text   string   `json:"question"`
	Topics []string `json:"topics"`
	Keys   []string `json:"keys"`
}

// Examples returns the example questions.
func Examples() Questions {
	var q Questions
	decode("questions.json", &q)
	return q
}

// read and decode panic on failure: what they read was embedded by the
// compiler, so only a broken build can make them fail, and a test walks all of
// it.
func read(name string) []byte {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("demo: %v", err))
	}
	return b
}

func decode(name string, v any) {
	if err := json.Unmarshal(read(name), v); err != nil {
		panic(fmt.Sprintf("demo: %s: %v", name, err))
	}
}
