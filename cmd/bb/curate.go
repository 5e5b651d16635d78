package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

// about names the file that a document's fault is about, unless it does so
// already.
func about(path string, err error) error {
	f := fault.Of(err)
	if f.Kind == fault.Internal || f.Field != "" || strings.Contains(f.Message, path) {
		return err
	}
	named := *f
	named.Message = path + ": " + f.Message
	return &named
}

// readDocument reads a file of at most so many bytes.
func readDocument(path string, most int64) ([]byte, error) {
	if strings.ContainsRune(path, '\ufffd') {
		// The arguments come as valid UTF-8, so it is not known what it is called.
		if _, err := os.Lstat(path); err != nil {
			return nil, fault.New(fault.Invalid, "The name %s is not UTF-8. Rename the file, or import the folder that it is in.", path)
		}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // what has become a pipe meanwhile holds nobody up
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Invalid, "There is no file %s.", path)
	case errors.Is(err, syscall.ENXIO): // a socket
		return nil, noFile(path)
	case err != nil:
		return nil, fault.New(fault.Invalid, "%s cannot be read: %v.", path, errors.Unwrap(err))
	}
	defer func() { _ = f.Close() }()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, noFile(path)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, fault.New(fault.Invalid, "%s cannot be read: %v.", path, errors.Unwrap(err))
	case int64(len(data)) > most:
		return nil, fault.New(fault.TooLarge, "%s is over %d bytes (POLARIS_MAX_UPLOAD_BYTES). Split it, or save it smaller.", path, most)
	}
	return data, nil
}

func noFile(path string) error {
	return fault.New(fault.Invalid, "%s is no file but a folder, a pipe or a device. Give the path of a document.", path)
}

type sourceCmd struct {
	List    sourceListCmd    `cmd:"" help:"List the draft's sources. Example: bb source list --brain-id calliope"`
	Show    sourceShowCmd    `cmd:"" help:"Show a source of the draft: its file, language, dates, and where its cross-references lead. Example: bb source show HB --brain-id calliope"`
	Remove  sourceRemoveCmd  `cmd:"" help:"Take a source out of the draft; versions keep it. Example: bb source remove HB --brain-id calliope"`
	Restore sourceRestoreCmd `cmd:"" help:"Put a removed source back into the draft. Example: bb source restore HB --brain-id calliope"`
	Purge   sourcePurgeCmd   `cmd:"" help:"Ask that every text of a source goes for good, from all versions, on a court's order or for personal data. Another person decides. Example: bb source purge HB --reason 'Order 3 O 12/26' --brain-id calliope"`
	Purged  sourcePurgedCmd  `cmd:"" help:"List what was purged. With --json it is what bb restore --purged takes. Example: bb source purged --brain-id calliope --json > purged.json"`
	Update  sourceUpdateCmd  `cmd:"" help:"Change what is said of a source: title, owner, review date, effective dates. Example: bb source update HB --owner Legal --review-by 2027-06-30 --brain-id calliope"`
	Diff    sourceDiffCmd    `cmd:"" help:"Show what differs between two revisions of a source, and which topic cards feel it. Example: bb source diff HB --brain-id calliope"`
	Refs    sourceRefsCmd    `cmd:"" help:"List the draft's broken cross-references. Example: bb source refs HB --brain-id calliope"`
	Certify sourceCertifyCmd `cmd:"" help:"Record that a person vouches for the draft's revision of a source. Example: bb source certify HB --note 'Compared with the printed one' --approved-by ada@example.org --brain-id calliope"`
}

type sourceRemoveCmd struct {
	brainFlag
	dryFlag
	Source string `arg:"" help:"Its code or id."`
}

// Run removes the source.
func (s *sourceRemoveCmd) Run(ctx context.Context, c *console) error {
	if _, err := do(ctx, c, s.BrainID, ops.RemoveSource, ops.GetSourceIn{Source: s.Source}); err != nil {
		return err
	}
	return c.print(map[string]string{"removed": s.Source}, func(w io.Writer) {
		fmt.Fprintf(w, "Source %s is no longer in the draft. Versions that hold it stay as they are.\n", s.Source)
	})
}

type sourceRestoreCmd struct {
	brainFlag
	dryFlag
	Source string `arg:"" help:"Its code or id."`
}

// Run puts the source back.
func (s *sourceRestoreCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, s.BrainID, ops.RestoreSource, ops.GetSourceIn{Source: s.Source})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) { fmt.Fprintf(w, "Source %s (%s) is in the draft again.\n", out.Code, out.Title) })
}

type sourceListCmd struct{ brainFlag }

// Run lists the sources.
func (s *sourceListCmd) Run(ctx context.Context, c *console) error {
	out, err := whole(ctx, c, s.BrainID, ops.ListSources)
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		t := table(w, "CODE", "TITLE", "REVISION", "LANGUAGE", "IMPORTED BY", "LOOK AT")
		for _, s := range out.Sources {
			t.row(s.Code, s.Title, s.Head, out.Languages[s.ID], s.CreatedBy, lookAt(out, s.ID))
		}
		t.Flush()
	})
}

// lookAt says what about a source wants a curator's eye.
func lookAt(l ops.SourceList, id string) string {
	var all []string
	if n := l.Held[id]; n > 0 {
		all = append(all, "held: "+counted(n, "flag"))
	}
	if n := l.Warnings[id]; n > 0 {
		all = append(all, counted(n, "warning"))
	}
	if slices.ContainsFunc(l.Suspended, func(s models.Suspension) bool { return s.SourceID == id }) {
		all = append(all, "suspended")
	}
	return strings.Join(all, ", ")
}

type cardCmd struct {
	Save   cardSaveCmd   `cmd:"" help:"Make or replace a topic card from JSON {id?, label, covers, anchors}. Example: bb card save declined.json --brain-id calliope"`
	List   cardListCmd   `cmd:"" help:"List the draft's topic cards. Example: bb card list --brain-id calliope"`
	Delete cardDeleteCmd `cmd:"" help:"Remove a topic card from the draft. Example: bb card delete fees-we-may-charge --brain-id calliope"`
}

type cardSaveCmd struct {
	brainFlag
	dryFlag
	File string `arg:"" help:"JSON file, or - for standard input."`
}

// Run saves the card.
func (s *cardSaveCmd) Run(ctx context.Context, c *console) error {
	raw, err := c.fileOrStdin(s.File)
	if err != nil {
		return err
	}
	var in ops.SaveCardIn
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return fault.New(fault.Invalid, "%s is no topic card: %v.", s.File, err)
	}
	out, err := do(ctx, c, s.BrainID, ops.SaveCard, in)
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Card %s %s, %d anchors.\n", out.Card.ID, map[bool]string{true: "made", false: "replaced"}[out.New], len(out.Card.Anchors))
		if len(out.Unsupportable) > 0 {
			fmt.Fprintf(w, "The draft has no text for: %s\n", strings.Join(out.Unsupportable, "; "))
		}
	})
}

func (c *console) fileOrStdin(path string) ([]byte, error) {
	if path != "-" {
		return readDocument(path, 1<<20)
	}
	b, err := c.readAll(1 << 20)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Standard input could not be read: %v.", err)
	}
	return b, nil
}

type cardListCmd struct{ brainFlag }

// Run lists the cards.
func (l *cardListCmd) Run(ctx context.Context, c *console) error {
	out, err := whole(ctx, c, l.BrainID, ops.ListCards)
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		t := table(w, "ID", "LABEL", "ANCHORS")
		for _, k := range out.Cards {
			t.row(k.ID, k.Label, strings.Join(k.Anchors, "; "))
		}
		t.Flush()
	})
}

type cardDeleteCmd struct {
	brainFlag
	dryFlag
	ID string `arg:"" help:"The card's id."`
}

// Run deletes the card.
func (d *cardDeleteCmd) Run(ctx context.Context, c *console) error {
	if _, err := do(ctx, c, d.BrainID, ops.DeleteCard, ops.CardIDIn{ID: d.ID}); err != nil {
		return err
	}
	return c.print(map[string]string{"deleted": d.ID}, func(w io.Writer) { fmt.Fprintf(w, "Card %s is deleted from the draft.\n", d.ID) })
}

type publishCmd struct {
	brainFlag
	dryFlag
	Notes string `help:"What changed."`
}

// Run publishes the draft.
func (p *publishCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, p.BrainID, ops.PublishVersion, ops.PublishIn{Notes: p.Notes})
	if q, waits := ops.AsWaiting(err); waits {
		held, err := p.leftOut(ctx, c, q.ID)
		if err != nil {
			return err
		}
		return c.print(q, func(w io.Writer) {
			fmt.Fprintln(w, "Nothing is published yet. The draft is frozen as it is now; what answers changes when another person approves.")
			printHeld(w, held)
			printQueued(w, q)
			if q.ID != "" {
				fmt.Fprintf(w, "Take it back with `bb recommendation withdraw %s --brain-id %s`.\n", q.ID, p.BrainID)
			}
		})
	}
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Version %d of %s is published: %s, %s, %s.\n", out.Version, p.BrainID,
			counted(out.Sources, "source"), counted(out.Passages, "passage"), counted(out.Cards, "card"))
		printHeld(w, out.Held)
		if out.FourEyes == models.FourEyesOff {
			fmt.Fprintln(w, "Four eyes are off: nobody else looked at it. The version and the audit log say so.")
		}
	})
}

// leftOut returns what a publish that waits leaves out, as it was frozen.
func (p *publishCmd) leftOut(ctx context.Context, c *console, id string) ([]models.HeldSource, error) {
	if id == "" || c.root.JSON {
		return nil, nil
	}
	rec, err := do(ctx, c, p.BrainID, ops.GetRecommendation, ops.RecommendationIDIn{ID: id})
	if err != nil {
		return nil, err
	}
	var frozen struct {
		Held []models.HeldSource `json:"held"`
	}
	return frozen.Held, json.Unmarshal(rec.After, &frozen)
}

func printHeld(w io.Writer, held []models.HeldSource) {
	for _, h := range held {
		fmt.Fprintf(w, "Held: revision %d of %s (%s), %s; %s.\n", h.Revision, h.Code, h.Title, counted(h.Flags, "flag"), staying(h))
	}
}

type versionCmd struct {
	List    versionListCmd    `cmd:"" help:"List published versions. Example: bb version list --brain-id calliope"`
	Show    versionShowCmd    `cmd:"" help:"Show what a version froze. Example: bb version show 1 --brain-id calliope"`
	Diff    versionDiffCmd    `cmd:"" help:"Show what differs between two versions, or between the published one and the draft. Example: bb version diff 1 2 --brain-id calliope"`
	Restore versionRestoreCmd `cmd:"" help:"Publish what an earlier version held as a new version. Example: bb version restore 1 --brain-id calliope"`
}

type versionListCmd struct{ brainFlag }

// Run lists the versions.
func (v *versionListCmd) Run(ctx context.Context, c *console) error {
	out, err := whole(ctx, c, v.BrainID, ops.ListVersions)
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		t := table(w, "VERSION", "PUBLISHED", "BY", "SOURCES", "CARDS", "FOUR EYES", "NOTES")
		for _, v := range out.Versions {
			t.row(v.N, minute(v.PublishedAt), v.PublishedBy, len(v.Manifest.Sources), len(v.Manifest.Cards), cmp.Or(v.FourEyes, "on"), v.Notes)
		}
		t.Flush()
	})
}

type versionShowCmd struct {
	brainFlag
	N int `arg:"" help:"Its number."`
}

// Run shows the version.
func (v *versionShowCmd) Run(ctx context.Context, c *console) error {
	out, err := do(ctx, c, v.BrainID, ops.GetVersion, ops.GetVersionIn{N: v.N})
	if err != nil {
		return err
	}
	return c.print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Version %d, published %s by %s\nengine %s\nmanifest %x\n", out.N, minute(out.PublishedAt), out.PublishedBy, out.Engine, out.Hash)
		t := table(w, "CODE", "TITLE", "REVISION", "SHA-256")
		for _, s := range out.Manifest.Sources {
			t.row(s.Source.Code, s.Source.Title, s.Revision, fmt.Sprintf("%.8x…", s.SHA256))
		}
		t.Flush()
	})
}
