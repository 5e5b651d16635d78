package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"polaris/models/fault"
)

const (
	command   = "extract" // with childFlag: the child's mode of this program
	childFlag = "--child"
	mark      = "BB_EXTRACT_CHILD" // set in the child's environment, which holds little else
	childUser = 65534              // as whom root's children run: nobody

	watchEvery = 10 * time.Millisecond // how often a child's memory is looked at
	dying      = 2 * time.Second       // how long a child may take to end once nothing is expected of it
	mostStderr = 16 << 10              // of what it writes to standard error
	roomy      = 16 << 20              // bytes of a document for which this process gives back what it can
)

// usage is what a child took, as far as it was seen.
type usage struct {
	protection Protection
	peak       int64 // bytes of memory, with what it started
	took       time.Duration
}

// A run is one child from its start to its end.
type run struct {
	e      *Extractor
	limits Limits
	cpu    int64 // seconds of processor time that it may take
	took   time.Time
	cmd    *exec.Cmd
	alone  bool     // it may start no other program
	in     *os.File // the child's standard input
	out    *os.File // its standard output
	err    *os.File // its standard error
	usage  usage

	mu    sync.Mutex
	gone  bool  // it has been waited for: its number may be another's
	cause error // why it was ended; nil: it was not
	ended chan struct{}
	state *os.ProcessState

	stderr bytes.Buffer
	drains sync.WaitGroup
}

// run does a job in a child: it sends the bytes, and hands what comes back to
// take until the child says that this is all. Whatever the child does, run
// returns, with the limits' times as the longest, and leaves nothing behind.
func (e *Extractor) run(ctx context.Context, j job, data []byte, take func(kind byte, payload []byte) error) (usage, error) {
	leave, err := e.enter(ctx)
	if err != nil {
		return usage{}, err
	}
	defer leave()
	if len(data) >= roomy {
		// What else its coming took, a body, base64, a row of a table, is garbage by
		// now, and the child needs the room.
		debug.FreeOSMemory()
		defer debug.FreeOSMemory()
	}
	r := &run{e: e, limits: e.limits(), ended: make(chan struct{}), took: time.Now()}
	sweepSometimes()
	scratch, remove, err := workFolder()
	if err != nil {
		return usage{}, cannotStart(err)
	}
	defer remove()
	j.Scratch, j.Inside = scratch, e.Inside || j.Options.Inside
	r.alone = j.Inside
	j.Memory, j.Data = r.limits.Memory*4/5, 2*r.limits.Memory+512<<20
	r.cpu = cmp.Or(e.cpu, 2*int64(r.limits.Time.Seconds())+1)
	j.CPU = r.cpu
	j.Lack = wireLack{e.lack.mounts, e.lack.landlock, e.lack.seccomp}
	if err := r.start(&j); err != nil {
		return usage{}, cannotStart(err)
	}
	defer r.finish()
	watching, stop := context.WithTimeout(ctx, r.limits.Time)
	defer stop()
	go r.watch(watching, ctx)
	go r.feed(j, data)
	err = r.listen(take)
	r.saw(r.highWater())
	if err != nil {
		err = r.verdict(err)
	}
	r.finish()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.usage.took = time.Since(r.took)
	e.log().Debug("a child has ended", "job", j.Op, "took_ms", r.usage.took.Milliseconds(), "memory_mib", r.usage.peak>>20)
	return r.usage, err
}

// saw notes how much memory the child had.
func (r *run) saw(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.usage.peak = max(r.usage.peak, n)
}

func cannotStart(err error) error {
	return fault.New(fault.Unavailable, "The process that reads documents could not be started. Try again in a moment.").Because(err)
}

// start starts the child with pipes, and a goroutine that waits for its end.
func (r *run) start(j *job) error {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return err
	}
	defer theirOut.Close()
	errs, theirErr, err := os.Pipe()
	if err != nil {
		in.Close()
		out.Close()
		return err
	}
	defer theirErr.Close()
	r.in, r.out, r.err = in, out, errs
	started := make(chan error)
	go func() {
		// The child dies with the thread that started it, so that it dies with us:
		// the thread stays until then, and ends with it, since it has stepped back
		// for good. The child takes that over from its first moment.
		runtime.LockOSThread()
		stepBack(j.Op)
		err := r.startApart(j, theirIn, theirOut, theirErr)
		started <- err
		if err == nil {
			r.wait()
		}
	}()
	if err := <-started; err != nil {
		in.Close()
		out.Close()
		errs.Close()
		return err
	}
	r.drains.Go(func() {
		_, _ = io.Copy(&r.stderr, io.LimitReader(errs, mostStderr)) // what cannot be read is not told
		_, _ = io.Copy(io.Discard, errs)
	})
	return nil
}

// wait waits for the child's end and ends what it left behind.
func (r *run) wait() {
	awaitEnd(r.cmd)
	r.mu.Lock()
	killAll(r.cmd.Process.Pid) // its number is still its own
	r.gone = true
	r.mu.Unlock()
	_ = r.cmd.Wait() // the state says all
	r.state = r.cmd.ProcessState
	close(r.ended)
}

// end ends the child and all that it started, for a reason. The first reason
// counts.
func (r *run) end(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cause == nil {
		r.cause = cause
	}
	if !r.gone {
		killAll(r.cmd.Process.Pid)
		_ = r.cmd.Process.Kill()
	}
	// Should something that it started hold the pipe open, nobody waits for it.
	_ = r.out.SetReadDeadline(time.Now().Add(dying))
}

// errDone is why a child is ended of which nothing is expected any more.
var errDone = errors.New("done")

// finish ends the child, waits for its end and closes the pipes.
func (r *run) finish() {
	r.end(errDone)
	<-r.ended
	r.in.Close()
	r.out.Close()
	_ = r.err.SetReadDeadline(time.Now().Add(dying))
	r.drains.Wait()
	r.err.Close()
}

// feed sends the job and the bytes. A child that does not take them is ended by
// its time, and one that is gone has said, or shown, why.
func (r *run) feed(j job, data []byte) {
	w := newFrameWriter(r.in)
	err := w.value(frameJob, j)
	if err == nil {
		err = w.parts(frameBytes, data)
	}
	if err == nil {
		err = w.end()
	}
	if err != nil {
		r.e.log().Debug("a document was not sent whole", "error", err)
	}
}

// A brokenOff is the end of what a child says before it has said all.
type brokenOff struct{ error }

func (b *brokenOff) Unwrap() error { return b.error }

// listen hands on what the child says until it has said all.
func (r *run) listen(take func(kind byte, payload []byte) error) error {
	frames := newFrameReader(r.out)
	for {
		kind, payload, err := frames.next()
		if err != nil {
			return &brokenOff{err}
		}
		switch kind {
		case frameEnd:
			return nil
		case frameProtection:
			r.usage.protection = Protection{}
			if err := json.Unmarshal(payload, &r.usage.protection); err != nil {
				return errGarbage
			}
			r.usage.protection.Version = 1
			r.learn(r.usage.protection)
		case frameFault:
			return received(payload)
		default:
			if err := take(kind, payload); err != nil {
				return err
			}
		}
	}
}

// received returns the fault that a child sends, if it is one that a document
// can have.
func received(payload []byte) error {
	var w wireFault
	if err := json.Unmarshal(payload, &w); err != nil {
		return errGarbage
	}
	switch w.Kind {
	case fault.Invalid, fault.TooLarge, fault.Unsupported, fault.Unreadable:
	default:
		return crashed(errors.New(oneLine(w.Message + " " + w.Cause)))
	}
	if w.Message == "" || len(w.Code) > 40 || len(w.Field) > 40 {
		return errGarbage
	}
	f := fault.New(w.Kind, "%s", oneLine(w.Message))
	if w.Code != "" {
		f = f.WithCode(w.Code)
	}
	f.Field = w.Field
	if w.Cause != "" {
		f = f.Because(errors.New(oneLine(w.Cause)))
	}
	return f
}

// watch ends the child when it crosses a limit, or when nobody wants its result
// any more. ctx has the child's time in it, whose is the caller's own.
func (r *run) watch(ctx, whose context.Context) {
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	for {
		select {
		case <-r.ended:
			return
		case <-ctx.Done():
			if err := whose.Err(); err != nil {
				r.end(err)
			} else {
				r.end(fault.New(fault.TooLarge, "Reading the document took longer than %s (POLARIS_PARSE_TIME). Split it, or raise the limit.", r.limits.Time).WithCode("parse_time"))
			}
			return
		case <-t.C:
			n := r.resident()
			r.saw(n)
			if n > r.limits.Memory {
				r.end(tooMuchMemory(r.limits.Memory))
				return
			}
		}
	}
}

func tooMuchMemory(most int64) error {
	return fault.New(fault.TooLarge, "Reading the document took more than %d MiB of memory (POLARIS_PARSE_MEMORY). Split it, or raise the limit.", most>>20).WithCode("parse_memory")
}

// verdict returns what err, with which listening ended, comes from.
func (r *run) verdict(err error) error {
	if _, ok := err.(*brokenOff); !ok && !errors.Is(err, errGarbage) { //nolint:errorlint // listen's own
		return err // the child's fault, or what the caller's own function says
	}
	if errors.Is(err, errGarbage) {
		r.end(crashed(err))
	}
	// It closed its end. It has a moment to be gone.
	alone := false // it ended by itself
	select {
	case <-r.ended:
		alone = true
	case <-time.After(dying):
	}
	r.finish()
	r.mu.Lock()
	cause := r.cause
	r.mu.Unlock()
	if cause != nil && !errors.Is(cause, errDone) {
		return cause
	}
	said := r.stderr.Bytes()
	switch {
	case bytes.Contains(said, []byte("out of memory")) || bytes.Contains(said, []byte("cannot allocate memory")):
		return tooMuchMemory(r.limits.Memory)
	case !alone:
		return crashed(errors.New("the child closed its end and went on"))
	}
	cpu, other := killed(r.state, r.cpu)
	switch {
	case cpu:
		return fault.New(fault.TooLarge, "Reading the document took more than %s of processor time (POLARIS_PARSE_TIME). Split it, or raise the limit.", time.Duration(r.cpu)*time.Second).WithCode("parse_time")
	case other:
		return fault.New(fault.Unavailable, "The system ended the process that read the document, perhaps for want of memory. Try again later, or split the document.").WithCode("parser_killed").Because(fmt.Errorf("the child ended with %v", r.state))
	}
	return crashed(fmt.Errorf("the child ended with %v: %s", r.state, firstLine(said)))
}

// firstLine is what a crash begins with: "panic: …" or "fatal error: …".
func firstLine(said []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(said), []byte("\n"))
	return oneLine(string(line[:min(len(line), 300)]))
}
