package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// AnswerIDIn names an answer's record.
type AnswerIDIn struct {
	ID string `json:"id"`
}

// AnswerRecord is the proof of a served answer.
type AnswerRecord struct {
	AnswerID  string          `json:"answer_id"`
	At        time.Time       `json:"served_at"`
	Actor     string          `json:"actor"`
	KeyID     string          `json:"key_id,omitempty"`
	Owner     string          `json:"owner,omitempty"` // e-mail of the person who asked, or who owns the key that did
	Surface   string          `json:"surface"`
	Latency   time.Duration   `json:"latency_ns"`
	Topics    []string        `json:"topics"`         // ids of the topic cards used
	Ignored   []string        `json:"topics_ignored"` // ids that named no card
	Envelope  models.Envelope `json:"envelope"`
	Intact    bool            `json:"intact"`               // the body has the hash in its audit row, and each quote its source's bytes
	Body      string          `json:"body"`                 // full; or hash, expired or purged: then question and answer are not kept
	Gone      string          `json:"gone,omitempty"`       // why they are not
	ChainSeq  int64           `json:"chain_seq,omitempty"`  // place in the audit chain; 0 while unsealed
	ChainHash string          `json:"chain_hash,omitempty"` // hex
	Published *models.Version `json:"version,omitempty"`
	Decided   []models.Part   `json:"decided,omitempty"` // who had a part in publishing the version
	Contexts  []Context       `json:"-"`                 // of each citation, in its order, for the page
}

// A Context is a quote in the text around it.
type Context struct{ Before, Quote, After string }

// GetAnswer shows the record of a served answer: to whoever may read records,
// and to the person or key that asked.
var GetAnswer = &Op[AnswerIDIn, *AnswerRecord]{
	Name: "answers.get", Title: "Show an answer's record", Route: "GET /v1/brains/{brain_id}/answers/{id}", Summary: "Show the record of a served answer: its quotes in their frozen revisions, who asked, and its place in the audit chain.",
	Class: Read, Needs: models.MayAsk, Offered: Web | CLI | REST,
	HTTP: HTTP{Keys: true},
	Run: func(_ context.Context, e *Env, in AnswerIDIn) (*AnswerRecord, error) {
		a, err := e.Tx.Answer(in.ID)
		if err != nil {
			return nil, err
		}
		own := a.KeyID != "" && a.KeyID == e.Call.By.KeyID || e.Call.By.KeyID == "" && a.Person != "" && a.Person == e.Call.By.Person
		// Over REST a key has the records of its own answers and no others.
		others := e.Call.By.May(models.MayReadRecords) && (e.Call.Via != REST || e.Call.By.Kind != models.KindKey)
		if !own && !others {
			return nil, store.NoAnswer
		}
		return recordOf(e.Tx, a)
	},
}

// recordOf holds a stored answer against its audit row and its sources.
func recordOf(tx *store.Tx, a *models.Answer) (*AnswerRecord, error) {
	env, unreadable := a.Envelope()
	if a.Kept != models.KeptFull {
		env, unreadable = &models.Envelope{Citations: []models.Citation{}, BrainVersion: a.Version}, nil
		env.Guardrail.Status = a.Guardrail
	}
	if unreadable != nil { // somebody changed it: the page still says what else is known
		env = &models.Envelope{Query: a.Query, Citations: []models.Citation{}}
	}
	r := &AnswerRecord{Body: a.Kept, AnswerID: a.ID, At: a.At.UTC(), Actor: a.Actor, KeyID: a.KeyID, Surface: a.Surface, Topics: []string{}, Ignored: []string{}, Envelope: *env}
	row, err := tx.AuditRow(a.AuditID)
	if fault.Is(err, fault.NotFound) {
		row, err = &models.AuditRow{}, nil // retention removed it, or somebody did: nothing speaks for the body
	}
	if err != nil {
		return nil, err
	}
	r.Latency = time.Duration(row.LatencyMicros) * time.Microsecond
	r.Topics, r.Ignored = append(r.Topics, row.Detail.TopicsUsed...), append(r.Ignored, row.Detail.TopicsIgnored...)
	if a.Person != "" {
		p, err := tx.Person(a.Person)
		if err != nil {
			return nil, err
		}
		r.Owner = p.Email
	}
	r.Intact = unreadable == nil && row.Detail.BodyHash == a.BodyHash()
	if a.Kept != models.KeptFull {
		r.Intact, r.Gone = row.Detail.BodyHash != "", gone(a)
	}
	for _, c := range env.Citations {
		ctx, same, err := contextOf(tx, c)
		if err != nil {
			return nil, err
		}
		r.Contexts = append(r.Contexts, ctx)
		r.Intact = r.Intact && same
	}
	link, err := tx.LinkOf(a.AuditID)
	if err != nil {
		return nil, err
	}
	if link.Seq > 0 {
		r.ChainSeq, r.ChainHash = link.Seq, fmt.Sprintf("%x", link.Hash)
	}
	if a.Version > 0 {
		r.Published, r.Decided, err = releasedBy(tx, a.Version)
	}
	return r, err
}

// releasedBy returns a version, and who had a part in publishing it.
func releasedBy(tx *store.Tx, n int) (*models.Version, []models.Part, error) {
	v, err := tx.Version(n)
	if err != nil {
		return nil, nil, err
	}
	vs := []models.Version{*v}
	if err := tx.Decisions(vs); err != nil || vs[0].Recommendation == "" {
		return &vs[0], nil, err
	}
	parts, err := tx.Parts(vs[0].Recommendation)
	return &vs[0], parts, err
}

// around is how many bytes of text a record shows on either side of a quote.
const around = 240

// contextOf returns the text around a citation's quote, and whether the quote
// is still what its source says there.
func contextOf(tx *store.Tx, c models.Citation) (Context, bool, error) {
	p := c.Provenance
	if c.Kind != models.CitesPassage {
		return Context{Quote: c.Quote}, true, nil
	}
	text, err := tx.TextAround(p.SourceDocPK, p.Revision, p.Start-around, p.End+around)
	if fault.Is(err, fault.NotFound) {
		return Context{Quote: c.Quote}, false, nil
	}
	if err != nil {
		return Context{}, false, err
	}
	from := max(0, p.Start-around)
	lo, hi := p.Start-from, p.End-from
	if lo < 0 || hi > len(text) || lo > hi {
		return Context{Quote: c.Quote}, false, nil
	}
	ctx := Context{Before: whole(text[:lo]), Quote: text[lo:hi], After: whole(text[hi:])}
	return ctx, ctx.Quote == c.Quote, nil
}

// whole drops the halves of characters that cutting by bytes leaves at the ends.
func whole(s string) string {
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 {
		if r, n := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || n != 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}

// AnswerList is answers of a brain, newest first.
type AnswerList struct {
	Answers []AnswerLine `json:"answers"`
	More
}

// An AnswerLine is one served answer in a list.
type AnswerLine struct {
	ID        string    `json:"answer_id"`
	At        time.Time `json:"served_at"`
	Query     string    `json:"query"`
	Guardrail string    `json:"guardrail"`
	Surface   string    `json:"surface"`
	Actor     string    `json:"actor"`
	Version   int       `json:"version"`
	Body      string    `json:"body"` // full; or hash, expired or purged: then the question is not kept
}

// AnswersIn says which answers are wanted.
type AnswersIn struct {
	Text   string `json:"text,omitempty" jsonschema:"words of the question"`
	From   string `json:"from,omitempty" jsonschema:"RFC 3339 time or date; answers from then on"`
	To     string `json:"to,omitempty" jsonschema:"RFC 3339 time or date; answers before then"`
	KeyID  string `json:"key_id,omitempty" jsonschema:"the API key that asked"`
	Source string `json:"source,omitempty" jsonschema:"id or code of a source that was cited"`

	Guardrail string `json:"guardrail,omitempty" schema:"enum=pass|disclaim|block"`
	Page
}

// ListAnswers lists served answers.
var ListAnswers = &Op[AnswersIn, AnswerList]{
	Name: "answers.list", Title: "List answers", Route: "GET /v1/brains/{brain_id}/answers", Summary: "List served answers, the newest first: by words of the question, time, key, cited source and guardrail.",
	Class: Read, Needs: models.MayReadRecords, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in AnswersIn) (AnswerList, error) {
		f := store.AnswerFilter{Text: in.Text, KeyID: in.KeyID, Guardrail: in.Guardrail}
		var err error
		if f.From, err = timeOf("from", in.From); err != nil {
			return AnswerList{}, err
		}
		if f.To, err = timeOf("to", in.To); err != nil {
			return AnswerList{}, err
		}
		if in.Source != "" {
			s, err := e.Tx.Source(in.Source)
			if err != nil {
				return AnswerList{}, err
			}
			f.Source = s.ID
		}
		as, more, err := stretch(e, in.Page, func(s store.Stretch) ([]models.Answer, error) { return e.Tx.AnswerPage(f, s) }, func(a models.Answer) store.Mark { return store.Mark{At: a.At, ID: a.ID} })
		return AnswerList{answerLines(as), more}, err
	},
}

func answerLines(as []models.Answer) []AnswerLine {
	lines := make([]AnswerLine, len(as))
	for i, a := range as {
		lines[i] = AnswerLine{a.ID, a.At.UTC(), a.Query, a.Guardrail, a.Surface, a.Actor, a.Version, a.Kept}
	}
	return lines
}

// VerifyAuditIn may name a link that was noted down before: what `bb audit
// verify` printed then, "SEQ:HASH".
type VerifyAuditIn struct {
	Head string `json:"head,omitempty"`
}

// VerifyAudit recomputes the brain's audit chain.
var VerifyAudit = &Op[VerifyAuditIn, *store.ChainReport]{
	Name: "audit.verify", Title: "Verify the audit log", Summary: "Recompute the audit chain and name what was changed, removed, reordered or inserted; with an earlier head, also what was cut off at the end.",
	Route: "GET /v1/brains/{brain_id}/audit/verification",
	Class: Read, Needs: models.MayAudit, Offered: Web | CLI | REST,
	Run: func(_ context.Context, e *Env, in VerifyAuditIn) (*store.ChainReport, error) {
		known, err := readHead(in.Head)
		if err != nil {
			return nil, err
		}
		return e.Tx.VerifyChain(known)
	},
}

// readHead reads "SEQ:HASH", or "" as the zero link.
func readHead(s string) (models.Link, error) {
	if s == "" {
		return models.Link{}, nil
	}
	seq, hash, ok := strings.Cut(s, ":")
	n, err1 := strconv.ParseInt(seq, 10, 64)
	sum, err2 := hex.DecodeString(hash)
	if !ok || err1 != nil || err2 != nil || n < 1 || len(sum) != sha256.Size {
		return models.Link{}, fault.Field("head", "A head is SEQ:HASH, as `bb audit verify` prints it: a number, a colon and 64 hexadecimal digits.")
	}
	return models.Link{Seq: n, Hash: sum}, nil
}
