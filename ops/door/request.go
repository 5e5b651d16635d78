package door

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

// What a request says of itself before it becomes a call is read here, in one
// way for all surfaces that speak HTTP.

// CredentialOf returns the one key or token of a request, "" for none. It reads
// two headers and nothing else: no query, no cookie, no body. An Authorization
// of another scheme is somebody else's: a proxy's own Basic, say.
func CredentialOf(r *http.Request) (string, error) {
	auths, keys := r.Header.Values("Authorization"), r.Header.Values("X-API-Key")
	var bearer, key string
	if len(auths) == 1 {
		scheme, token, _ := strings.Cut(strings.TrimSpace(auths[0]), " ")
		if strings.EqualFold(scheme, "Bearer") {
			bearer = strings.TrimSpace(token)
		}
	}
	if len(keys) == 1 {
		key = strings.TrimSpace(keys[0])
	}
	if len(auths) > 1 || len(keys) > 1 || bearer != "" && key != "" && bearer != key {
		return "", fault.New(fault.Invalid, "Send one credential, once: either `Authorization: Bearer …` or `X-API-Key`.").WithCode("conflicting_credentials")
	}
	if bearer != "" {
		return bearer, nil
	}
	return key, nil
}

// RequestIDHeader carries a request's id, both ways.
const RequestIDHeader = "X-Request-Id"

// RequestID returns the id that the client or a proxy gave a request where it
// is a plain word, and else a new one: anything more would be a stranger's text
// in our log and audit rows.
func RequestID(r *http.Request) string {
	const longest = 64
	id := r.Header.Get(RequestIDHeader)
	odd := func(c rune) bool {
		return c != '-' && c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}
	if id == "" || len(id) > longest || models.RedactIn(id) != id || strings.ContainsFunc(id, odd) {
		return models.NewID("req")
	}
	return id
}

// tell writes into an answer's header where the caller stands with its rate.
// Where there is no limit there is nothing to tell.
func tell(h http.Header, t ops.Taken) {
	if t.Limit == 0 {
		return
	}
	h.Set("RateLimit-Policy", fmt.Sprintf(`"default";q=%d;w=%d`, t.Limit, Seconds(t.Window)))
	h.Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, t.Remaining, Seconds(t.Reset)))
}

// Seconds returns d in whole seconds, rounded up: whoever waits so long may go
// on.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// ClientOf returns the address that a request came from: the peer's, or, behind
// trusted proxies, what X-Forwarded-For says as far back as they wrote it. It is
// false for a unix socket, which has none.
func ClientOf(r *http.Request, trusted []netip.Prefix) (netip.Addr, bool) {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, false
	}
	at := ap.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && within(trusted, at); i-- {
		hop, ok := hopAddr(strings.TrimSpace(hops[i]))
		if !ok {
			break
		}
		at = hop.Unmap()
	}
	return at.WithZone(""), true
}

// hopAddr reads one address of X-Forwarded-For. Some proxies write the client's
// port beside it; read as no address, all of their clients would be one, and one
// who fails too often would keep the others out.
func hopAddr(s string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(s); err == nil {
		return a, true
	}
	if inner, ok := strings.CutPrefix(s, "["); ok && strings.HasSuffix(inner, "]") {
		a, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return a, err == nil
	}
	ap, err := netip.ParseAddrPort(s)
	return ap.Addr(), err == nil
}

// AddressOf returns where a request came from, as far as failures are counted:
// an IPv4 address, or the /64 of an IPv6 one, which is what one customer gets.
func AddressOf(r *http.Request, trusted []netip.Prefix) netip.Prefix {
	at, known := ClientOf(r, trusted)
	if !known {
		return netip.Prefix{} // all callers of a unix socket are one
	}
	bits := at.BitLen()
	if at.Is6() {
		bits = 64
	}
	p, _ := at.Prefix(bits) // cannot fail: bits fits the address
	return p
}

func within(networks []netip.Prefix, a netip.Addr) bool {
	for _, p := range networks {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
