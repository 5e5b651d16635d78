package mcp

import (
	"encoding/json"
	"net/http"

	"polaris/models/fault"
	"polaris/ops/door"
)

// methodNotAllowed is the one refusal that is no kind of fault: only HTTP has
// methods.
var methodNotAllowed = fault.New(fault.Invalid, "Send MCP messages with POST; this endpoint opens no stream.").WithCode("method_not_allowed")

// types are the coarse groups that error objects carry beside their code.
var types = map[int]string{
	http.StatusUnauthorized:       "authentication_error",
	http.StatusForbidden:          "permission_error",
	http.StatusTooManyRequests:    "rate_limit_error",
	http.StatusServiceUnavailable: "api_error",
}

// refuse writes the plain HTTP answer to a request that never became a JSON-RPC
// message.
func refuse(w http.ResponseWriter, err error) {
	f := fault.Of(err)
	status := f.Kind.Status()
	if f.Code == methodNotAllowed.Code {
		status = http.StatusMethodNotAllowed
	}
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Type    string `json:"type"`
		} `json:"error"`
	}
	body.Error.Code, body.Error.Message, body.Error.Type = f.Code, f.Message, types[status]
	if body.Error.Type == "" {
		body.Error.Type = "invalid_request_error"
	}
	door.Refusing(w)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // whoever went away does not read it
}
