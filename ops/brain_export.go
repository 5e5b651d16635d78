package ops

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"polaris/models"
	"polaris/models/store"
)

// brainExportFormat is the version of what an export's members are and mean.
const brainExportFormat = 1

// A BrainExport is all of one brain at one moment, as a compressed archive. It is
// read when it is written, so nothing of it is held.
type BrainExport struct {
	Brain models.BrainID `json:"brain"`

	at    time.Time
	store *store.Store
}

// A BrainManifest is the last member of an export, manifest.json: what the others
// are. An export without it was cut off.
type BrainManifest struct {
	Format  int            `json:"polaris_brain"`
	Brain   models.BrainID `json:"brain"`
	At      time.Time      `json:"exported_at"`
	Head    string         `json:"audit_head"` // SEQ:HASH, as `bb audit verify` prints it
	Members []BrainMember  `json:"members"`
}

// A BrainMember is one file of an export.
type BrainMember struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows,omitempty"` // lines; none for a document
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // hex
}

// ExportBrain gives all of a brain out: for whoever moves it elsewhere, or is
// about to delete it. It holds no secret by which anybody gets in. That somebody
// took it is a row of the log before its first byte leaves.
var ExportBrain = &Op[None, *BrainExport]{
	Name: "brains.export", Title: "Export a brain", Route: "GET /v1/brains/{brain_id}/export",
	Summary: "Give a whole brain out as one archive, as it is at one moment: documents, revisions, passages, cards, versions, recommendations, answers, members and the audit log, with a manifest of hashes. Only a person does it.",
	Class:   Read, Needs: models.MayMembers, Offered: Web | CLI | REST, Serves: true,
	Run: func(ctx context.Context, e *Env, _ None) (*BrainExport, error) {
		e.Audit.Target = string(e.Call.Brain)
		if e.Call.Via == REST { // all that a brain has leaves by no program's token
			return nil, errSession
		}
		if _, err := e.Store().Brain(ctx, e.Call.Brain); err != nil {
			return nil, err
		}
		return &BrainExport{e.Call.Brain, e.Now, e.Store()}, nil
	},
}

// ExportBrainType is the media type of an export, a compressed archive.
const ExportBrainType = "application/gzip"

// ContentType is [ExportBrainType].
func (x *BrainExport) ContentType() string { return ExportBrainType }

// Filename is what a browser saves it as.
func (x *BrainExport) Filename() string {
	return fmt.Sprintf("brain-%s-%s.tar.gz", x.Brain, x.at.UTC().Format("20060102-150405"))
}

// Stream writes the archive.
func (x *BrainExport) Stream(ctx context.Context, w io.Writer) error {
	z := gzip.NewWriter(w)
	a := &packer{tar: tar.NewWriter(z), m: BrainManifest{Format: brainExportFormat, Brain: x.Brain, At: x.at.UTC(), Members: []BrainMember{}}}
	err := x.store.InSnapshot(ctx, x.Brain, func(tx *store.Tx) error {
		for _, part := range store.Extracts() {
			if err := a.spooled(part.Name+".jsonl", func(w io.Writer) (int, error) { return tx.Extract(part, w) }); err != nil {
				return err
			}
		}
		if err := a.spooled("audit.jsonl", func(w io.Writer) (int, error) { return a.audit(tx, w) }); err != nil {
			return err
		}
		return tx.Documents(func(sum, b []byte) error {
			return a.add("documents/"+hex.EncodeToString(sum), b)
		})
	})
	if err != nil {
		return err
	}
	m, err := json.MarshalIndent(a.m, "", "  ")
	if err != nil {
		return err
	}
	if err := a.put("manifest.json", int64(len(m)), func(w io.Writer) error { _, err := w.Write(m); return err }); err != nil {
		return err
	}
	if err := a.tar.Close(); err != nil {
		return err
	}
	return z.Close()
}

// A packer is an export that is being written.
type packer struct {
	tar *tar.Writer
	m   BrainManifest
}

func (a *packer) put(name string, size int64, write func(w io.Writer) error) error {
	if err := a.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: a.m.At}); err != nil {
		return err
	}
	return write(a.tar)
}

// add writes a document.
func (a *packer) add(name string, b []byte) error {
	sum := sha256.Sum256(b)
	a.m.Members = append(a.m.Members, BrainMember{Name: name, Bytes: int64(len(b)), SHA256: hex.EncodeToString(sum[:])})
	return a.put(name, int64(len(b)), func(w io.Writer) error { _, err := w.Write(b); return err })
}

// spooled writes lines. An archive says how long a member is before it comes, so
// they are put into a file first, which no name leads to.
func (a *packer) spooled(name string, lines func(w io.Writer) (int, error)) error {
	f, err := os.CreateTemp("", ".bb-export-*") // 0600
	if err != nil {
		return err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := lines(io.MultiWriter(f, sum))
	if err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	a.m.Members = append(a.m.Members, BrainMember{name, n, size, hex.EncodeToString(sum.Sum(nil))})
	return a.put(name, size, func(w io.Writer) error { _, err := io.Copy(w, f); return err })
}

// audit writes the log as `bb audit export` does, so that it can be verified by
// itself.
func (a *packer) audit(tx *store.Tx, w io.Writer) (n int, err error) {
	at, err := tx.AuditMoment()
	if err != nil {
		return 0, err
	}
	a.m.Head = fmt.Sprintf("%d:%x", at.Head.Seq, at.Head.Hash)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(true) // as in the bytes that the chain hashes
	seq, id := at.Start.Seq, int64(0)
	for sealed := true; ; {
		var rows []store.SealedRow
		if sealed {
			rows, err = tx.SealedAfter(store.AuditFilter{}, at, seq, exportBatch)
		} else {
			rows, err = tx.UnsealedAfter(store.AuditFilter{}, at, id, exportBatch)
		}
		if err != nil {
			return n, err
		}
		for _, r := range rows {
			if seq, id = r.Seq, r.ID; !sealed {
				seq = at.Head.Seq
			}
			if err := enc.Encode(lineOf(r)); err != nil {
				return n, err
			}
			n++
		}
		switch {
		case len(rows) == exportBatch:
		case sealed:
			sealed, id = false, 0
		default:
			return n, nil
		}
	}
}
