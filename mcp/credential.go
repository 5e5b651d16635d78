package mcp

import (
	"net/http"

	"polaris/models/fault"
	"polaris/ops"
)

// token returns the one credential of a request.
func (f *front) token(r *http.Request) (string, *refusal) {
	token, err := ops.CredentialOf(r)
	if err != nil {
		what := fault.Of(err)
		return "", refuse(http.StatusBadRequest, what.Code, what.Message)
	}
	if token != "" {
		return token, nil
	}
	if _, err := r.Cookie(f.SessionCookie); err == nil {
		return "", refuse(http.StatusForbidden, "session_not_accepted", "A browser session does not open this endpoint. Make an API key under Settings → API keys, and send it as `Authorization: Bearer sk-polaris-…` or `X-API-Key`.")
	}
	return "", refuse(http.StatusUnauthorized, "missing_credential", "Send an API key as `Authorization: Bearer sk-polaris-…` or as `X-API-Key`.").challenge("")
}
