// Package fault defines the errors that a caller of Polaris can act on.
//
// Every layer returns ordinary Go errors. An error that is, or wraps, an
// [Error] carries a kind, a stable code and a message fit for a stranger; every
// other error is internal: it is logged, and whoever asked learns only that
// something failed. The table in this package is the one place where a kind
// meets HTTP and exit statuses, so no handler chooses a status of its own.
package fault

import (
	"errors"
	"fmt"
	"net/http"
)

// A Kind says what went wrong, coarsely enough to mean the same on every
// surface.
type Kind int

// The kinds. Their meanings outside are in the table below.
const (
	Internal        Kind = iota // a bug or an outage; never described to the caller
	Invalid                     // what was sent cannot be used; Field says which part
	Unauthenticated             // no credential, or one that does not hold
	Forbidden                   // known, and not allowed
	NotFound                    // not there, or not yours: the two look the same
	Conflict                    // what is stored says otherwise
	NotReady                    // a precondition that somebody else must meet first
	TooLarge                    // over a size limit
	Unsupported                 // a media type or format that is not read
	Unreadable                  // a document that holds nothing to read, or is damaged
	Limited                     // over a rate or a budget
	Unavailable                 // a dependency does not answer; trying again may help
	Outdated                    // what the caller saw has changed since
)

type row struct {
	slug   string // the default code
	status int    // HTTP status
	exit   int    // exit status of the command line: 1 failed, 2 used wrongly
}

var table = [...]row{
	Internal:        {"internal", http.StatusInternalServerError, 1},
	Invalid:         {"invalid", http.StatusBadRequest, 2},
	Unauthenticated: {"unauthenticated", http.StatusUnauthorized, 1},
	Forbidden:       {"forbidden", http.StatusForbidden, 1},
	NotFound:        {"not_found", http.StatusNotFound, 1},
	Conflict:        {"conflict", http.StatusConflict, 1},
	NotReady:        {"not_ready", http.StatusConflict, 1},
	TooLarge:        {"too_large", http.StatusRequestEntityTooLarge, 1},
	Unsupported:     {"unsupported", http.StatusUnsupportedMediaType, 1},
	Unreadable:      {"unreadable_document", http.StatusUnprocessableEntity, 1},
	Limited:         {"rate_limited", http.StatusTooManyRequests, 1},
	Unavailable:     {"unavailable", http.StatusServiceUnavailable, 1},
	Outdated:        {"precondition_failed", http.StatusPreconditionFailed, 1},
}

// Kinds returns every kind, for tests that walk the table.
func Kinds() []Kind {
	ks := make([]Kind, len(table))
	for i := range ks {
		ks[i] = Kind(i)
	}
	return ks
}

// String returns the kind's default code.
func (k Kind) String() string { return table[k].slug }

// Status returns the HTTP status that the kind has outside.
func (k Kind) Status() int { return table[k].status }

// Exit returns the exit status that the kind has on the command line.
func (k Kind) Exit() int { return table[k].exit }

// An Error is safe to show to the caller: all of it but Err.
type Error struct {
	Kind    Kind
	Code    string // finer than Kind, where a client must tell cases apart: "revoked_api_key"
	Message string // a plain sentence that says what to do next
	Field   string // the offending input, if one is to blame
	Err     error  // the cause, for logs only
}

// Error returns the message, and the cause behind it; it is meant for logs.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an error of kind k whose code is the kind's own.
func New(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Code: k.String(), Message: fmt.Sprintf(format, args...)}
}

// Field returns an Invalid error that blames one input.
func Field(name, format string, args ...any) *Error {
	return &Error{Kind: Invalid, Code: Invalid.String(), Field: name, Message: fmt.Sprintf(format, args...)}
}

// WithCode returns a copy of e with a finer code.
func (e *Error) WithCode(code string) *Error { d := *e; d.Code = code; return &d }

// Because returns a copy of e that carries its cause, for the log.
func (e *Error) Because(err error) *Error { d := *e; d.Err = err; return &d }

// Of returns what a caller may see of err: the [Error] in it, or an Internal
// one that says nothing more. It returns nil for nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: Internal, Code: Internal.String(), Message: "Something went wrong on our side. The log has the cause.", Err: err}
}

// Is reports whether err carries a fault of kind k.
func Is(err error, k Kind) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == k
}

// TypeOf names what sort of error err is, for the log: a fault by its code,
// what the database said by its SQLSTATE, anything else by the Go type of its
// innermost cause, the first of several. The cause's text stays out of the log,
// because it can hold what a caller sent.
func TypeOf(err error) string {
	if f, ok := errors.AsType[*Error](err); ok && f.Err == nil {
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
