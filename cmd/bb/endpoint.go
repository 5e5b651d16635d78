package main

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"polaris/models/fault"
)

// An endpoint is a hosted Polaris as a client meets it: smoke and connect ask
// one over the network, and need neither a database nor a data folder.
type endpoint struct {
	origin string // "https://polaris.example.org"
	mcp    string // address of the MCP endpoint
	local  bool   // on this machine, so that nothing goes over a network
	key    string
	client *http.Client
}

// newEndpoint reads what was given as an address: an origin, or the whole
// address of the MCP endpoint where that is not at /v1/mcp. Anything else in it
// is refused before anything is sent, and never repeated: a password or a key
// may be in it.
func newEndpoint(address, key string) (*endpoint, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		return nil, fault.Field("url", "This is no address of a server. Give one such as https://polaris.example.org, or https://polaris.example.org/v1/mcp.")
	case u.User != nil:
		return nil, fault.Field("url", "The address has a user name or a password in it. Leave that out: the key comes from POLARIS_API_KEY.")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(address, "#"):
		return nil, fault.Field("url", "The address has a query or a fragment. Leave that out: the key comes from POLARIS_API_KEY.")
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fault.Field("api_key", "The API key has characters that no key has. Copy it anew.")
	}
	e := &endpoint{origin: u.Scheme + "://" + u.Host, key: key, local: localHost(u.Hostname())}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	if path == "" {
		path = "/v1/mcp"
	}
	e.mcp = e.origin + path
	e.client = &http.Client{
		// A redirect may lead to somebody else, and the key must not.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxIdleConnsPerHost:    16,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: 1 << 20,
		},
	}
	return e, nil
}

// unpooled returns a client like the endpoint's that keeps no connection for the
// next request.
func (e *endpoint) unpooled() *http.Client {
	t := e.client.Transport.(*http.Transport).Clone()
	t.DisableKeepAlives = true
	t.TLSClientConfig = &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(4)} // its handshakes are short ones
	return &http.Client{CheckRedirect: e.client.CheckRedirect, Transport: t}
}

// clear reports whether what is sent to the endpoint can be read on the way.
func (e *endpoint) clear() bool { return strings.HasPrefix(e.origin, "http://") && !e.local }

// localHost reports whether a name is one that only this machine can mean.
func localHost(name string) bool {
	if strings.EqualFold(strings.TrimSuffix(name, "."), "localhost") {
		return true
	}
	a, err := netip.ParseAddr(name)
	return err == nil && a.Unmap().IsLoopback()
}

// unreached says in one sentence why a request got no answer, and what to do
// about it. Nothing of the request is repeated.
func unreached(err error) string {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &dns):
		return "The host's name is not known. Check the address, and DNS."
	case errors.As(err, &certificate):
		return "The TLS certificate does not hold for this name (" + certificate.Err.Error() + "). Renew it, or serve the whole chain."
	case errors.As(err, &record):
		return "The server does not speak TLS on this port. Use http:// for a server without TLS, or the port that has it."
	case errors.As(err, &alert):
		return "The TLS handshake failed (" + alert.Error() + "). Check the TLS settings of the proxy."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Nothing listens there. Is the server running, and POLARIS_LISTEN or the proxy's port what is in the address?"
	case os.IsTimeout(err):
		return "There was no answer in time. Is a firewall in between, or does a proxy hold answers back?"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), strings.Contains(err.Error(), "EOF"):
		return "The connection was cut before there was an answer. Look at the log of the proxy or the server."
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "The server does not speak TLS on this port. Use http:// for a server without TLS, or the port that has it."
	case strings.Contains(err.Error(), "malformed HTTP"):
		return "What answers there is no HTTP server."
	}
	return "The server could not be reached."
}
