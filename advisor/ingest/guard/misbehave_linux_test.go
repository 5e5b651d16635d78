package guard

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"polaris/advisor/ingest"
	"polaris/models"
	"polaris/models/fault"
)

// misbehaveIfAsked is a child that is no longer what it was started as.
func misbehaveIfAsked() {
	if len(os.Args) < 3 || os.Args[1] != "misbehave" || os.Getenv(mark) == "" {
		return
	}
	w := newFrameWriter(os.Stdout)
	if os.Args[2] == "look around" {
		lookAround(w)
		os.Exit(0)
	}
	for _, m := range misdeeds {
		if m.name == os.Args[2] {
			m.do(w)
			_ = w.w.Flush()
			os.Exit(0)
		}
	}
	os.Exit(9)
}

// said writes a document as a child does, changed.
func said(change func(d *ingest.Document)) func(frameWriter) {
	return func(w frameWriter) {
		d, err := ingest.Parse([]byte(rules), ingest.Options{Name: "rules.md", Code: "HR"})
		if err != nil {
			panic(err)
		}
		change(d)
		for at := 0; at < len(d.Text); at += maxFrame {
			_ = w.frame(frameText, []byte(d.Text[at:min(at+maxFrame, len(d.Text))]))
		}
		for _, p := range d.Passages {
			_ = w.value(framePassages, p)
		}
		d.Text, d.Passages = "", nil
		_ = w.value(frameRest, d)
		_ = w.end()
	}
}

func forever(w frameWriter, kind byte, payload []byte) {
	for w.frame(kind, payload) == nil {
	}
}

func sent(f wireFault) func(frameWriter) { return func(w frameWriter) { _ = w.value(frameFault, f) } }

func hang() {
	for {
		time.Sleep(time.Hour)
	}
}

// A misdeed is something that a child does, and what comes of it.
type misdeed struct {
	name string
	code string // of the fault
	says string // in the cause
	do   func(w frameWriter)
}

// beside are the misdeeds of a child without namespaces: in those it is the
// first process, whose signals to itself are ignored.
var beside = map[string]bool{"is killed": true, "is aborted": true}

var misdeeds = []misdeed{
	{"panics", "parser_crashed", "panic: the document won", func(frameWriter) { panic("the document won") }},
	{"does not die of its own signal", "parse_time", "", func(frameWriter) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); hang() }},
	{"is killed", "parser_killed", "killed", func(frameWriter) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); hang() }},
	{"is aborted", "parser_crashed", "abort", func(frameWriter) { signal.Reset(); _ = syscall.Kill(os.Getpid(), syscall.SIGABRT); hang() }},
	{"asks for more memory than there is", "parse_memory", "", func(frameWriter) {
		_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: 512 << 20, Max: 512 << 20})
		runtime.KeepAlive(make([]byte, 8<<30))
	}},
	{"says nothing", "parser_crashed", "exit status 0", func(frameWriter) {}},
	{"exits with 3", "parser_crashed", "exit status 3", func(frameWriter) { os.Exit(3) }},
	{"hangs", "parse_time", "", func(frameWriter) { hang() }},
	{"spins", "parse_time", "", func(frameWriter) {
		for { //nolint:staticcheck // it spins
		}
	}},
	{"closes its pipes and hangs", "parser_crashed", "went on", func(frameWriter) {
		os.Stdin.Close()
		os.Stdout.Close()
		os.Stderr.Close()
		hang()
	}},
	{"sends noise", "parser_crashed", errGarbage.Error(), func(w frameWriter) {
		b := make([]byte, 1<<16)
		rand.Read(b)
		_, _ = w.w.Write(b)
	}},
	{"sends zeros", "parser_crashed", errGarbage.Error(), func(w frameWriter) { _, _ = w.w.Write(make([]byte, 1<<20)) }},
	{"announces a huge frame", "parser_crashed", errGarbage.Error(), func(w frameWriter) {
		_, _ = w.w.WriteString("t\xff\xff\xff\xff")
		_ = w.w.Flush()
		hang()
	}},
	{"stops within a frame", "parser_crashed", "", func(w frameWriter) { _, _ = w.w.WriteString("t\x00\x00\x01\x00abc") }},
	{"sends text without end", "parser_crashed", errGarbage.Error(), func(w frameWriter) { forever(w, frameText, make([]byte, maxFrame)) }},
	{"sends passages without end", "parser_crashed", errGarbage.Error(), func(w frameWriter) { forever(w, framePassages, bytes.Repeat([]byte("{}"), maxFrame/2)) }},
	{"sends warnings without end", "parser_crashed", errGarbage.Error(), func(w frameWriter) { forever(w, frameRest, bytes.Repeat([]byte(`"x",`), maxFrame/4)) }},
	{"complains without end", "parse_time", "", func(frameWriter) {
		for {
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 1000))
		}
	}},
	{"sends an entry", "parser_crashed", errGarbage.Error(), func(w frameWriter) { _ = w.frame(frameName, []byte("x")); _ = w.end() }},
	{"sends half a document", "parser_crashed", "the rest", func(w frameWriter) { _ = w.frame(frameText, []byte("x")); _ = w.end() }},
	{"takes too much memory", "parse_memory", "", func(frameWriter) {
		var all [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			all = append(all, b)
			runtime.KeepAlive(all)
			time.Sleep(200 * time.Microsecond)
		}
	}},
	{"starts others that hold its pipes", "parser_crashed", "exit status 0", func(frameWriter) {
		for range 4 {
			c := exec.Command("/proc/self/exe") //nolint:gosec // this test
			c.Args = []string{"bb", "misbehave", "hangs", os.Args[3]}
			c.Env = []string{mark + "=1"}
			c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			_ = c.Start()
		}
	}},

	{"sends another source's code", "parser_crashed", "the code", said(func(d *ingest.Document) { d.Code = "OTHER" })},
	{"sends a passage past the text", "parser_crashed", "passage", said(func(d *ingest.Document) { d.Passages[1].SpanEnd = 1 << 40 })},
	{"sends a passage that ends before it begins", "parser_crashed", "passage", said(func(d *ingest.Document) { d.Passages[1].End = d.Passages[1].Start - 1 })},
	{"sends a passage below itself", "parser_crashed", "passage", said(func(d *ingest.Document) { d.Passages[1].Parent = 1 })},
	{"sends a key twice", "parser_crashed", "twice", said(func(d *ingest.Document) { d.Passages[1].Key = d.Passages[0].Key })},
	{"sends a key that is none", "parser_crashed", "key", said(func(d *ingest.Document) { d.Passages[1].Key = "\n" })},
	{"sends passages of a source", "parser_crashed", "source", said(func(d *ingest.Document) { d.Passages[1].SourceID = "src_other" })},
	{"cuts a letter", "parser_crashed", "letter", said(func(d *ingest.Document) { d.Text = "ä" + d.Text[2:]; d.Passages[0].Start = 1 })},
	{"sends NUL", "parser_crashed", "text", said(func(d *ingest.Document) { d.Text = "\x00" + d.Text[1:] })},
	{"sends no passages", "parser_crashed", "no passages", said(func(d *ingest.Document) { d.Passages = nil })},
	{"sends a term of no passage", "parser_crashed", "term", said(func(d *ingest.Document) { d.Terms = []models.Term{{Name: "x", Ordinal: 99}} })},

	{"says it is not allowed", "parser_crashed", "Forbidden", sent(wireFault{Kind: fault.Forbidden, Code: "forbidden", Message: "Forbidden."})},
	{"says it has an error of its own", "parser_crashed", "oops", sent(wireFault{Message: "oops"})},
	{"says nothing in a fault", "parser_crashed", errGarbage.Error(), sent(wireFault{Kind: fault.Unreadable})},
	{"says something over many lines", "unreadable_document", "", sent(wireFault{Kind: fault.Unreadable, Code: "unreadable_document", Message: "a\n\x1b[2Jb\u202e" + strings.Repeat("x", 5000)})},
}

// Whatever a child does, it ends within its time, with one line, and leaves
// nobody behind.
func TestMisdeeds(t *testing.T) {
	t.Parallel()
	for _, m := range misdeeds {
		t.Run(m.name, func(t *testing.T) {
			within := 30 * time.Second // longer than a busy machine takes to see through it
			if m.code == "parse_time" {
				within = 3 * time.Second
			}
			e := &Extractor{args: []string{"bb", "misbehave", m.name, ours()}, lack: lack{namespaces: beside[m.name]}, Limits: Limits{Time: within, Memory: 150 << 20}}
			start := time.Now()
			d, err := e.Parse(t.Context(), bytes.Repeat([]byte("A document. "), 100_000), ingest.Options{Code: "HR"})
			took := time.Since(start)
			if d != nil || err == nil {
				t.Fatalf("%v, %v", d, err)
			}
			f := fault.Of(err)
			cause := f.Message
			if f.Err != nil {
				cause = f.Err.Error()
			}
			if f.Code != m.code || !strings.Contains(cause, m.says) || len(f.Message) > 1100 || strings.ContainsAny(f.Message+cause, "\n\x1b\u202e") || f.Kind == fault.Internal {
				t.Errorf("%d %s: %q because of %q", f.Kind, f.Code, f.Message, cause)
			}
			if took > 8*time.Second {
				t.Errorf("it took %v", took)
			}
			t.Logf("%v: %s (%s)", took.Round(time.Millisecond), f.Message, cause)
			noneLeft(t)
		})
	}
}

// ours marks the children of this test from those of others on this machine.
func ours() string { return fmt.Sprint("of ", os.Getpid()) }

// noneLeft fails if a process that a misdeed started is still there.
func noneLeft(t *testing.T) {
	t.Helper()
	for until := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		out, err := exec.CommandContext(t.Context(), "pgrep", "-f", "^bb misbehave .* "+ours()+"$").Output()
		var none *exec.ExitError
		if errors.As(err, &none) && none.ExitCode() == 1 {
			return
		}
		if time.Now().After(until) {
			t.Errorf("left behind: %s (%v)", out, err)
			return
		}
	}
}
