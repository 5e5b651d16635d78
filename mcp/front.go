package mcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

// A front is everything that happens to a request before the library sees it.
type front struct {
	Config
	desk    *ops.Desk
	gate    *gate
	tools   *toolset
	library *library
}

// credentialTimeout bounds the look-up of a credential: a database that hangs
// is an outage, and the caller should learn it while still waiting.
const credentialTimeout = 5 * time.Second

// ServeHTTP takes a request through the checks in the order that clients can
// rely on: Host and Origin, OPTIONS, method, credential, scope, rate, content
// type and size, envelope, and then the message itself.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := f.desk.Now()
	ctx, cancel := context.WithTimeout(r.Context(), f.Deadline)
	defer cancel()
	id := ops.RequestID(r)
	h := w.Header()
	h.Set(ops.RequestIDHeader, id)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if no := f.gate.check(h, r); no != nil {
		no.write(w)
		return
	}
	if r.Method == http.MethodOptions {
		h.Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if r.Method != http.MethodPost {
		// Before authentication: a client that probes with GET must learn at once
		// that there is no stream to wait for.
		h.Set("Allow", http.MethodPost)
		refuse(http.StatusMethodNotAllowed, "method_not_allowed", "Send MCP messages with POST; this endpoint opens no stream.").write(w)
		return
	}
	p, no := f.admit(ctx, h, r, id)
	if no != nil {
		no.write(w)
		return
	}
	body, no := f.read(w, r)
	if no != nil {
		no.write(w)
		return
	}
	call := ops.Call{By: p, Brain: p.Brain, Via: ops.Hosted, RequestID: id, Started: started}
	f.dispatch(ctx, w, r, call, body)
}

// admit finds out who is asking, and whether they may ask now.
func (f *front) admit(ctx context.Context, h http.Header, r *http.Request, id string) (models.Principal, *refusal) {
	p, no := f.authenticate(ctx, r, id)
	if no != nil {
		return p, no
	}
	// The rate is taken first, so that its headers are on the refusals below,
	// too; but it has its say last.
	taken, over := f.desk.Take(ctx, p)
	taken.Tell(h)
	for _, t := range r.Header.Values("X-Tenant-Id") {
		if t = strings.TrimSpace(t); t != "" && t != string(p.Brain) {
			return p, refuse(http.StatusForbidden, "tenant_mismatch", "X-Tenant-Id names another brain than the one of your credential. Leave the header out: the credential decides.")
		}
	}
	if !p.Has(models.ScopeAdvisorRead) {
		return p, lacksScope(p)
	}
	if over != nil {
		return p, overRate(over, taken)
	}
	return p, nil
}

// authenticate returns the principal of the request's credential.
func (f *front) authenticate(ctx context.Context, r *http.Request, id string) (models.Principal, *refusal) {
	var nobody models.Principal
	token, no := f.token(r)
	if no != nil {
		return nobody, no
	}
	addr := ops.AddressOf(r, f.TrustedProxies)
	if wait := f.desk.BadKeys.Wait(addr, f.desk.Now()); wait > 0 {
		return nobody, refuse(http.StatusTooManyRequests, "too_many_failures", "Too many credentials that do not hold came from your address. Wait a minute, and check the key.").retryAfter(wait)
	}
	ctx, cancel := context.WithTimeout(ctx, credentialTimeout)
	defer cancel()
	p, err := f.desk.Principal(ctx, token)
	if err == nil {
		return p, nil
	}
	what := fault.Of(err)
	if what.Kind != fault.Unauthenticated {
		if r.Context().Err() == nil { // that a client went away is nobody's failure
			f.Log.Error("checking a credential failed", "operation", "authenticate", "error_type", errorType(err), "request_id", id)
		}
		return nobody, refuse(http.StatusServiceUnavailable, "unavailable", "Credentials cannot be checked just now. Try again in a moment.").retryAfter(2 * time.Second)
	}
	f.desk.BadKeys.Add(addr, f.desk.Now())
	return nobody, refuse(http.StatusUnauthorized, what.Code, what.Message).challenge(`error="invalid_token"`)
}

// read returns the request's body, once its type and size are acceptable.
func (f *front) read(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	if !isJSON(r.Header) {
		return nil, refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", "Send the message as `Content-Type: application/json`, in UTF-8 and without a content encoding.")
	}
	tooLarge := refuse(http.StatusRequestEntityTooLarge, "body_too_large", "The message is over the limit of POLARIS_MAX_BODY_BYTES.")
	if r.ContentLength > f.MaxBody {
		return nil, tooLarge
	}
	// A body that trickles in must not hold the request for longer than any
	// request may take. Where the connection cannot do this (in tests), the
	// server's own limits stand.
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(f.Deadline / 2))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, f.MaxBody))
	_ = rc.SetReadDeadline(time.Time{})
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge
	}
	if err != nil {
		return nil, refuse(http.StatusRequestTimeout, "body_incomplete", "The message did not arrive whole.")
	}
	return body, nil
}

// isJSON reports whether the headers describe plain JSON in UTF-8.
func isJSON(h http.Header) bool {
	if e := h.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return false
	}
	mt, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || mt != "application/json" {
		return false
	}
	cs, given := params["charset"]
	return !given || strings.EqualFold(cs, "utf-8") || strings.EqualFold(cs, "utf8")
}
