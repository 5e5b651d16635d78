package ops

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"polaris/advisor"
	"polaris/advisor/fetch"
	"polaris/advisor/ingest"
	"polaris/advisor/ingest/archive"
	"polaris/advisor/ingest/form"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// A Desk is the one gate: it checks a call, runs the operation and records it.
// All fields are set once, by [NewDesk], and a Desk is safe for concurrent use.
type Desk struct {
	Store    *store.Store
	Shelf    *advisor.Shelf
	Limiter  Limiter
	BadKeys  *Failures // keys and tokens that did not hold, on every surface that takes them
	Settings Settings
	Catalog  Catalog // every operation; what is queued is found in it
	Log      *slog.Logger
	Now      func() time.Time
	Observe  Observer // sees how each call ended; nil: nobody looks

	sealer *store.Sealer
	drafts drafts
	linked lastDraft[links] // cross-references, by what they are of
}

// Settings are what operations need to know of the configuration.
type Settings struct {
	PublicURL     string // origin in links, without a slash at the end
	MaxQueryChars int    // longest question, in characters
	MaxUpload     int64  // largest document, in bytes; 0: 64 MiB
	RateLimit     models.Rate
	SealingKey    []byte         // seals the keys that sign access tokens; 32 bytes, or none: nothing is signed
	Parse         Parser         // reads documents; nil: in this process, which suits texts of our own
	Expand        Expander       // unpacks archives; nil: likewise
	Fetch         *fetch.Client  // asks other servers for documents; nil: none is asked
	Indexes       string         // folder in which indexes are kept; empty: none are
	IndexMemory   int64          // bytes that loaded versions may hold; 0: any number
	Writer        advisor.Writer // writes answers, which the engine proves; nil: sources are quoted
	InlineWait    time.Duration  // how long submit_query waits for a small question; 0: 30 s
	JobLife       time.Duration  // how long a research job that has ended can be fetched; 0: a day
}

// A Parser turns a document's bytes into its text and passages, as [ingest.Parse]
// does, and is done when ctx is.
type Parser func(ctx context.Context, data []byte, o ingest.Options) (*ingest.Document, error)

// An Expander hands each document of an archive to each, as [archive.Expand]
// does, and is done when ctx is.
type Expander func(ctx context.Context, data []byte, each func(name string, data []byte) error) ([]archive.Skipped, error)

// expandHere unpacks an archive in this process.
func expandHere(_ context.Context, data []byte, each func(name string, data []byte) error) ([]archive.Skipped, error) {
	return archive.Expand(data, form.Limits{}, each)
}

// parseHere reads a document in this process.
func parseHere(_ context.Context, data []byte, o ingest.Options) (*ingest.Document, error) {
	return ingest.Parse(data, o)
}

// NewDesk returns a desk over an open store. Run its sealer with
// [Desk.SealForever] in the process that serves.
func NewDesk(s *store.Store, set Settings, log *slog.Logger) *Desk {
	if set.Parse == nil {
		set.Parse = parseHere
	}
	if set.Expand == nil {
		set.Expand = expandHere
	}
	d := &Desk{Store: s, Limiter: NewMemoryLimiter(), BadKeys: NewFailures(), Settings: set, Catalog: All(), Log: log, Now: time.Now, sealer: store.NewSealer(s)}
	d.Shelf = advisor.NewShelf(d.loadEngine)
	d.Shelf.KeepIn(set.Indexes)
	d.Shelf.Bound(set.IndexMemory)
	return d
}

// SealForever links audit rows into their chains until ctx ends.
func (d *Desk) SealForever(ctx context.Context) { d.sealer.Run(ctx) }

// SealNow links what is committed and not sealed yet, and returns when it is.
func (d *Desk) SealNow(ctx context.Context, brain models.BrainID) error {
	for {
		n, err := d.Store.Seal(ctx, brain)
		if err != nil || n == 0 {
			return err
		}
	}
}

// Do runs a typed operation.
func Do[In, Out any](ctx context.Context, d *Desk, c Call, o *Op[In, Out], in In) (Out, error) {
	out, err := d.through(ctx, c, o.Entry(), in)
	if err != nil {
		var none Out
		return none, err
	}
	return out.(Out), nil
}

// Invoke runs an operation from JSON.
func (d *Desk) Invoke(ctx context.Context, c Call, o *Entry, raw []byte) (any, error) {
	in, err := o.decode(raw)
	if err != nil {
		d.observe(c, o, d.Now(), err)
		return nil, err
	}
	return d.through(ctx, c, o, in)
}

// through takes one call past the gate and records a refusal. (The rate is taken
// by the guards, which count requests that never become a call, too.)
func (d *Desk) through(ctx context.Context, c Call, o *Entry, in any) (any, error) {
	now := d.Now().UTC()
	if c.Started.IsZero() {
		c.Started = now
	}
	e := &Env{Call: c, Now: now, Audit: newRow(c, o, now), desk: d}
	out, err := d.perform(ctx, e, o, in)
	d.observe(c, o, now, err)
	if _, waits := AsWaiting(err); waits {
		return nil, err
	}
	if err != nil {
		return nil, d.refused(ctx, e, err)
	}
	return out, nil
}

// perform is the gate: is it offered here, may this principal, within which
// ceiling, must another person see it first; then it runs, and the row is
// written.
func (d *Desk) perform(ctx context.Context, e *Env, o *Entry, in any) (out any, err error) {
	if err := Allowed(e.Call, o); err != nil {
		return nil, err
	}
	if err := checkText(in); err != nil {
		return nil, err
	}
	switch {
	case e.Call.DryRun && e.Call.rehearsal != nil && !o.Rehearsable():
		return nil, errUnrehearsed(o)
	case o.instead != nil:
		return d.instead(ctx, e, o, in)
	case o.Serves:
		return d.serve(ctx, e, o, in)
	case o.Loaded:
		return o.run(ctx, e, in)
	}
	if o.stage != nil {
		if neverAlone(e.Call, o) && o.propose == nil {
			return nil, errSession // before anything is prepared
		}
		if e.Staged, err = o.stage(ctx, e, in); err != nil {
			return nil, err
		}
	}
	if o.Class.writes() {
		return d.change(ctx, e, o, in)
	}
	err = d.Store.InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		e.Tx = tx
		out, err = o.run(ctx, e, in)
		return err
	})
	return out, err
}

// change runs an operation that writes, in one transaction with its row.
func (d *Desk) change(ctx context.Context, e *Env, o *Entry, in any) (out any, err error) {
	err = d.Store.InBrain(ctx, e.Call.Brain, func(tx *store.Tx) (err error) {
		e.Tx = tx
		switch wait, err := secondPerson(e, o, in); {
		case err != nil:
			return err
		case wait:
			return errWaits
		}
		if out, err = d.once(ctx, e, o, in); err != nil {
			return err
		}
		if e.Call.DryRun {
			e.Call.rehearsal.done(e.Audit)
			return errDryRun
		}
		if e.Call.also != nil {
			if err := e.Call.also(tx, out); err != nil {
				return err
			}
		}
		if err := tx.AppendAudit(e.Audit); err != nil {
			return err
		}
		return e.taking.noted(tx, e.Audit)
	})
	if err != nil {
		for _, undo := range e.undo {
			undo()
		}
	}
	switch {
	case errors.Is(err, errWaits):
		return nil, d.propose(ctx, e, o, in)
	case errors.Is(err, errDryRun):
		return out, nil
	case err != nil:
		return nil, err
	}
	d.sealer.Wrote(e.Call.Brain)
	return out, nil
}

// once makes a change that need not wait, and asks beforehand what takes it back.
func (d *Desk) once(ctx context.Context, e *Env, o *Entry, in any) (any, error) {
	back, err := e.undoable(ctx, o, in)
	if err != nil {
		return nil, err
	}
	if e.undoes != nil {
		base, err := o.base(ctx, e, in)
		if err != nil {
			return nil, err
		}
		if err := e.untouched(base); err != nil {
			return nil, err
		}
	}
	if err := e.Call.rehearsal.shows(ctx, e, o, in); err != nil {
		return nil, err
	}
	out, err := o.run(ctx, e, in)
	if err != nil {
		return nil, err
	}
	return out, back.made(ctx, e)
}

// errDryRun rolls a rehearsal back.
var errDryRun = errors.New("dry run")

// errWaits says that another person must see the change first.
var errWaits = errors.New("waits for a second person")

// serve runs an operation whose output leaves as an answer. It holds no
// transaction while the engine works; the answer waits for its row.
func (d *Desk) serve(ctx context.Context, e *Env, o *Entry, in any) (any, error) {
	out, err := o.run(ctx, e, in)
	if err != nil {
		return nil, err
	}
	e.Audit.LatencyMicros = d.Now().Sub(e.Call.Started).Microseconds()
	if err := d.Store.AppendServed(ctx, e.Audit, e.Record); err != nil {
		return nil, err
	}
	d.sealer.Wrote(e.Call.Brain)
	return out, nil
}

// refused records that a call ended in err, and returns err. What is not a
// fault is an outage or a bug and belongs to the log, as does a refusal of a
// brain that is not there.
func (d *Desk) refused(ctx context.Context, e *Env, err error) error {
	f := fault.Of(err)
	if f.Kind == fault.Internal || f.Kind == fault.Unavailable || errors.Is(err, context.Canceled) {
		return err
	}
	if e.Call.Brain != store.Instance && e.Call.By.Brain != e.Call.Brain && e.Call.By.Kind != models.KindTerminal {
		e.Audit.BrainID = e.Call.By.Brain // a stranger's attempts are kept where the stranger belongs
	}
	if !e.Audit.BrainID.Valid() {
		e.Audit.BrainID = store.Instance // no brain can be called so
	}
	e.Audit.Outcome = f.Code
	if aerr := d.Store.AppendServed(context.WithoutCancel(ctx), e.Audit, nil); aerr != nil {
		return errors.Join(err, aerr)
	}
	d.sealer.Wrote(e.Audit.BrainID)
	return err
}

func newRow(c Call, o *Entry, now time.Time) *models.AuditRow {
	return &models.AuditRow{
		BrainID: c.Brain, At: now, Kind: c.By.Kind, Person: c.By.Person, Actor: c.By.Actor, Authenticated: c.By.Authenticated,
		KeyID: cmp.Or(c.By.KeyID, c.By.TokenID), Surface: c.Via.String(), Operation: o.Name, Class: string(o.Class), Outcome: "ok", RequestID: c.RequestID,
		Detail: models.Detail{Rationale: c.Rationale},
	}
}

// Allowed reports why c may not use o where it was asked for, or nil. Pages ask
// it, too, before they offer an operation.
func Allowed(c Call, o *Entry) error {
	switch {
	case o.Offered&c.Via == 0 || Dispose(c.Via, o.Class) == Never:
		return fault.New(fault.NotFound, "There is no such operation here.").WithCode("not_offered")
	case !reaches(c, o):
		return store.NoBrain
	case o.Session && c.Visit == nil:
		return fault.New(fault.Forbidden, "Deciding needs a person who is signed in. Sign in and decide on the page.").WithCode("session_required")
	case c.Via == REST && c.By.Kind == models.KindKey && !o.HTTP.Keys:
		return fault.New(fault.Forbidden, "API keys do not reach %s over REST. Use an access token, or sign in.", o.Name).WithCode("insufficient_scope")
	case !c.By.May(o.Needs):
		return lacking(c.By, o)
	case o.Class == Metered && c.Ceiling <= 0:
		return fault.New(fault.Invalid, "Say how much this may spend.").WithCode("ceiling_required")
	}
	return nil
}

// reaches reports whether the brain acted on is the principal's own, or the
// operation is of the kind that makes brains.
func reaches(c Call, o *Entry) bool {
	switch c.By.Kind {
	case models.KindTerminal, models.KindSystem:
		return true
	}
	return o.Needs == models.MayAdminister || c.Brain == c.By.Brain || c.Brain == store.Instance && o.Needs == models.MayEnter
}

func lacking(p models.Principal, o *Entry) error {
	if p.Scoped() {
		why := "No scope covers %s: a person does it, at a browser or at the terminal."
		switch s := p.ScopeFor(o.Needs); {
		case s != "" && p.Has(s):
			why = "The person whom this key or token acts for has no role that covers %s."
		case s != "":
			why = "This key or token has not the scope " + string(s) + ", which %s takes."
		}
		return fault.New(fault.Forbidden, why, o.Name).WithCode("insufficient_scope")
	}
	return fault.New(fault.Forbidden, "Your role in this brain does not cover this. An admin or owner can give you one that does.").WithCode("insufficient_role")
}

// secondPerson reports whether another person must see the change first.
func secondPerson(e *Env, o *Entry, in any) (wait bool, err error) {
	if o.Alone {
		return false, nil
	}
	if o.atOnce != nil && e.Call.Via&(Web|CLI|Stdio) != 0 {
		if now, err := o.atOnce(e, in); now || err != nil {
			return false, err
		}
	}
	switch Dispose(e.Call.Via, o.Class) {
	case Names:
		return false, named(e)
	case Queues:
		return queued(e)
	}
	return false, nil
}

// named sees to it that a judgement made at the terminal carries a person's
// name. Who acts is who approves, unless somebody else is named.
func named(e *Env) error {
	by := e.Call.ApprovedBy
	if by == "" {
		by = e.Call.By.Actor
	}
	if e.Call.By.Kind == models.KindSystem {
		return nil
	}
	if !models.NamedActor(by) {
		return fault.Field("approved_by", "This is a judgement: say who makes it with --actor EMAIL.").WithCode("approver_required")
	}
	e.Audit.Detail.ApprovedBy = by
	return nil
}

// queued reports whether a change has to wait, and marks the row of one that
// need not: where the brain's four eyes are off, what a person does at the pages
// or the terminal is done; and Polaris itself publishes a brain's first version.
func queued(e *Env) (wait bool, err error) {
	b, err := e.Tx.ThisBrain(true)
	if err != nil {
		return false, err
	}
	switch {
	case e.Call.By.Kind == models.KindSystem && b.Published == 0:
		e.Audit.Detail.FourEyes = models.FourEyesBootstrap
	case !b.FourEyesAt(e.Now) && e.Call.Via&atHome != 0:
		e.Audit.Detail.FourEyes = models.FourEyesOff
	default:
		return true, nil
	}
	return false, nil
}

// neverAlone reports whether c waits for a second person whatever the brain
// says of its four eyes: what programs ask to change does.
func neverAlone(c Call, o *Entry) bool {
	return Dispose(c.Via, o.Class) == Queues && c.Via&atHome == 0 && c.By.Kind != models.KindSystem
}

// atHome are the surfaces on which a brain without four eyes needs no second
// person.
const atHome = Web | CLI | Stdio

// clean returns s on one line, without spaces around it.
func clean(s string) string { return strings.Join(strings.Fields(s), " ") }
