package ops

import (
	"context"
	"strconv"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
)

// CertifyIn names a source, and says what its certifier has to say of it.
type CertifyIn struct {
	Source   string `json:"source"`                                // id or code
	Revision int    `json:"revision,omitempty" schema:"minimum=1"` // that was read; default: the draft's
	Note     string `json:"note,omitempty"`
}

// CertifySource says that a person vouches for the draft's revision of a source.
// At the pages that is who asks; of what a program proposed it is who approves,
// by whose approval it is applied; at a terminal it is who is named there, and
// the certification says that nobody verified it.
var CertifySource = &Op[CertifyIn, models.Certification]{
	Name: "sources.certify", Tool: "certify_source", Title: "Certify a source", Route: "POST /v1/brains/{brain_id}/sources/{source}/certification",
	Summary: "Say that a person has read this revision of a source and vouches for it. It holds until the source's next revision. What a program proposes here is vouched for by the person who approves it.",
	Class:   Judgement, Needs: models.MayEditDraft, Offered: Web | CLI | REST,
	Final: "what a person vouched for was said; it lapses with the next revision",
	HTTP:  HTTP{Example: `{"note":"Compared with the printed handbook of 2026."}`},
	Propose: func(_ context.Context, e *Env, in CertifyIn) (Subject, error) {
		s, c, err := toCertify(e, in)
		if err != nil {
			return Subject{}, err
		}
		in.Revision = c.Revision
		after := certified{Source: s.Code, Title: s.Title, Revision: c.Revision, Note: c.Note, By: "whoever approves this"}
		return Subject{Name: "certification of " + s.Code, After: after, Input: in}, nil
	},
	Base: func(_ context.Context, e *Env, in CertifyIn) (string, error) {
		tag, err := sourceTag(e, GetSourceIn{in.Source})
		if err != nil {
			return "", err
		}
		s, err := e.Tx.Source(in.Source)
		if err != nil {
			return "", err
		}
		c, err := e.Tx.Certification(s.ID, s.Head)
		if fault.Is(err, fault.NotFound) {
			return tag, nil
		}
		if err != nil {
			return "", err
		}
		return tag + " certified by " + c.PersonID, nil
	},
	Run: func(_ context.Context, e *Env, in CertifyIn) (models.Certification, error) {
		s, c, err := toCertify(e, in)
		if err != nil {
			return c, err
		}
		if err := e.certifier(&c); err != nil {
			return c, err
		}
		if err := anotherLooked(e, s, &c); err != nil {
			return c, err
		}
		e.changed("certified", "", s.Code+" revision "+strconv.Itoa(c.Revision)+" by "+c.By)
		return c, e.Tx.Certify(&c)
	},
}

// certified is what whoever decides on a certification is shown.
type certified struct {
	Source   string `json:"source"`
	Title    string `json:"title"`
	Revision int    `json:"revision"`
	Note     string `json:"note,omitempty"`
	By       string `json:"certified_by"`
}

// toCertify returns the source, locked, and the certification of its revision
// without who vouches.
func toCertify(e *Env, in CertifyIn) (*models.Source, models.Certification, error) {
	c := models.Certification{Note: strings.TrimSpace(in.Note), At: e.Now.Truncate(time.Microsecond)}
	s, err := sourceToChange(e, GetSourceIn{in.Source}, false)
	if err != nil {
		return nil, c, err
	}
	c.SourceID, c.Revision = s.ID, s.Head
	switch {
	case len(c.Note) > longestRationale:
		return nil, c, fault.Field("note", "A note is at most %d bytes long.", longestRationale)
	case in.Revision != 0 && in.Revision != s.Head:
		return nil, c, &fault.Error{Kind: fault.Conflict, Code: "other_revision", Field: "revision", Message: "The draft has revision " + strconv.Itoa(s.Head) + " of " + s.Code + " now. Read that one first."}
	}
	had, err := e.Tx.Certification(s.ID, s.Head)
	if err == nil {
		return nil, c, fault.New(fault.Conflict, "%s vouches for revision %d of %s already.", had.By, s.Head, s.Code).WithCode("already_certified")
	}
	if !fault.Is(err, fault.NotFound) {
		return nil, c, err
	}
	return s, c, nil
}

// certifier puts in who vouches: a human being, and one of this brain.
func (e *Env) certifier(c *models.Certification) error {
	switch {
	case e.Queued != nil: // in the transaction of a decision, which this browser made
		c.PersonID, c.By, c.Authenticated = e.Call.Visit.PersonID, e.Call.Visit.Email, true
	case e.Call.Via&(CLI|Stdio) != 0:
		if e.Call.ApprovedBy == "" {
			return fault.Field("approved_by", "Say which person vouches for it, with --approved-by EMAIL.").WithCode("approver_required")
		}
		ms, err := e.Tx.Members()
		if err != nil {
			return err
		}
		email, _ := models.CleanEmail(e.Call.ApprovedBy)
		m, err := memberOf(ms, email)
		if err != nil || m.DisabledAt != nil {
			return &fault.Error{Kind: fault.NotFound, Code: "no_such_member", Field: "approved_by", Message: "Nobody in this brain goes by that name."}
		}
		c.PersonID, c.By = m.PersonID, m.Email
	default:
		c.PersonID, c.By, c.Authenticated = e.Call.By.Person, e.Call.By.Actor, e.Call.By.Authenticated
	}
	if c.PersonID == "" {
		return errSession
	}
	return nil
}

// anotherLooked refuses that what is flagged is let through by who brought it
// in, where four eyes are on. Who vouches for what is not flagged vouches for
// nothing that was held back.
func anotherLooked(e *Env, s *models.Source, c *models.Certification) error {
	r, err := e.Tx.Revision(s.ID, c.Revision)
	if err != nil {
		return err
	}
	c.ImportedBy = r.CreatedBy
	b, err := e.Tx.ThisBrain(false)
	if err != nil || r.BroughtBy == "" || !r.Held() || !b.FourEyesAt(e.Now) {
		return err
	}
	same, err := e.Tx.SameHuman(r.BroughtBy, c.PersonID)
	if err == nil && same {
		return fault.New(fault.Forbidden, "%s brought in revision %d of %s. What was found in it is for another person to look at and certify.", c.By, c.Revision, s.Code).WithCode("own_import")
	}
	return err
}

// broughtBy returns the account that brings in a document: who asks, or at a
// terminal who says so there, if it is a member.
func broughtBy(e *Env) (string, error) {
	if e.Call.By.Person != "" || e.Call.By.Actor == "" {
		return e.Call.By.Person, nil
	}
	ms, err := e.Tx.Members()
	if err != nil {
		return "", err
	}
	email, _ := models.CleanEmail(e.Call.By.Actor)
	if m, err := memberOf(ms, email); err == nil {
		return m.PersonID, nil
	}
	return "", nil
}
