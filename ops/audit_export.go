package ops

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// A Streamed output is too large to be held: it is written as it is read.
type Streamed interface {
	ContentType() string
	Filename() string
	Stream(ctx context.Context, w io.Writer) error
}

// ExportAuditIn says which rows are exported, and how.
type ExportAuditIn struct {
	AuditFilterIn
	Format string `json:"format,omitempty" jsonschema:"jsonl, or csv" schema:"enum=jsonl|csv"`
}

// An AuditExport is the log as it was at a moment. What it is read from never
// changes, so it is read in pieces.
type AuditExport struct {
	Format   string `json:"format"`
	HeadSeq  int64  `json:"head_seq"`  // of the chain at that moment
	HeadHash string `json:"head_hash"` // hex

	at     time.Time
	brain  models.BrainID
	store  *store.Store
	filter store.AuditFilter
	moment store.AuditMoment
}

// ExportAudit gives the log out, with the head of its chain. The export itself
// is a row of the log before the first line leaves.
var ExportAudit = &Op[ExportAuditIn, *AuditExport]{
	Name: "audit.export", Title: "Export the audit log", Route: "GET /v1/brains/{brain_id}/audit/export",
	Summary: "Give the audit log out as JSON lines or CSV, in the order of its chain, with the chain's head. Each line has the link that it can be verified by.",
	Class:   Read, Needs: models.MayAudit, Offered: Web | CLI | REST, Serves: true,
	Run: func(ctx context.Context, e *Env, in ExportAuditIn) (*AuditExport, error) {
		x := &AuditExport{Format: in.Format, at: e.Now, brain: e.Call.Brain, store: e.Store()}
		if x.Format == "" {
			x.Format = "jsonl"
		}
		if x.Format != "jsonl" && x.Format != "csv" {
			return nil, fault.Field("format", "A format is jsonl or csv.")
		}
		var err error
		if x.filter, err = in.filter(); err != nil {
			return nil, err
		}
		err = x.store.InBrain(ctx, x.brain, func(tx *store.Tx) (err error) {
			x.moment, err = tx.AuditMoment()
			return err
		})
		x.HeadSeq, x.HeadHash = x.moment.Head.Seq, hex.EncodeToString(x.moment.Head.Hash)
		e.Audit.Target = x.head()
		return x, err
	},
}

func (x *AuditExport) head() string { return fmt.Sprintf("%d:%s", x.HeadSeq, x.HeadHash) }

// ContentType is the format's media type.
func (x *AuditExport) ContentType() string {
	if x.Format == "csv" {
		return "text/csv"
	}
	return "application/x-ndjson"
}

// Filename is what a browser saves it as.
func (x *AuditExport) Filename() string {
	return fmt.Sprintf("audit-%s-%s.%s", x.brain, x.at.UTC().Format("20060102-150405"), x.Format)
}

// exportBatch is how many rows are read at once.
const exportBatch = 1000

// Stream writes the export: the head, then the sealed rows in the order of the
// chain, then those that were not sealed yet. In CSV the head comes last, in the
// columns of a row's link.
func (x *AuditExport) Stream(ctx context.Context, w io.Writer) error {
	b := bufio.NewWriterSize(w, 64<<10)
	write, end := x.lines(b)
	seq, id := x.moment.Start.Seq, int64(0)
	for _, next := range []func(tx *store.Tx) ([]store.SealedRow, error){
		func(tx *store.Tx) ([]store.SealedRow, error) {
			return tx.SealedAfter(x.filter, x.moment, seq, exportBatch)
		},
		func(tx *store.Tx) ([]store.SealedRow, error) {
			return tx.UnsealedAfter(x.filter, x.moment, id, exportBatch)
		},
	} {
		for more := true; more; {
			var rows []store.SealedRow
			err := x.store.InBrain(ctx, x.brain, func(tx *store.Tx) (err error) {
				rows, err = next(tx)
				return err
			})
			if err != nil {
				return err
			}
			for i := range rows {
				if rows[i].Seq == 0 {
					id = rows[i].ID
				} else {
					seq = rows[i].Seq
				}
				if err := write(rows[i]); err != nil {
					return err
				}
			}
			more = len(rows) == exportBatch
		}
	}
	if err := end(); err != nil {
		return err
	}
	return b.Flush()
}

// lines returns what writes a row, and what ends the export, in its format.
func (x *AuditExport) lines(w *bufio.Writer) (write func(store.SealedRow) error, end func() error) {
	if x.Format == "csv" {
		c := csv.NewWriter(w)
		c.UseCRLF = true
		err := c.Write(auditColumns)
		return func(r store.SealedRow) error {
				if err == nil {
					err = c.Write(auditCells(r))
				}
				return err
			}, func() error {
				last := make([]string, len(auditColumns))
				last[0], last[1] = "head", x.head()
				if err == nil {
					err = c.Write(last)
				}
				c.Flush()
				if err == nil {
					err = c.Error()
				}
				return err
			}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(true) // as in the bytes that the chain hashes
	err := e.Encode(map[string]any{
		"polaris_audit": 1, "brain": x.brain, "exported_at": x.at.UTC(), "head": x.head(),
		"starts_after": fmt.Sprintf("%d:%x", x.moment.Start.Seq, x.moment.Start.Hash),
	})
	return func(r store.SealedRow) error {
		if err == nil {
			err = e.Encode(lineOf(r))
		}
		return err
	}, func() error { return err }
}

var auditColumns = []string{
	"seq", "hash", "id", "at", "kind", "person", "actor", "authenticated", "key_id", "surface", "operation", "class",
	"outcome", "target", "request_id", "latency_us", "detail",
}

func auditCells(r store.SealedRow) []string {
	detail, err := json.Marshal(r.Detail)
	if err != nil {
		panic("audit row: " + err.Error()) // strings and numbers always marshal
	}
	seq := ""
	if r.Seq > 0 {
		seq = strconv.FormatInt(r.Seq, 10)
	}
	cells := []string{
		seq, hex.EncodeToString(r.Hash), strconv.FormatInt(r.ID, 10), r.At.UTC().Format(time.RFC3339Nano), string(r.Kind), r.Person, r.Actor,
		strconv.FormatBool(r.Authenticated), r.KeyID, r.Surface, r.Operation, r.Class, r.Outcome, r.Target, r.RequestID,
		strconv.FormatInt(r.LatencyMicros, 10), string(detail),
	}
	for i, c := range cells {
		cells[i] = harmless(c)
	}
	return cells
}

// harmless keeps a spreadsheet from taking what somebody wrote for a formula.
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
