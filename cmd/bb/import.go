package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

type importCmd struct {
	brainFlag
	dryFlag
	Paths         []string `arg:"" name:"path" help:"Files, folders, patterns, ZIP archives or http(s) addresses to read."`
	Crawl         bool     `help:"Follow the links of the one address, on its own host and below its folder."`
	Sitemap       bool     `help:"Read what the sitemap of the one address's site names."`
	MaxPages      *int     `help:"Of a crawl or sitemap, at most 500. Default: 50."`
	MaxBytes      *int64   `help:"Of a crawl, all documents together. Default: 256 MiB."`
	Title         string   `help:"Default: the document's own."`
	Code          string   `help:"Prefix of its citation keys. Default: proposed from the title."`
	Jurisdiction  string   `help:"Where it applies."`
	OriginURL     string   `name:"origin-url" help:"Where it was taken from."`
	Cites         string   `help:"What its section numbers belong to, such as '15 U.S.C.', where the text does not say." placeholder:"BASE"`
	Owner         string   `help:"Who answers for it."`
	ReviewBy      string   `help:"When somebody is to look at it again." placeholder:"YYYY-MM-DD"`
	EffectiveFrom string   `help:"The first day on which it holds." placeholder:"YYYY-MM-DD"`
	EffectiveTo   string   `help:"The last day on which it holds." placeholder:"YYYY-MM-DD"`
	Supersedes    string   `help:"Code of the source that it takes the place of." placeholder:"CODE"`
	Sync          bool     `help:"Import what is new or changed in a folder, and tell what has vanished from it."`
}

// usualPages is how many pages of a site are read where nobody says.
const usualPages = 50

// Run stages the documents and reads them, with the workers of a server that
// runs beside it, if one does. A document that fails does not stop the others;
// the exit status says that one did.
func (i *importCmd) Run(ctx context.Context, c *console) error {
	if err := i.together(); err != nil {
		return err
	}
	d, call, err := c.at(ctx, i.BrainID)
	if err != nil {
		return err
	}
	defer d.Close()
	defer d.sealQuietly(ctx, i.BrainID)
	r := &importRun{c: c, d: d, call: call, facts: i.input()}
	if i.Sync {
		if c.root.rehearse {
			return fault.New(fault.Invalid, "--sync asks before it removes anything; it has no dry run.")
		}
		return i.step(ctx, r)
	}
	files, err := i.addresses(&r.facts)
	if err != nil {
		return err
	}
	paths, err := r.find(files)
	if err != nil {
		return err
	}
	r.single = len(paths)+len(r.facts.URLs) == 1
	if !r.single && (i.Title != "" || i.Code != "") {
		return fault.New(fault.Invalid, "--title and --code are for one file.")
	}
	if c.root.rehearse {
		return r.rehearse(ctx, paths)
	}
	if err := r.stage(ctx, paths); err != nil {
		return err
	}
	return r.finish(ctx)
}

// together refuses flags that would do nothing beside the others: who bounds
// what is fetched is not to learn afterwards that nothing was bounded.
func (i *importCmd) together() error {
	switch site := i.Crawl || i.Sitemap; {
	case site && i.Sync:
		return fault.New(fault.Invalid, "--sync is for a folder, --crawl and --sitemap are for a site. Give one of them.")
	case !site && (i.MaxPages != nil || i.MaxBytes != nil):
		return fault.New(fault.Invalid, "--max-pages and --max-bytes bound what is fetched of a site. They go with --crawl or --sitemap.")
	case i.Sitemap && i.MaxBytes != nil:
		return fault.New(fault.Invalid, "--max-bytes bounds a crawl. What is read of a sitemap is bounded by --max-pages.")
	}
	return nil
}

// rehearse says of each file what importing it would change.
func (r *importRun) rehearse(ctx context.Context, files []found) error {
	if len(r.facts.URLs) > 0 || r.facts.Crawl != nil {
		return fault.New(fault.Invalid, "A dry run fetches nothing from other servers. Give it files.")
	}
	for _, f := range files {
		data, err := readDocument(f.path, r.d.Settings.MaxUpload)
		if err == nil {
			in := ops.ImportSourceIn{Name: f.name, Title: r.facts.Title, Code: r.facts.Code, Data: data, SourceFacts: r.facts.SourceFacts}
			_, err = perform(ctx, r.c, r.d, r.call, ops.ImportSource, in)
		}
		x, ok := asRehearsed(err)
		switch {
		case ok:
			err = r.c.print(x, func(w io.Writer) { printRehearsal(w, x) })
			if err != nil {
				return err
			}
		case len(files) == 1:
			return about(f.path, err)
		default:
			r.miss(f.path, fault.Of(err).Message)
		}
	}
	return r.outcome(len(files))
}

// step brings the draft into step with a folder.
func (i *importCmd) step(ctx context.Context, r *importRun) error {
	if _, err := os.Stat(i.Paths[0]); errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Invalid, "There is no folder %s.", i.Paths[0])
	}
	if st, err := os.Stat(i.Paths[0]); len(i.Paths) != 1 || err != nil || !st.IsDir() || i.Title != "" || i.Code != "" {
		return fault.New(fault.Invalid, "--sync is for one folder, without --title and --code.")
	}
	diff, files, err := r.sync(ctx, i.Paths[0])
	if err != nil {
		return err
	}
	if err := r.stage(ctx, files); err != nil {
		return err
	}
	failed := r.finish(ctx)
	if !r.c.root.JSON {
		fmt.Fprintf(r.c.out, "%d new, %d changed, %d unchanged, %d vanished\n", len(diff.New), len(diff.Changed), diff.Unchanged, len(diff.Vanished))
	} else if err := json.NewEncoder(r.c.out).Encode(diff); err != nil {
		return err
	}
	if err := r.vanished(ctx, diff); err != nil {
		return err
	}
	return failed
}

func (i *importCmd) input() ops.StartImportIn {
	return ops.StartImportIn{Title: i.Title, Code: i.Code, SourceFacts: ops.SourceFacts{
		Jurisdiction: i.Jurisdiction, OriginURL: i.OriginURL, Cites: i.Cites, Owner: i.Owner, Supersedes: i.Supersedes,
		ReviewBy: models.Date(i.ReviewBy), EffectiveFrom: models.Date(i.EffectiveFrom), EffectiveTo: models.Date(i.EffectiveTo),
	}}
}

// addresses takes the addresses out of the arguments, and returns the files.
func (i *importCmd) addresses(in *ops.StartImportIn) (files []string, err error) {
	var urls []string
	for _, p := range i.Paths {
		if before, _, ok := strings.Cut(p, "://"); ok && before != "" && !strings.ContainsAny(before, "/.") {
			urls = append(urls, p) // of whatever scheme; the wrong one is told as such
		} else {
			files = append(files, p)
		}
	}
	switch {
	case !i.Crawl && !i.Sitemap:
		in.URLs = urls
	case i.Crawl && i.Sitemap || len(urls) != 1 || len(files) > 0:
		return nil, fault.New(fault.Invalid, "--crawl or --sitemap goes with one address and nothing else.")
	default:
		in.Crawl = &ops.CrawlIn{URL: urls[0], Crawl: models.Crawl{MaxPages: usualPages, Sitemap: i.Sitemap}}
		if i.MaxPages != nil {
			in.Crawl.MaxPages = *i.MaxPages
		}
		if i.MaxBytes != nil {
			in.Crawl.MaxBytes = *i.MaxBytes
		}
	}
	return files, nil
}

// An importRun is one use of the command.
type importRun struct {
	c      *console
	d      *opened
	call   ops.Call
	facts  ops.StartImportIn
	id     string // of the import, once something was staged
	failed int
	unread int   // of them those that could not be read here
	single bool  // one document was asked for
	alone  error // why it failed
}

// A found file has the name by which it was asked for, and the one that the
// source is to have.
type found struct {
	path, name string
	code       string // of the source that it is a revision of; empty: not known
}

// find lists the files that the arguments mean, each once: a folder's in the
// order of their names, without those that begin with a dot.
func (r *importRun) find(args []string) (all []found, err error) {
	seen := map[string]bool{}
	add := func(path, name string) {
		if !seen[path] {
			seen[path] = true
			all = append(all, found{path: path, name: printableName(name)})
		}
	}
	for _, a := range args {
		paths := []string{a}
		if _, err := os.Stat(a); errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(a, "*?[") {
			if paths, err = filepath.Glob(a); err != nil || len(paths) == 0 {
				return nil, fault.New(fault.Invalid, "No file fits %s.", a)
			}
		}
		for _, p := range paths {
			st, err := os.Stat(p)
			if err != nil || !st.IsDir() {
				add(p, filepath.Base(p)) // what cannot be read is said file by file
				continue
			}
			r.under(p, add)
		}
	}
	if len(all) == 0 && len(r.facts.URLs) == 0 && r.facts.Crawl == nil {
		return nil, fault.New(fault.Invalid, "There is no file to import in %s.", strings.Join(args, ", "))
	}
	return all, nil
}

// under lists the files of a folder and of those in it. What is there and is not
// read is told: a folder that cannot be opened as a failure, a link or a pipe in
// a line.
func (r *importRun) under(folder string, add func(path, name string)) {
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error { // it returns no error
		switch {
		case err != nil:
			r.unread++
			r.miss(path, fmt.Sprintf("The folder cannot be read: %v.", errors.Unwrap(err)))
			return nil
		case path != folder && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return filepath.SkipDir
			}
		case e.Type().IsRegular():
			if name, err := filepath.Rel(folder, path); err == nil {
				add(path, filepath.ToSlash(name))
			}
		case e.Type()&fs.ModeSymlink != 0:
			r.c.notice("bb: %s", oneLine(path+": a link, which is not followed. Give its target by itself."))
		case !e.IsDir():
			r.c.notice("bb: %s", oneLine(path+": no file but a pipe or a device, which is not read."))
		}
		return nil
	})
}

// printableName is a file's name as it can be kept: file systems take any bytes,
// and paths of any length.
func printableName(name string) string {
	name = strings.ToValidUTF8(name, "\ufffd")
	if cut := len(name) - longestName; cut > 0 {
		name = strings.ToValidUTF8(name[cut:], "")
	}
	return name
}

// longestName is how many bytes of a name are kept, from its end.
const longestName = 1000

// What is staged at once, so that a folder of any size goes through memory in
// pieces.
const (
	stagedFiles = 200
	stagedBytes = 32 << 20
)

// stage hands the files over. Those that cannot be read are told at once.
func (r *importRun) stage(ctx context.Context, files []found) error {
	in, size := r.facts, 0
	send := func() error {
		if len(in.Files)+len(in.URLs) == 0 && in.Crawl == nil {
			return nil
		}
		in.Import = r.id
		v, err := ops.Do(ctx, r.d.Desk, r.call, ops.StartImport, in)
		if err != nil {
			return err
		}
		r.id, in.Files, in.URLs, in.Crawl, size = v.ID, nil, nil, nil, 0
		return nil
	}
	for _, f := range files {
		data, err := readDocument(f.path, r.d.Settings.MaxUpload)
		if err != nil {
			if r.single {
				return about(f.path, err)
			}
			r.unread++
			r.miss(f.path, fault.Of(err).Message)
			continue
		}
		if len(in.Files) == stagedFiles || size > 0 && size+len(data) > stagedBytes {
			if err := send(); err != nil {
				return err
			}
		}
		in.Files, size = append(in.Files, ops.ImportFile{Name: f.name, Code: f.code, Data: data}), size+len(data)
	}
	return send()
}

// miss says that a file is not imported.
func (r *importRun) miss(name, why string) {
	r.failed++
	if r.single {
		r.alone = about(name, fault.New(fault.Unreadable, "%s", why))
		return
	}
	if strings.HasPrefix(why, name) {
		r.c.notice("bb: %s", oneLine(why))
		return
	}
	r.c.notice("bb: %s", oneLine(name+": "+why))
}

// finish reads what was staged, and tells what becomes of each document as it
// does.
func (r *importRun) finish(ctx context.Context) error {
	if r.id == "" {
		return r.outcome(0)
	}
	workers, err := r.d.Work(ctx, r.d.workers)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handBackWithin)
		defer cancel()
		if err := workers.Stop(ctx); err != nil {
			r.d.Log.Debug("what was being read is handed back later", "error", err)
		}
	}()
	told := map[int]bool{}
	for {
		v, err := ops.Do(ctx, r.d.Desk, r.call, ops.GetImport, ops.ImportIDIn{ID: r.id})
		if err != nil {
			return r.interrupted(ctx, err)
		}
		for _, it := range v.Items {
			if !it.State.Open() && !told[it.N] {
				told[it.N] = true
				if err := r.tell(it); err != nil {
					return err
				}
			}
		}
		r.progress(v)
		if !v.Running() {
			r.clear()
			return r.outcome(v.Total)
		}
		select {
		case <-ctx.Done():
			return r.interrupted(ctx, ctx.Err())
		case <-time.After(lookEvery):
		}
	}
}

const (
	lookEvery      = 100 * time.Millisecond
	handBackWithin = 10 * time.Second
)

// interrupted says how what was begun goes on.
func (r *importRun) interrupted(ctx context.Context, err error) error {
	r.clear()
	if ctx.Err() == nil {
		return err
	}
	return fault.New(fault.Unavailable, "Interrupted. The import %s goes on where a server runs, or with the next `bb import`.", r.id)
}

// tell prints what became of a document.
func (r *importRun) tell(it models.ImportItem) error {
	if r.c.root.JSON {
		if it.State == models.ItemFailed || it.State == models.ItemCancelled {
			r.miss(it.Name, it.Reason)
		}
		return json.NewEncoder(r.c.out).Encode(it)
	}
	name := oneLine(it.Name)
	r.clear()
	switch it.State {
	case models.ItemFailed:
		r.miss(it.Name, it.Reason)
	case models.ItemCancelled:
		r.miss(it.Name, "its import was cancelled.")
	case models.ItemUnchanged:
		fmt.Fprintf(r.c.out, "%s: unchanged, revision %d of %s (%s)\n", name, it.Revision, it.Code, it.Title)
	case models.ItemFetched:
		if it.Crawl != nil {
			fmt.Fprintf(r.c.out, "%s: %s\n", name, it.Reason)
		}
	case models.ItemUnpacked:
		fmt.Fprintf(r.c.out, "%s: an archive. %s\n", name, it.Reason)
	case models.ItemWaits:
		fmt.Fprintf(r.c.out, "%s: waits for another person, recommendation %s\n", name, it.Recommendation)
	default:
		fmt.Fprintf(r.c.out, "%s: %s, revision %d of %s (%s), %s\n", name, it.Status, it.Revision, it.Code, it.Title, counted(it.Passages, "passage"))
	}
	for _, w := range it.Warnings {
		fmt.Fprintln(r.c.out, "  warning: "+oneLine(w))
	}
	if it.State == models.ItemHeld {
		fmt.Fprintf(r.c.out, "  held: %s; it is not published until a curator has certified it\n", counted(it.Flags, "flag"))
		fmt.Fprintf(r.c.out, "  look at its page, or with bb extract, and then: bb source certify %s --approved-by EMAIL --brain-id %s\n", it.Code, r.call.Brain)
	}
	for _, a := range it.CardsAffected {
		fmt.Fprintf(r.c.out, "  card %s: its anchor %s %s\n", a.Card, a.Anchor, affectedWords(a))
	}
	return nil
}

// affectedWords says what became of an anchor.
func affectedWords(a models.AffectedCard) string {
	switch a.Status {
	case ops.Lost:
		return "is gone"
	case ops.Moved:
		return "moved to " + a.To
	}
	return "has another text"
}

// progress keeps a line on a terminal up to date.
func (r *importRun) progress(v ops.ImportView) {
	if r.c.root.JSON || !isTerminal(r.c.err) || !v.Running() {
		return
	}
	fmt.Fprintf(bare(r.c.err), "\r%d of %d read, %d being read", v.Total-v.Counts[models.ItemQueued]-v.Counts[models.ItemReading], v.Total, v.Counts[models.ItemReading])
}

// bare is a terminal that takes control characters, of ours alone.
func bare(w io.Writer) io.Writer {
	if p, ok := w.(*printable); ok {
		return p.w
	}
	return w
}

// clear takes that line away.
func (r *importRun) clear() {
	if !r.c.root.JSON && isTerminal(r.c.err) {
		fmt.Fprint(bare(r.c.err), "\r"+strings.Repeat(" ", 60)+"\r")
	}
}

// outcome is an error where a document was not imported.
func (r *importRun) outcome(items int) error {
	switch {
	case r.failed == 0:
		return nil
	case r.alone != nil:
		return r.alone
	}
	return fault.New(fault.Conflict, "%d of %d files were not imported.", r.failed, items+r.unread)
}
