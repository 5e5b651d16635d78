package door

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"polaris/models/fault"
)

// Headers that a page may send and read.
const (
	corsSend = "Authorization, X-API-Key, X-Tenant-Id, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name"
	corsRead = "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy"
)

// CheckHost refuses a Host that is not ours: a page elsewhere whose name was
// made to lead here (DNS rebinding) gets no further. What counts is the Host
// that was asked for, not the address that was reached: behind a proxy on the
// same machine they differ, and that is fine.
func (d *Door) CheckHost(r *http.Request) error {
	if d.hostAllowed(r.Host) {
		return nil
	}
	return fault.New(fault.Forbidden, "This Host is not served here. Set POLARIS_PUBLIC_URL to the address that people and programs use, or add the host to POLARIS_ALLOWED_HOSTS.").WithCode("host_not_allowed")
}

// CheckCaller refuses a request by its Host or Origin, and sets what a page of
// an allowed origin needs to see the answer, whatever that will be.
func (d *Door) CheckCaller(h http.Header, r *http.Request) error {
	h.Add("Vary", "Origin")
	origin := strings.Join(r.Header.Values("Origin"), ", ")
	allowed := origin == "" || d.originAllowed(origin)
	if len(d.CORSOrigins) > 0 && origin != "" && allowed {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", corsRead)
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", http.MethodPost)
			h.Set("Access-Control-Allow-Headers", corsSend)
			h.Set("Access-Control-Max-Age", "600")
		}
	}
	if err := d.CheckHost(r); err != nil {
		return err
	}
	if !allowed {
		return fault.New(fault.Forbidden, "Pages of this Origin may not call the endpoint. Add it to POLARIS_ALLOWED_ORIGINS, or to POLARIS_CORS_ORIGINS if its pages should read the answers.").WithCode("origin_not_allowed")
	}
	return nil
}

func (d *Door) hostAllowed(host string) bool {
	host = cleanHost(host)
	name := hostname(host)
	return host != "" && (local(name) || d.hosts[host] || d.hosts[name])
}

func (d *Door) originAllowed(origin string) bool {
	if d.origins[cleanOrigin(origin)] {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.Path == "" && u.RawQuery == "" && local(strings.ToLower(u.Hostname()))
}

// local reports whether a name is one that only this machine can mean: no name
// server is asked for it.
func local(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return !strings.Contains(name, "@")
	}
	a, err := netip.ParseAddr(name)
	return err == nil && a.Zone() == "" && a.IsLoopback()
}

// cleanHost returns a Host value as it is compared: lower case, without the
// dot that may end a full name.
func cleanHost(h string) string {
	h = strings.ToLower(strings.TrimSpace(h))
	name, port := splitHost(h)
	name = strings.TrimSuffix(name, ".")
	if port == "" {
		return name
	}
	return net.JoinHostPort(name, port)
}

// hostname returns a clean host without its port.
func hostname(h string) string {
	name, _ := splitHost(h)
	return name
}

// splitHost takes the port off a host. What follows the colon counts as a port
// only if it is a number: in "localhost:80@evil.example" it is not.
func splitHost(h string) (name, port string) {
	name, port, err := net.SplitHostPort(h)
	if err != nil {
		return strings.TrimSuffix(strings.TrimPrefix(h, "["), "]"), ""
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return h, ""
	}
	return name, port
}

func cleanOrigin(o string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(o)), "/")
}
