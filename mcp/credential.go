package mcp

import (
	"net/http"
	"strings"
)

// token returns the one credential of a request. It reads two headers and
// nothing else: no query, no cookie, no body, no Basic credentials.
func (f *front) token(r *http.Request) (string, *refusal) {
	auths, keys := r.Header.Values("Authorization"), r.Header.Values("X-API-Key")
	conflict := refuse(http.StatusBadRequest, "conflicting_credentials", "Send one credential, once: either `Authorization: Bearer …` or `X-API-Key`.")
	if len(auths) > 1 || len(keys) > 1 {
		return "", conflict
	}
	bearer, key := bearerOf(auths), ""
	if len(keys) == 1 {
		key = strings.TrimSpace(keys[0])
	}
	switch {
	case bearer != "" && key != "" && bearer != key:
		return "", conflict
	case bearer != "":
		return bearer, nil
	case key != "":
		return key, nil
	}
	if _, err := r.Cookie(f.SessionCookie); err == nil {
		return "", refuse(http.StatusForbidden, "session_not_accepted", "A browser session does not open this endpoint. Make an API key under Settings → API keys, and send it as `Authorization: Bearer sk-polaris-…` or `X-API-Key`.")
	}
	return "", refuse(http.StatusUnauthorized, "missing_credential", "Send an API key as `Authorization: Bearer sk-polaris-…` or as `X-API-Key`.").challenge("")
}

// bearerOf returns the token of an Authorization header of the Bearer scheme.
// Other schemes are somebody else's (a proxy's own Basic, say).
func bearerOf(auths []string) string {
	if len(auths) == 0 {
		return ""
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(auths[0]), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// looksLikeJWT reports whether a credential has the three parts of a signed
// token, so that its holder is told about tokens and not about keys.
func looksLikeJWT(s string) bool {
	parts := strings.Split(s, ".")
	return len(parts) == 3 && parts[0] != "" && parts[1] != ""
}
