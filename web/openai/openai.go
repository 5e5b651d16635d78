// Package openai serves the published brain to programs that speak OpenAI's
// chat-completions API: with its client libraries only the base URL and the key
// change.
//
// It is a translation and nothing else. A request passes the checks of package
// door, is read into a question ([question]), becomes the one operation
// [ops.Answer], and its envelope is written as a completion, whole or as a
// stream. The answer is recorded before its first byte leaves, so a stream that
// has begun cannot fail on our side. What a client asks for and this endpoint
// cannot do (sampling, tools, formats) is accepted and named in
// `polaris.notices`; no model speaks here, so nothing is made up on request.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"polaris/models/fault"
	"polaris/ops"
	"polaris/ops/door"
)

// Config is what the endpoint needs to know besides the desk and the door.
// Everything has a default.
type Config struct {
	MaxBody  int64         // bytes; default 1 MiB
	Deadline time.Duration // for a whole request; default 50 s
	Log      *slog.Logger  // default: the desk's
}

// An endpoint is the handler of all paths.
type endpoint struct {
	Config
	desk *ops.Desk
	door *door.Door
}

// New returns the handler. It answers at /v1/chat/completions, /v1/models and
// /v1/models/{id}, at the same paths without /v1, with or without a slash at the
// end; at anything else it says that nothing is there.
func New(d *ops.Desk, at *door.Door, c Config) http.Handler {
	c.MaxBody = cmp.Or(c.MaxBody, 1<<20)
	c.Deadline = cmp.Or(c.Deadline, 50*time.Second) // clients give up at 60
	c.Log = cmp.Or(c.Log, d.Log)
	return &endpoint{Config: c, desk: d, door: at}
}

// ServeHTTP answers one request, and turns what its handler returns or panics
// with into an error of OpenAI's shape.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := door.RequestID(r)
	h := w.Header()
	h.Set(door.RequestIDHeader, id)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	ctx, cancel := context.WithTimeout(r.Context(), e.Deadline)
	defer cancel()
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so, too
			panic(v)
		}
		e.Log.Error("a handler panicked", "operation", "openai", "error_type", fmt.Sprintf("%T", v), "request_id", id, "stack", string(debug.Stack()))
		refuse(w, fmt.Errorf("panic: %T", v))
	}()
	if err := e.route(ctx, w, r, id); err != nil {
		e.note(r, err, id)
		refuse(w, err)
	}
}

// route takes a request through the checks that need no credential, in the
// order of the MCP endpoint: Host and Origin, then what is there, OPTIONS,
// method.
func (e *endpoint) route(ctx context.Context, w http.ResponseWriter, r *http.Request, id string) error {
	h := w.Header()
	if err := e.door.CheckCaller(h, r); err != nil {
		return err
	}
	method, serve := e.at(r.URL.Path)
	if serve == nil {
		return nothingHere
	}
	h.Set("Allow", method)
	switch {
	case r.Method == http.MethodOptions:
		w.WriteHeader(http.StatusNoContent)
		return nil
	case r.Method != method && (method != http.MethodGet || r.Method != http.MethodHead):
		return fault.New(fault.Invalid, "Send %s to this address.", method).WithCode(methodNotAllowed)
	}
	h.Del("Allow")
	return serve(ctx, w, r, id)
}

type handler func(ctx context.Context, w http.ResponseWriter, r *http.Request, id string) error

// at returns what is at a path, and the method that it takes.
func (e *endpoint) at(path string) (method string, serve handler) {
	path = strings.TrimSuffix(path, "/")
	path = strings.TrimPrefix(path, "/v1")
	if model, ok := strings.CutPrefix(path, "/models/"); ok {
		return http.MethodGet, func(ctx context.Context, w http.ResponseWriter, r *http.Request, id string) error {
			return e.model(ctx, w, r, id, model)
		}
	}
	switch path {
	case "/chat/completions":
		return http.MethodPost, e.complete
	case "/models":
		return http.MethodGet, e.models
	}
	return "", nil
}

// complete answers a conversation.
func (e *endpoint) complete(ctx context.Context, w http.ResponseWriter, r *http.Request, id string) error {
	started := e.desk.Now()
	p, err := e.door.Admit(ctx, w.Header(), r, id)
	if err != nil {
		return err
	}
	body, err := door.ReadJSON(w, r, e.MaxBody, e.Deadline/2)
	if err != nil {
		return err
	}
	q, err := read(body)
	if err != nil {
		return err
	}
	if !usable(p, q.model) {
		return noModel(q.model)
	}
	call := ops.Call{By: p, Brain: p.Brain, Via: ops.OpenAI, RequestID: id, Started: started}
	env, err := ops.Do(ctx, e.desk, call, ops.Answer, ops.AskIn{Query: q.text, TopicIDs: q.topics, Earlier: q.earlier})
	if err != nil {
		return q.blame(err)
	}
	c := completionOf(q, env, e.desk.Now())
	if q.stream {
		return c.stream(r.Context(), w, q.includeUsage)
	}
	return send(w, http.StatusOK, c.whole())
}

// note logs what is an outage or a bug, without the text of its cause.
func (e *endpoint) note(r *http.Request, err error, id string) {
	if fault.Of(err).Kind.Status() < http.StatusInternalServerError || r.Context().Err() != nil { // that a client went away is nobody's failure
		return
	}
	e.Log.Error("a request failed", "operation", "openai", "error_type", fault.TypeOf(err), "request_id", id)
}

// send writes a JSON body. It is encoded first, so that a failure is still an
// answer of its own.
func send(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // whoever went away does not read it
	return nil
}
