package ops

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// An AuditFilterIn says which rows of the log are wanted.
type AuditFilterIn struct {
	From      string `json:"from,omitempty" jsonschema:"RFC 3339 time or date; rows from then on"`
	To        string `json:"to,omitempty" jsonschema:"RFC 3339 time or date; rows before then"`
	Person    string `json:"person,omitempty" jsonschema:"a person's id or e-mail address"`
	Actor     string `json:"actor,omitempty"`
	KeyID     string `json:"key_id,omitempty"`
	Operation string `json:"operation,omitempty"`
	Target    string `json:"target,omitempty"`
	Outcome   string `json:"outcome,omitempty" jsonschema:"ok, queued, or a refusal's code"`
	Surface   string `json:"surface,omitempty" jsonschema:"web, rest, cli, mcp, stdio, openai, or system"`
}

func (in AuditFilterIn) filter() (store.AuditFilter, error) {
	f := store.AuditFilter{Person: in.Person, Actor: in.Actor, KeyID: in.KeyID, Operation: in.Operation, Target: in.Target, Outcome: in.Outcome, Surface: in.Surface}
	var err error
	if f.From, err = timeOf("from", in.From); err != nil {
		return f, err
	}
	f.To, err = timeOf("to", in.To)
	return f, err
}

// timeOf reads a time, or a date as its beginning in UTC.
func timeOf(field, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fault.Field(field, "%s is a date such as 2026-03-01, or a time such as 2026-03-01T12:00:00Z.", field)
}

// AuditListIn is a part of the log.
type AuditListIn struct {
	AuditFilterIn
	Page
}

// An AuditLine is one row of the log with its place in the chain.
type AuditLine struct {
	Seq  int64           `json:"seq,omitempty"`  // absent while unsealed
	Hash string          `json:"hash,omitempty"` // hex
	Row  models.AuditRow `json:"row"`
}

func lineOf(r store.SealedRow) AuditLine {
	r.At = r.At.UTC()
	return AuditLine{r.Seq, hex.EncodeToString(r.Hash), r.AuditRow}
}

// AuditList is rows of the log, the newest first.
type AuditList struct {
	Rows     []AuditLine `json:"rows"`
	Head     string      `json:"head,omitempty"` // of the chain now, SEQ:HASH; absent while nothing is sealed
	Unsealed int64       `json:"unsealed"`       // rows that the sealer has not linked yet
	More
}

// ListAudit lists the audit log.
var ListAudit = &Op[AuditListIn, AuditList]{
	Name: "audit.list", Title: "Read the audit log", Route: "GET /v1/brains/{brain_id}/audit",
	Summary: "List rows of the audit log, the newest first: by time, person, actor, key, operation, target, outcome and surface.",
	Class:   Read, Needs: models.MayAudit, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in AuditListIn) (AuditList, error) {
		f, err := in.filter()
		if err != nil {
			return AuditList{}, err
		}
		rows, more, err := stretch(e, in.Page, func(s store.Stretch) ([]store.SealedRow, error) { return e.Tx.AuditPage(f, s) },
			func(r store.SealedRow) store.Mark { return store.Mark{ID: strconv.FormatInt(r.ID, 10)} })
		out := AuditList{Rows: make([]AuditLine, len(rows)), More: more}
		for i, r := range rows {
			out.Rows[i] = lineOf(r)
		}
		if err != nil {
			return out, err
		}
		head, unsealed, err := e.Tx.AuditHead()
		if out.Unsealed = unsealed; head.Seq > 0 {
			out.Head = fmt.Sprintf("%d:%x", head.Seq, head.Hash)
		}
		return out, err
	},
}

// RetainIn names the day from which on the log stays.
type RetainIn struct {
	Before string `json:"before"`
}

// Retained says what retention removed.
type Retained struct {
	Rows int64  `json:"rows"`
	Seq  int64  `json:"seq"`       // the last link that is gone
	Hash string `json:"head_hash"` // of it, hex; the chain goes on from here
}

// RetainAudit removes the oldest days of the log. The chain goes on from a
// tombstone, which the row of the removal names.
var RetainAudit = &Op[RetainIn, Retained]{
	Name: "audit.retain", Title: "Remove old audit rows", Route: "POST /v1/brains/{brain_id}/audit/retention",
	Summary: "Remove the sealed days of the audit log before a date, leaving a linked tombstone, so that what follows can still be verified. The last thirty days always stay.",
	Class:   Irreversible, Needs: models.MayMembers, Offered: Web | CLI | REST,
	HTTP: HTTP{Example: `{"before":"2020-01-01"}`},
	Propose: func(_ context.Context, e *Env, in RetainIn) (Subject, error) {
		before, err := e.retainable(in)
		if err != nil {
			return Subject{}, err
		}
		last, rows, err := e.Tx.Removable(before)
		if err == nil && rows == 0 {
			err = nothingToRetain
		}
		return Subject{Name: "audit log", After: map[string]any{"remove_before": before, "rows": rows, "last_link": last}}, err
	},
	Base: func(_ context.Context, e *Env, _ RetainIn) (string, error) {
		m, err := e.Tx.AuditMoment()
		return fmt.Sprintf("from link %d", m.Start.Seq), err
	},
	Run: func(_ context.Context, e *Env, in RetainIn) (Retained, error) {
		before, err := e.retainable(in)
		if err != nil {
			return Retained{}, err
		}
		last, rows, err := e.Tx.Retain(before)
		if err != nil {
			return Retained{}, err
		}
		if rows == 0 {
			return Retained{}, nil // nothing was that old
		}
		out := Retained{rows, last.Seq, hex.EncodeToString(last.Hash)}
		e.Audit.Target = fmt.Sprintf("links up to %d", last.Seq)
		e.Audit.Detail.Changes = []models.Change{{Field: store.TombstoneField, To: fmt.Sprintf("%d:%s", out.Seq, out.Hash)}}
		return out, nil
	},
}

var nothingToRetain = fault.New(fault.Conflict, "No sealed rows of the log are that old.").WithCode("nothing_to_remove")

func (e *Env) retainable(in RetainIn) (time.Time, error) {
	before, err := timeOf("before", in.Before)
	switch {
	case err != nil:
		return before, err
	case before.IsZero():
		return before, fault.Field("before", "Say from which day on the log stays: a date such as 2026-03-01.")
	case before.After(e.Now.AddDate(0, 0, -30)):
		return before, fault.Field("before", "The last thirty days of the log always stay.")
	}
	return before.Truncate(24 * time.Hour), nil
}
