// Package ops holds every operation that Polaris performs, written once.
//
// An operation is a value: its name, what it may do without a second person
// (its class), the right that it needs, where it is offered, and one function.
// [Do] and [Desk.Invoke] are the only ways to run one, so that the checks and
// the audit row cannot be passed by. Packages web and mcp and the command line
// translate to and from operations; they decide nothing.
//
// Start at [All], the catalog; then [Desk], the gate.
package ops

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"polaris/advisor"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// A Class says what an operation may do without a second person.
type Class string

// The autonomy classes of SPEC §3.3.
const (
	Read         Class = "A0" // changes nothing
	Metered      Class = "A1" // spends model calls, quota or fetches; needs a ceiling
	Reversible   Class = "A2" // changes the draft, or something that can be undone
	Judgement    Class = "A3" // encodes a curator's claim
	Irreversible Class = "A4" // publishes, or leaves the system
)

// writes reports whether the class changes anything.
func (c Class) writes() bool { return c >= Reversible }

// A Surface is a set of places where operations are offered.
type Surface uint8

// The surfaces. REST by cookie counts as Web.
const (
	Web    Surface = 1 << iota // pages, and REST with a session cookie
	CLI                        // bb at the terminal
	Stdio                      // the operators' MCP server
	Hosted                     // /v1/mcp
	REST                       // /v1/… with a key or token
	OpenAI                     // the chat-completions endpoint
)

// Surfaces returns each single surface.
func Surfaces() []Surface { return []Surface{Web, CLI, Stdio, Hosted, REST, OpenAI} }

// String returns the name that audit rows carry.
func (s Surface) String() string {
	switch s {
	case Web:
		return "web"
	case CLI:
		return "cli"
	case Stdio:
		return "stdio"
	case Hosted:
		return "mcp"
	case REST:
		return "rest"
	case OpenAI:
		return "openai"
	}
	return "several"
}

// An Op is one operation, from a typed input to a typed output.
type Op[In, Out any] struct {
	Name    string // "sources.import": noun, then verb
	Tool    string // name as an MCP tool; empty where it is none
	Title   string // a few words for people
	Route   string // "GET /v1/brains/{brain_id}/wiki"; empty where REST has it not
	Summary string // what it does, for people and for models; under 2 KB
	Class   Class
	Needs   models.Right
	Offered Surface
	HTTP    HTTP // what else REST needs to know

	// Serves says that the output leaves as an answer: it runs outside any
	// transaction, and its record is durable before it is given.
	Serves bool

	// Loaded says that it reads nothing but the loaded version: it has no
	// transaction, which would take longer than the reading.
	Loaded bool

	// Stage does the heavy part (parsing, indexing) before the transaction
	// opens; what it returns is Env.Staged. Optional.
	Stage func(ctx context.Context, e *Env, in In) (any, error)

	// Propose says what the operation would change, as the person who decides on
	// it will be shown it. It changes nothing. An operation without it never
	// waits for a second person: where it would have to, it is refused.
	Propose func(ctx context.Context, e *Env, in In) (Subject, error)

	// Base returns the revision that what it would change has now, "" for what is
	// not there. Whatever is proposed becomes stale when that has moved. It goes
	// with Propose.
	Base func(ctx context.Context, e *Env, in In) (string, error)

	// Alone says that it is done at once wherever it is offered, because it
	// concerns nobody but who asks.
	Alone bool

	// AtOnce reports that an input needs no second person where people ask
	// themselves, though others of the operation do.
	AtOnce func(e *Env, in In) (bool, error)

	// Session says that only a person who is signed in at a browser does it. Where
	// it is asked for otherwise it is refused, with the reason.
	Session bool

	// InputVersion is raised when the input changes so that one which is queued
	// would be read otherwise. Older has a decoder for each version before it: what
	// was proposed to an earlier release can be decided on.
	InputVersion int
	Older        map[int]func(raw json.RawMessage) (In, error)

	// Undo says what will take the change back. It is asked in the change's
	// transaction before the change is made, and first locks what will be changed.
	// nil: nothing will, as where nothing is changed.
	Undo func(ctx context.Context, e *Env, in In) (*Inverse, error)

	// Final says why a change by it is not undone by [UndoChange], where Undo is nil.
	Final string

	// Unrehearsed says why it has no dry run, where it has none.
	Unrehearsed string

	// Instead names another operation that is done in this one's place. Run is
	// called after that, for the output.
	Instead func(ctx context.Context, e *Env, in In) (Inverse, error)

	// Run does the work, inside the operation's transaction where it has one.
	Run func(ctx context.Context, e *Env, in In) (Out, error)
}

// A Call is the circumstances of one use of an operation.
type Call struct {
	By         models.Principal
	Brain      models.BrainID // the brain acted on; store.Instance for what belongs to none
	Via        Surface
	Rationale  string
	Evidence   []string // what a proposal stands on: answers, citation keys, addresses
	Supersedes string   // the pending recommendation that a proposal takes the place of
	ApprovedBy string   // the person named for an A3 at the terminal
	DryRun     bool     // rehearse: see [Desk.Rehearse]
	Ceiling    int      // what an A1 may spend, in cents
	IfMatch    []string // entity tags of the revision that the caller saw, one of them; empty: any
	IfNew      bool     // what it makes must not be there yet
	RequestID  string
	From       string    // the client's address, its network for IPv6; only counted by, never recorded
	Taken      Taken     // what the guard took from the caller's rate
	Visit      *Visit    // the signed-in browser; nil where the call did not come from one
	Started    time.Time // when the request arrived; zero: when the gate is reached

	rehearsal *Rehearsal // to fill in; nil: nobody asked what would change

	// also joins the transaction in which the operation is done or put into the
	// queue: that a job did it, and what it did, are one.
	also func(tx *store.Tx, out any) error
}

// An Env is what a running operation may use.
type Env struct {
	Call   Call
	Now    time.Time
	Tx     *store.Tx              // the operation's transaction; nil where it Serves or is Loaded, and in Stage
	Audit  *models.AuditRow       // the row being written: Run fills Target and Detail
	Record *models.Answer         // set by an operation that Serves
	Staged any                    // what Stage returned
	Queued *models.Recommendation // what is being applied, after a decision; nil where the call is done at once

	desk   *Desk
	undo   []func()                 // run when the transaction did not commit
	undoes *models.ReversibleChange // that is being taken back
	taking *taking                  // what will take back what was done
}

// Store reaches what belongs to no brain, and opens transactions of Stage.
func (e *Env) Store() *store.Store { return e.desk.Store }

// Shelf holds the engines of published versions.
func (e *Env) Shelf() *advisor.Shelf { return e.desk.Shelf }

// A Subject is what an operation would change.
type Subject struct {
	Name   string // "topic card late-fee"
	Before any    // what it is now, as JSON; nil for what is not there
	After  any    // what it would be; nil where it would go

	// Input is what is frozen in place of the operation's input, of the same type,
	// where that would be too large or leaves open what is settled now.
	Input any

	// Document is kept aside for as long as the change waits. The text of After
	// names its hash.
	Document []byte
}

// An Entry is an operation with its types erased, for surfaces that speak
// JSON.
type Entry struct {
	Name, Tool, Title, Route, Summary string
	Class                             Class
	Needs                             models.Right
	Offered                           Surface
	HTTP                              HTTP
	Serves, Loaded, Alone, Session    bool
	Final, Unrehearsed                string
	In, Out                           reflect.Type // for schemas

	decode       func(raw json.RawMessage) (any, error)
	stage        func(ctx context.Context, e *Env, in any) (any, error)     // nil: none
	propose      func(ctx context.Context, e *Env, in any) (Subject, error) // nil: never queued
	base         func(ctx context.Context, e *Env, in any) (string, error)
	atOnce       func(e *Env, in any) (bool, error)                          // nil: never
	undo         func(ctx context.Context, e *Env, in any) (*Inverse, error) // nil: see Final
	instead      func(ctx context.Context, e *Env, in any) (Inverse, error)
	inputVersion int
	older        map[int]func(raw json.RawMessage) (any, error)
	run          func(ctx context.Context, e *Env, in any) (any, error)
}

// Undoable reports whether [UndoChange] can take back what the operation did.
func (o *Entry) Undoable() bool { return o.undo != nil }

// InputVersion is the version of the operation's input.
func (o *Entry) InputVersion() int { return o.inputVersion }

// DecodeInput reads an input that was frozen in a version of its own.
func (o *Entry) DecodeInput(version int, raw json.RawMessage) (any, error) {
	if version == o.inputVersion {
		return o.decode(raw)
	}
	if old := o.older[version]; old != nil {
		return old(raw)
	}
	return nil, fault.New(fault.Conflict, "This was proposed to an earlier release in another form, so it can only be rejected and proposed again.").WithCode("input_version")
}

// Queues reports whether the operation can wait for a second person.
func (o *Entry) Queues() bool { return o.propose != nil }

// Entry returns o with its types erased.
func (o *Op[In, Out]) Entry() *Entry {
	e := &Entry{
		Name: o.Name, Tool: o.Tool, Title: o.Title, Route: o.Route, Summary: o.Summary,
		Class: o.Class, Needs: o.Needs, Offered: o.Offered, HTTP: o.HTTP, Serves: o.Serves, Loaded: o.Loaded, Alone: o.Alone, Session: o.Session,
		Final: o.Final, Unrehearsed: o.Unrehearsed,
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		decode: func(raw json.RawMessage) (any, error) { return decode[In](raw) },
		run:    func(ctx context.Context, e *Env, in any) (any, error) { return o.Run(ctx, e, in.(In)) },
	}
	if o.Propose != nil {
		e.propose = func(ctx context.Context, e *Env, in any) (Subject, error) { return o.Propose(ctx, e, in.(In)) }
		e.base = func(ctx context.Context, e *Env, in any) (string, error) { return o.Base(ctx, e, in.(In)) }
		e.inputVersion, e.older = o.InputVersion, map[int]func(raw json.RawMessage) (any, error){}
		for v, old := range o.Older {
			e.older[v] = func(raw json.RawMessage) (any, error) { return old(raw) }
		}
	}
	if o.Undo != nil {
		e.undo = func(ctx context.Context, e *Env, in any) (*Inverse, error) { return o.Undo(ctx, e, in.(In)) }
	}
	if o.Instead != nil {
		e.instead = func(ctx context.Context, e *Env, in any) (Inverse, error) { return o.Instead(ctx, e, in.(In)) }
	}
	if o.AtOnce != nil {
		e.atOnce = func(e *Env, in any) (bool, error) { return o.AtOnce(e, in.(In)) }
	}
	if o.Stage != nil {
		e.stage = func(ctx context.Context, e *Env, in any) (any, error) { return o.Stage(ctx, e, in.(In)) }
	}
	return e
}
