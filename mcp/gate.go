package mcp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// A gate decides which Host and Origin a request may carry. It keeps web pages
// of other sites, and names that were rebound to this machine, from reaching
// the endpoint through somebody's browser.
type gate struct {
	hosts   map[string]bool // "name" for any port, or "name:port"
	origins map[string]bool
	cors    bool
}

// Headers that a page may send and read.
const (
	corsSend = "Authorization, X-API-Key, X-Tenant-Id, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name"
	corsRead = "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy"
)

func newGate(public *url.URL, c Config) *gate {
	g := &gate{hosts: map[string]bool{}, origins: map[string]bool{}, cors: len(c.CORSOrigins) > 0}
	g.hosts[cleanHost(public.Hostname())] = true
	for _, h := range c.AllowedHosts {
		g.hosts[cleanHost(h)] = true
	}
	g.origins[cleanOrigin(public.Scheme+"://"+public.Host)] = true
	for _, list := range [][]string{c.AllowedOrigins, c.CORSOrigins} {
		for _, o := range list {
			g.origins[cleanOrigin(o)] = true
		}
	}
	return g
}

// check refuses a request by its Host or Origin, and else sets what a page of
// an allowed origin needs to see the answer, whatever it will be.
func (g *gate) check(h http.Header, r *http.Request) *refusal {
	h.Add("Vary", "Origin")
	origins := r.Header.Values("Origin")
	origin := strings.Join(origins, ", ")
	allowed := origin == "" || g.originAllowed(origin)
	if g.cors && origin != "" && allowed {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", corsRead)
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", http.MethodPost)
			h.Set("Access-Control-Allow-Headers", corsSend)
			h.Set("Access-Control-Max-Age", "600")
		}
	}
	// The Host that was asked for, not the address that was reached: behind a
	// proxy on the same machine they differ, and that is fine.
	if !g.hostAllowed(r.Host) {
		return refuse(http.StatusForbidden, "host_not_allowed", "This Host is not served here. Set POLARIS_PUBLIC_URL to the address that clients use, or add the host to POLARIS_ALLOWED_HOSTS.")
	}
	if !allowed {
		return refuse(http.StatusForbidden, "origin_not_allowed", "Pages of this Origin may not call the endpoint. Add it to POLARIS_ALLOWED_ORIGINS, or to POLARIS_CORS_ORIGINS if its pages should read the answers.")
	}
	return nil
}

func (g *gate) hostAllowed(host string) bool {
	host = cleanHost(host)
	name := hostname(host)
	return host != "" && (local(name) || g.hosts[host] || g.hosts[name])
}

func (g *gate) originAllowed(origin string) bool {
	if g.origins[cleanOrigin(origin)] {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.Path == "" && u.RawQuery == "" && local(strings.ToLower(u.Hostname()))
}

// local reports whether a name is one that only this machine can mean.
func local(name string) bool {
	if name == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(name)
	return err == nil && a == a.WithZone("") && (a == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || a == netip.IPv6Loopback())
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
