package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

// A refusal is the plain HTTP answer to a request that never became a JSON-RPC
// message.
type refusal struct {
	status        int
	code, message string
	header        http.Header
}

func refuse(status int, code, message string) *refusal {
	return &refusal{status: status, code: code, message: message, header: http.Header{}}
}

// retryAfter says when trying again is worth it, in whole seconds, at least one.
func (n *refusal) retryAfter(d time.Duration) *refusal {
	n.header.Set("Retry-After", strconv.Itoa(max(1, ops.Seconds(d))))
	return n
}

// challenge adds WWW-Authenticate. It names no resource metadata: a client that
// finds any drops the key it was given and looks for an OAuth server.
func (n *refusal) challenge(params string) *refusal {
	c := `Bearer realm="polaris"`
	if params != "" {
		c += ", " + params
	}
	n.header.Set("WWW-Authenticate", c+`, scope="`+string(models.ScopeAdvisorRead)+`"`)
	return n
}

// types are the coarse groups that error objects carry beside their code.
var types = map[int]string{
	http.StatusUnauthorized:       "authentication_error",
	http.StatusForbidden:          "permission_error",
	http.StatusTooManyRequests:    "rate_limit_error",
	http.StatusServiceUnavailable: "api_error",
}

func (n *refusal) write(w http.ResponseWriter) {
	kind, ok := types[n.status]
	if !ok {
		kind = "invalid_request_error"
	}
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Type    string `json:"type"`
		} `json:"error"`
	}
	body.Error.Code, body.Error.Message, body.Error.Type = n.code, n.message, kind
	h := w.Header()
	for k, v := range n.header {
		h[k] = v
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(n.status)
	_ = json.NewEncoder(w).Encode(body) // whoever went away does not read it
}

// lacksScope refuses a credential that holds, and is not for this endpoint.
func lacksScope(p models.Principal) *refusal {
	msg := "This key does not have the scope advisor:read, which this endpoint needs."
	if p.Has(models.ScopeInvoke) {
		msg += " It is an operator key: mint one with `bb apikey mint --operator --hosted` to use it here."
	}
	return refuse(http.StatusForbidden, "insufficient_scope", msg).challenge(`error="insufficient_scope"`)
}

// overRate refuses a caller who is over the rate, or whose rate is unknown.
func overRate(err error, t ops.Taken) *refusal {
	f := fault.Of(err)
	return refuse(http.StatusTooManyRequests, "rate_limited", f.Message).retryAfter(t.Reset)
}

// errorType names what sort of error err is, for the log: a fault by its code,
// what the database said by its SQLSTATE, anything else by the Go type of its
// innermost cause, the first of several. The cause's text stays out of the log,
// because it can hold what a caller sent.
func errorType(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Err == nil {
		return f.Code
	}
	var database interface{ SQLState() string }
	if errors.As(err, &database) {
		return "sqlstate " + database.SQLState()
	}
	for {
		inner := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok && len(several.Unwrap()) > 0 { // one step at a time
			inner = several.Unwrap()[0]
		}
		if inner == nil {
			return fmt.Sprintf("%T", err)
		}
		err = inner
	}
}
