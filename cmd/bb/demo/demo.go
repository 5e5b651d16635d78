// Package demo holds the brain that `bb serve --demo` makes: the handbook of
// Calliope Home Lending, a lender that does not exist, with two topic cards,
// three people and the questions that show what the brain can and cannot
// answer.
//
// The texts were written for Polaris. They state one invented house's rules and
// no law. Their structure is what the importer reads: numbered headings and
// lettered paragraphs make keys such as "HB 4.2(a)", all other paragraphs are
// keyed by heading and place, such as "SCORE § Use of scores ¶3".
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
)

//go:embed *.md cards.json questions.json
var files embed.FS

// A Document is one source of the demo brain, as a curator would import it.
type Document struct {
	Name  string // of the file
	Title string // as its first heading has it
	Code  string // prefix of its citation keys
	Data  []byte // Markdown, UTF-8
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
	}
	for i := range docs {
		docs[i].Data = read(docs[i].Name)
	}
	return docs
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
