package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"polaris/models/fault"
	"polaris/ops"
	"polaris/ops/schema"
)

// A toolset is the operations that are tools here.
type toolset struct{ byName map[string]*tool }

// A tool is an operation as the library and the front need it.
type tool struct {
	mcpgo.Tool
	entry *ops.Entry
	in    *schema.Schema
	quick *quick // nil: in says more than that can hold
	out   *schema.Schema
}

// toolName is what every client accepts: some take no dots, slashes or capitals.
var toolName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)

// longestText bounds descriptions and instructions, in bytes: clients cut them.
const longestText = 2000

func newToolset(c ops.Catalog) (*toolset, error) {
	s := &toolset{byName: map[string]*tool{}}
	for _, e := range c {
		if e.Tool == "" {
			continue
		}
		t, err := newTool(e)
		if err != nil {
			return nil, fmt.Errorf("mcp: tool %q of %s: %w", e.Tool, e.Name, err)
		}
		if s.byName[e.Tool] != nil {
			return nil, fmt.Errorf("mcp: two operations are the tool %q", e.Tool)
		}
		s.byName[e.Tool] = t
	}
	return s, nil
}

func newTool(e *ops.Entry) (*tool, error) {
	if !toolName.MatchString(e.Tool) || len(e.Summary) > longestText {
		return nil, errors.New("its name or its summary is not what clients accept")
	}
	in, err := schema.Input(e.In)
	if err != nil {
		return nil, err
	}
	out, err := schema.Output(e.Out)
	if err != nil {
		return nil, err
	}
	t := mcpgo.NewToolWithRawSchema(e.Tool, e.Summary, in.JSON())
	t.Title, t.RawOutputSchema = e.Title, out.JSON()
	reads := e.Class == ops.Read || e.Class == ops.Metered
	t.Annotations = mcpgo.ToolAnnotation{
		Title:        e.Title,
		ReadOnlyHint: &reads,
		// Nothing here destroys: what is not a read waits for a second person.
		DestructiveHint: new(false),
		IdempotentHint:  new(e.Class == ops.Read),
		OpenWorldHint:   new(e.Class == ops.Metered),
	}
	var root jsonschema.Schema
	if err := json.Unmarshal(in.JSON(), &root); err != nil {
		return nil, err
	}
	return &tool{Tool: t, entry: e, in: in, quick: newQuick(&root), out: out}, nil
}

// A said is what a call of a tool came to, for both channels: clients show their
// model one of the two, so each is complete alone.
type said struct {
	text   string
	quoted string          // text as a JSON string; "": not made yet
	blocks []mcpgo.Content // instead of the text, where it is more than that
	data   string          // structured content, as JSON; "" for a failure
}

// failure is a said that says so. Structured content is left out: clients hold
// it against the output schema, and would report that instead of the failure.
func failure(text string) said { return said{text: text} }

// appendResult appends s as the result of a tools/call.
func (s said) appendResult(b []byte) []byte {
	b = append(b, `{"content":`...)
	switch {
	case s.blocks != nil:
		b = append(b, encoded(s.blocks)...)
	case s.quoted != "":
		b = append(append(append(b, `[{"type":"text","text":`...), s.quoted...), `}]`...)
	default:
		b = append(append(append(b, `[{"type":"text","text":`...), encoded(s.text)...), `}]`...)
	}
	if s.data == "" {
		return append(b, `,"isError":true}`...)
	}
	b = append(b, `,"structuredContent":`...)
	return append(append(b, s.data...), '}')
}

// runTool is the handler of every tool that the library calls.
func (f *front) runTool(ctx context.Context, _ mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
	s := f.call(ctx, requestOf(ctx))
	if s.data == "" {
		return mcpgo.NewToolResultError(s.text), nil
	}
	res := mcpgo.NewToolResultText(s.text)
	if s.blocks != nil {
		res.Content = s.blocks
	}
	res.RawStructuredContent = json.RawMessage(s.data)
	return res, nil
}

// call runs the tool of a request.
func (f *front) call(ctx context.Context, req *request) said {
	if req.unfit != "" {
		return failure("Invalid arguments: " + req.unfit + ".")
	}
	out, err := f.invoke(ctx, req)
	if err == nil {
		var s said
		if s, err = req.tool.result(out); err == nil {
			return s
		}
	}
	return f.failed(ctx, req, err)
}

// invoke runs the operation, and returns when it does or when time is up,
// whichever is first: an operation that does not look at its context must not
// keep the client waiting.
func (f *front) invoke(ctx context.Context, req *request) (any, error) {
	type outcome struct {
		out any
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o = outcome{err: &panicked{what: fmt.Sprintf("%T", p), at: panicSite()}}
			}
			done <- o
		}()
		o.out, o.err = f.desk.Invoke(ctx, req.call, req.tool.entry, req.args)
	}()
	select {
	case o := <-done:
		return o.out, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// result makes of an operation's output what is said of it. An output that has
// been recorded leaves as the bytes that were recorded.
func (t *tool) result(out any) (s said, err error) {
	if s.data, s.quoted, err = t.encode(out); err != nil {
		return said{}, err
	}
	if !t.out.Sure() { // clients would find out, and show their model that instead
		bad, err := t.out.Check([]byte(s.data))
		if err == nil && len(bad) > 0 {
			err = &unfitOutput{}
		}
		if err != nil {
			return said{}, err
		}
	}
	if r, ok := out.(interface{ Text() string }); ok {
		s.text = r.Text()
	}
	if s.text == "" {
		s.text, s.quoted = indented(s.data), ""
	}
	// None of ours is more than text today. The conformance suite's fixtures are.
	if b, ok := out.(interface{ Blocks() []mcpgo.Content }); ok {
		s.blocks = b.Blocks()
	}
	return s, nil
}

// encode returns an output as JSON, and its text as a JSON string where it has
// been written to one.
func (t *tool) encode(out any) (data, quoted string, err error) {
	var raw []byte
	if r, ok := out.(interface{ Encoded() (body, text string) }); ok {
		if data, quoted = r.Encoded(); !strings.Contains(data, "null") {
			return data, quoted, nil
		}
		raw = []byte(data)
	} else if raw, err = json.Marshal(out); err != nil {
		return "", "", err
	}
	raw, err = t.out.WithoutNulls(raw)
	return string(raw), quoted, err
}

func indented(raw string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(raw), "", "  ") != nil {
		return raw
	}
	return b.String()
}

// failed turns an error into what the caller's model is shown, and logs what
// is our failure.
func (f *front) failed(ctx context.Context, req *request, err error) said {
	e := fault.Of(err)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e = &fault.Error{Kind: fault.Unavailable, Code: "timeout", Message: fmt.Sprintf("This took longer than %s and was stopped. Ask something narrower, or try again.", f.Deadline.Round(time.Millisecond))}
	case ctx.Err() != nil: // the client went away; nobody reads this
		return failure("Cancelled.")
	}
	if e.Kind == fault.Internal || e.Kind == fault.Unavailable {
		attrs := []any{"operation", req.tool.entry.Name, "error_type", fault.TypeOf(err), "request_id", req.call.RequestID}
		if p, ok := errors.AsType[*panicked](err); ok {
			attrs = append(attrs, "panic", p.what, "at", p.at)
		}
		f.Log.Error("a tool failed", attrs...)
	}
	return failure(strings.TrimSpace(e.Message) + " (" + e.Code + ")")
}

// An unfitOutput is an output that is not what its tool's schema promises.
type unfitOutput struct{}

func (*unfitOutput) Error() string { return "the output does not fit its schema" }

// A panicked is an operation that panicked: the type of the value, and where.
// The value itself can hold anything, so it is not kept.
type panicked struct{ what, at string }

func (p *panicked) Error() string { return "panic" }

// panicSite returns the file and line that panicked. It is called from the
// deferred function that recovers.
func panicSite() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		fr, more := frames.Next()
		if !strings.HasPrefix(fr.Function, "runtime.") || !more {
			return fmt.Sprintf("%s:%d", fr.File[strings.LastIndexByte(fr.File, '/')+1:], fr.Line)
		}
	}
}
