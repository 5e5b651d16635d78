package mcp

import (
	"context"
	"net/http"

	"polaris/ops"
	"polaris/ops/door"
)

// A front is everything that happens to a request before the library sees it.
type front struct {
	Config
	desk    *ops.Desk
	door    *door.Door
	tools   *toolset
	library *library
}

// ServeHTTP takes a request through the checks in the order that clients can
// rely on: Host and Origin, OPTIONS, method, credential, scope, rate, content
// type and size, envelope, and then the message itself.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := f.desk.Now()
	ctx, cancel := context.WithTimeout(r.Context(), f.Deadline)
	defer cancel()
	id := door.RequestID(r)
	h := w.Header()
	h.Set(door.RequestIDHeader, id)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if err := f.door.CheckCaller(h, r); err != nil {
		refuse(w, err)
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
		refuse(w, methodNotAllowed)
		return
	}
	p, err := f.door.Admit(ctx, h, r, id)
	if err != nil {
		refuse(w, err)
		return
	}
	body, err := door.ReadJSON(w, r, f.MaxBody, f.Deadline/2)
	if err != nil {
		refuse(w, err)
		return
	}
	f.dispatch(ctx, w, r, ops.Call{By: p, Brain: p.Brain, Via: ops.Hosted, RequestID: id, Started: started}, body)
}
