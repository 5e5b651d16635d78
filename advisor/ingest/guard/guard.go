// Package guard reads documents in a child process that is limited and shut
// away, because a document comes from anywhere and what reads it may break.
//
// For each file [Extractor.Parse] and [Extractor.Expand] start this program
// again, hand it the bytes over a pipe and take back the document, or the
// reason why there is none. The child has bounds on memory, processor and wall
// time, pages and what it unpacks; the parent watches it and ends it, and all
// that it started, when it crosses one. It gets no environment, no open files
// and no working folder but an empty one. What the kernel allows is laid on
// top: namespaces of its own, in which there is no network, no other process
// and no file of this machine; Landlock where there are no namespaces; a list
// of the system calls that it may make. [Extractor.Protection] says what is in
// force here.
//
// The parent takes the child for hostile. What it sends is bounded and checked
// before anything is done with it, and whatever it does ends in a fault for
// this one document.
//
// The child's part is [ServeIfAsked], which main calls before anything else.
package guard

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"polaris/advisor/ingest"
	"polaris/advisor/ingest/archive"
	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

// Limits bound one child. A zero is the default.
type Limits struct {
	Memory int64         // bytes that the child, and what it starts, may keep in memory
	Time   time.Duration // from its start to its end; twice that of processor time
	form.Limits
}

// Defaults are the limits where nothing else is said.
var Defaults = Limits{
	Memory: 400 << 20,
	Time:   2 * time.Minute,
	Limits: form.Defaults,
}

// orDefaults fills in the defaults.
func (l Limits) orDefaults() Limits {
	l.Memory, l.Time = cmp.Or(l.Memory, Defaults.Memory), cmp.Or(l.Time, Defaults.Time)
	l.Limits = l.OrDefaults()
	return l
}

// An Extractor reads documents in children. Its fields are set before it is
// used; it is safe for concurrent use.
type Extractor struct {
	Limits Limits
	AtOnce int    // children that run at the same time; 0: one for each processor
	Cache  string // folder in which the compiled PDF engine is kept; "": it is compiled for each PDF, which takes seconds
	Inside bool   // the child never starts another program (tesseract, antiword), protected or not
	Log    *slog.Logger

	Languages string // of scans, as Tesseract names them: "eng+deu"; "": English

	exe  string   // instead of this program; for tests
	args []string // likewise
	lack lack     // likewise
	cpu  int64    // likewise: seconds of processor time, instead of what follows from Time
	own  bool     // the child stays this process's user: only where it reads nothing foreign

	once    sync.Once
	running chan struct{}
	warming sync.Mutex
	warmed  bool                   // it was tried
	filled  atomic.Pointer[string] // the cache's folder, once there is something in it
	told    sync.Once
}

// lack is what a kernel does not have, so that tests see what is done then.
type lack struct{ namespaces, mounts, landlock, seccomp bool }

// Parse reads a document as [ingest.Parse] does, in a child. Its errors are
// faults, and those of ctx.
func (e *Extractor) Parse(ctx context.Context, data []byte, o ingest.Options) (*ingest.Document, error) {
	if len(data) > ingest.MaxBytes {
		return ingest.Parse(data, o) // which says so, and looks no further
	}
	if looksLikePDF(data) {
		e.Warm(ctx)
	}
	o.Limits = e.limits().Limits
	o.Inside = e.Inside || !callsPrograms(data)
	o.Languages = e.Languages
	var d receivedDocument
	usage, err := e.run(ctx, job{Op: opParse, Options: o}, data, d.take)
	if err == nil {
		err = d.check(o)
	}
	if err != nil {
		return nil, e.explain(err, usage, data)
	}
	return e.annotate(&d.doc, usage, o), nil
}

// Expand unpacks an archive as [archive.Expand] does, in a child.
func (e *Extractor) Expand(ctx context.Context, data []byte, each func(name string, data []byte) error) ([]archive.Skipped, error) {
	if !archive.IsZIP(data) {
		return archive.Expand(data, form.Limits{}, each) // which says so, and looks no further
	}
	// Whoever takes a document may read it at once, in a child of its own, and must
	// not wait for the turn that this one has.
	outside := func(name string, data []byte) error {
		<-e.running
		defer func() { e.running <- struct{}{} }()
		return each(name, data)
	}
	r := receivedArchive{l: e.limits().Limits, each: outside, names: map[string]bool{}}
	_, err := e.run(ctx, job{Op: opExpand, Options: ingest.Options{Limits: r.l, Inside: true}}, data, r.take)
	return r.skipped, err
}

// Protection starts a child that reads nothing and returns what it is shut away
// by.
func (e *Extractor) Protection(ctx context.Context) (Protection, error) {
	u, err := e.run(ctx, job{Op: opHello}, nil, nothingElse)
	return u.protection, err
}

func (e *Extractor) limits() Limits { return e.Limits.orDefaults() }

// enter waits until a child may run, and returns what ends its turn.
func (e *Extractor) enter(ctx context.Context) (leave func(), err error) {
	e.once.Do(func() {
		n := e.AtOnce
		if n <= 0 {
			n = runtime.NumCPU()
		}
		e.running = make(chan struct{}, n)
	})
	select {
	case e.running <- struct{}{}:
		return func() { <-e.running }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (e *Extractor) log() *slog.Logger {
	if e.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Log
}

func looksLikePDF(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-"))
}

// oldWord is how files of Word before 2007 begin: an outside program reads them.
var oldWord = []byte("\xD0\xCF\x11\xE0")

// noOutside is what a reader of the warnings or the log is told where outside
// programs may not run.
const noOutside = "Outside programs (tesseract, antiword) are off: this system allows neither namespaces nor Landlock, so they could not be shut away."

// callsPrograms reports whether a document may be one that an outside program
// helps to read. The child of any other may start none.
func callsPrograms(data []byte) bool {
	return looksLikePDF(data) || bytes.HasPrefix(data, oldWord)
}

// annotate says in the document's warnings what its reading lacked.
func (e *Extractor) annotate(d *ingest.Document, u usage, o ingest.Options) *ingest.Document {
	if u.protection.Outside || o.Inside {
		return d
	}
	e.told.Do(func() { e.log().Warn(noOutside) })
	if d.MediaType == "application/pdf" && len(d.Warnings) > 0 {
		d.Warnings = append(d.Warnings, noOutside)
	}
	return d
}

// explain does the same for a refusal.
func (e *Extractor) explain(err error, u usage, data []byte) error {
	f := fault.Of(err)
	if u.protection.Version == 0 || u.protection.Outside || e.Inside || f.Kind != fault.Unsupported || !bytes.HasPrefix(data, oldWord) {
		return err
	}
	e.told.Do(func() { e.log().Warn(noOutside) })
	said := *f
	said.Message += " " + noOutside
	return &said
}

// program is what is started as a child: this very program, even if the file it
// was started from has been replaced since.
func (e *Extractor) program() (string, []string, error) {
	args := e.args
	if args == nil {
		args = []string{"bb", command, childFlag}
	}
	if e.exe != "" {
		return e.exe, args, nil
	}
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", args, nil
	}
	exe, err := os.Executable()
	return exe, args, err
}
