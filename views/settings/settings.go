// Package settings draws how a brain decides: whether a second person is asked,
// how many must approve, and who may.
package settings

import (
	"polaris/views/form"
	"polaris/views/layout"
)

// Where the settings are, below the brain, and where they are sent.
const (
	Path         = "/settings"
	FourEyesPath = Path + "/four-eyes" // POST: on, days
	RulesPath    = Path + "/rules"     // POST: needed-A2, role-A2, …

	RecordingPath = Path + "/recording" // POST: record_answers, answer_days
	PolicyPath    = Path + "/answering" // POST: verify_threshold, refused_topics
	DeletionPath  = Path + "/deletion"
	ExportPath    = Path + "/export"
)

// A Page is how a brain decides now.
type Page struct {
	State    string
	Warning  string // what everybody should know of it
	FourEyes bool
	Until    layout.When // when they are on again; zero: when somebody turns them on
	Deciders int         // people who could decide on a publish
	Rules    []Rule
	Waiting  []layout.Link // changes of the settings that wait

	May       bool // the reader changes them
	Alone     bool // one owner may turn four eyes off
	Days      form.Entry
	Problem   string // of four eyes
	RulesSaid string // what is wrong with the rules
	More      []layout.Link

	Recording Recording
	Policy    Policy
	Owner     bool // the reader may ask for the end of the brain
}

// Recording is what is kept of answers.
type Recording struct {
	Choices []form.Choice
	Days    form.Entry
	Words   string // as it is now
	Problem string
}

// Policy is what is asked of answers.
type Policy struct {
	Threshold form.Entry
	Refused   form.Entry // a topic a line: "label: phrase; phrase"
	Words     string     // as it is now
	Problem   string
}

// A Deletion asks whether all of a brain is to go.
type Deletion struct {
	Brain   string
	Confirm form.Entry
	Reason  form.Entry
	Problem string
}

// A Rule is who decides on one class of changes.
type Rule struct {
	Class  string // "A2"
	Title  string // "Changes of the draft"
	What   string // what it is about, in a sentence
	Needed []form.Choice
	Roles  []form.Choice
	Words  string // "One approval by admin, approver, curator or owner."
}

// offSays says what follows from turning four eyes off.
func (p Page) offSays() string {
	if p.Alone {
		return "Fewer than two people could decide here, so an owner may do without a second person, for 30 days at most. It is in the audit log, on every page of this brain, and on each version that is published meanwhile."
	}
	return "Another person decides on it. While they are off, every page of this brain says so, and so does each version that is published."
}

func (p Page) offDoes() string {
	if p.Alone {
		return "Turn four eyes off"
	}
	return "Ask to turn four eyes off"
}
