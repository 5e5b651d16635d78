package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"polaris/models/fault"
	"polaris/ops/door"
)

// methodNotAllowed is the code of the one refusal that is no kind of fault: only
// HTTP has methods.
const methodNotAllowed = "method_not_allowed"

// nothingHere answers the rest of OpenAI's API, the Responses API above all,
// which its newer clients try by default.
var nothingHere = fault.New(fault.NotFound, "There is nothing at this address. This server has chat completions (POST /v1/chat/completions) and models (GET /v1/models), and no other part of the API: set your client to use chat completions.").WithCode("not_found")

// tooLate answers a question that took longer than any may.
var tooLate = fault.New(fault.Unavailable, "The answer took too long. Try again in a moment.").WithCode("timeout")

// types are the coarse groups by which clients sort errors.
var types = map[int]string{
	http.StatusUnauthorized:    "authentication_error",
	http.StatusForbidden:       "permission_error",
	http.StatusTooManyRequests: "rate_limit_error",
}

// refuse writes an error in OpenAI's shape.
func refuse(w http.ResponseWriter, err error) {
	f := fault.Of(err)
	if f.Kind == fault.Internal && errors.Is(err, context.DeadlineExceeded) {
		f = tooLate
	}
	status := f.Kind.Status()
	if f.Code == methodNotAllowed {
		status = http.StatusMethodNotAllowed
	}
	if status == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "2")
	}
	var body struct {
		Error struct {
			Message string  `json:"message"`
			Type    string  `json:"type"`
			Param   *string `json:"param"` // null where no field is to blame
			Code    string  `json:"code"`
		} `json:"error"`
	}
	body.Error.Message, body.Error.Code, body.Error.Type = f.Message, f.Code, "invalid_request_error"
	if f.Field != "" {
		body.Error.Param = &f.Field
	}
	if t, ok := types[status]; ok {
		body.Error.Type = t
	} else if status >= http.StatusInternalServerError {
		body.Error.Type = "server_error"
	}
	door.Refusing(w)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // whoever went away does not read it
}
