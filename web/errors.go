package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"polaris/models/fault"
	"polaris/ops/door"
	"polaris/views/form"
	"polaris/views/layout"
	"polaris/views/problem"
)

// A framed error happened to somebody who is signed in: its page keeps the
// navigation around it.
type framed struct {
	error
	page *page
}

// Unwrap returns the error.
func (f *framed) Unwrap() error { return f.error }

// fail is the one place where an error becomes an answer: problem details on
// REST, a part where htmx asked, else a page. What is no fault is logged, and
// told in one plain sentence.
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	door.Refusing(c.Response())
	f := faultOf(err)
	status := statusOf(f)
	if status >= http.StatusInternalServerError {
		s.conf.Log.Error("a request failed", "route", c.Path(), "status", status, "code", f.Code, "request_id", requestID(c), "error", err)
	}
	if (f.Kind == fault.Limited || f.Kind == fault.Unavailable) && c.Response().Header().Get("Retry-After") == "" {
		c.Response().Header().Set("Retry-After", "5")
	}
	if werr := s.write(c, status, f, err); werr != nil {
		s.conf.Log.Error("an error could not be shown", "request_id", requestID(c), "error", werr)
		if !c.Response().Committed { // without this the answer would be an empty 200
			c.Response().WriteHeader(status)
		}
	}
}

func (s *Server) write(c echo.Context, status int, f *fault.Error, err error) error {
	if isAPI(c.Request().URL.Path) {
		return problemDetails(c, status, f)
	}
	v := problem.Problem{Status: strconv.Itoa(status), Title: titles[f.Kind], Text: f.Message, RequestID: requestID(c)}
	if status == http.StatusMethodNotAllowed {
		v.Title = "This address does not do that"
	}
	if f.Kind == fault.Unauthenticated {
		v.Do = []layout.Link{{Text: "Sign in", URL: layout.SignInPath}}
	} else {
		v.Do = []layout.Link{{Text: "Go to the start page", URL: "/"}}
	}
	if c.Request().Header.Get("HX-Request") == "true" {
		return render(c, status, never, problem.Part(target(c), v))
	}
	frame := layout.Frame{Assets: s.assets}
	if in, ok := errors.AsType[*framed](err); ok {
		frame, v.SignedIn = in.page.frame(), true
	}
	return render(c, status, never, problem.ProblemPage(frame, v))
}

// target returns the id of the element that htmx will put the answer in the
// place of. htmx 4 names it as "div#answer".
func target(c echo.Context) string {
	_, id, _ := strings.Cut(c.Request().Header.Get("HX-Target"), "#")
	for _, r := range id {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return "problem"
		}
	}
	if id == "" {
		return "problem"
	}
	return id
}

// titles head the pages of errors.
var titles = map[fault.Kind]string{
	fault.Internal:        "Something went wrong",
	fault.Invalid:         "That cannot be used",
	fault.Unauthenticated: "You are signed out",
	fault.Forbidden:       "That is not allowed",
	fault.NotFound:        "There is nothing here",
	fault.Conflict:        "That does not fit what is stored",
	fault.NotReady:        "That cannot be done yet",
	fault.TooLarge:        "That is too large",
	fault.Unsupported:     "That format is not read",
	fault.Limited:         "Too many requests",
	fault.Unavailable:     "Not available just now",
	fault.Outdated:        "Somebody was faster",
}

// methodNotAllowed marks the one refusal that is no kind of fault: only HTTP
// has methods.
const methodNotAllowed = "method_not_allowed"

// faultOf returns what the caller may see of err, with Echo's own errors and
// net/http's mapped.
func faultOf(err error) *fault.Error {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.New(fault.TooLarge, "At most %d bytes are read.", large.Limit).WithCode("body_too_large")
	}
	if _, ours := errors.AsType[*fault.Error](err); ours {
		return fault.Of(err)
	}
	if he, ok := errors.AsType[*echo.HTTPError](err); ok {
		switch he.Code {
		case http.StatusNotFound:
			return fault.New(fault.NotFound, "There is nothing at this address.")
		case http.StatusMethodNotAllowed:
			return fault.New(fault.Invalid, "This address does not take that method.").WithCode(methodNotAllowed)
		}
	}
	return fault.Of(err)
}

func statusOf(f *fault.Error) int {
	if f.Code == methodNotAllowed {
		return http.StatusMethodNotAllowed
	}
	return f.Kind.Status()
}

// problemDetails writes an error as RFC 9457 says.
func problemDetails(c echo.Context, status int, f *fault.Error) error {
	b, err := json.Marshal(struct {
		Type      string `json:"type"`
		Title     string `json:"title"`
		Status    int    `json:"status"`
		Detail    string `json:"detail"`
		Code      string `json:"code"`
		Field     string `json:"field,omitempty"`
		RequestID string `json:"request_id"`
	}{"about:blank", http.StatusText(status), status, f.Message, f.Code, f.Field, requestID(c)})
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", never)
	return c.Blob(status, "application/problem+json", b)
}

// posted returns the fields of a form, which nobody types while it is sent: one
// that trickles in is not waited for as long as an upload.
func posted(c echo.Context) (url.Values, error) {
	rc := http.NewResponseController(c.Response())
	_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // a test's connection may have none
	defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	if err := c.Request().ParseForm(); err != nil {
		return nil, fault.New(fault.Invalid, "The form could not be read.").Because(err)
	}
	return c.Request().PostForm, nil
}

// A refusal is what kept a form from being accepted; nil, where nothing did.
type refusal struct{ *fault.Error }

// refused returns the refusal in err, where the form is to be shown again.
// Anything else is an error with a page of its own.
func refused(err error) (*refusal, bool) {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil, false
	}
	switch f.Kind {
	case fault.Invalid, fault.Conflict, fault.Limited, fault.Unauthenticated, fault.NotReady:
		return &refusal{f}, true
	}
	return nil, false
}

// entry returns a field with what was typed, and the message if this is the
// field to blame.
func (r *refusal) entry(field, value string) form.Entry {
	return form.Entry{Value: value, Problem: r.about(field)}
}

// about returns the message if field is to blame.
func (r *refusal) about(field string) string {
	if r == nil || r.Field != field {
		return ""
	}
	return r.Message
}

// rest returns the message if none of the form's fields is to blame.
func (r *refusal) rest(fields ...string) string {
	if r == nil || slices.Contains(fields, r.Field) {
		return ""
	}
	return r.Message
}

// status returns the status of the form as it is shown.
func (r *refusal) status() int {
	switch {
	case r == nil:
		return http.StatusOK
	case r.Kind == fault.Limited:
		return r.Kind.Status()
	}
	return http.StatusUnprocessableEntity
}
