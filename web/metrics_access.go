package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"polaris/ops/door"
)

// mayScrape reports whether a request may read the metrics: it comes from this
// machine itself, or from a network of POLARIS_METRICS_ALLOW. What a proxy
// passes on never counts as this machine's own, although it arrives over
// loopback where the proxy runs here: it shows by the headers that proxies add,
// by a Host that is not loopback's, or by the HTTP/1.0 that nginx speaks where
// it was told nothing.
func (s *Server) mayScrape(r *http.Request) bool {
	host, literal := hostOf(r)
	if !literal && s.door.CheckHost(r) != nil {
		return false // a name that was made to lead here
	}
	from, known := door.ClientOf(r, s.door.TrustedProxies)
	if !known {
		return false
	}
	if forwarded(r.Header) {
		// Only what a proxy of ours says counts, and it says it in X-Forwarded-For.
		peer, _ := door.ClientOf(r, nil)
		return r.Header.Get("X-Forwarded-For") != "" && holds(s.door.TrustedProxies, peer) && holds(s.conf.MetricsAllow, from)
	}
	if holds(s.conf.MetricsAllow, from) {
		return true
	}
	return from.IsLoopback() && (host.IsLoopback() || localName(r)) && r.ProtoAtLeast(1, 1)
}

// hostOf returns the address that a request's Host is, if it is one. No name
// server can make one lead elsewhere.
func hostOf(r *http.Request) (netip.Addr, bool) {
	a, err := netip.ParseAddr(hostName(r))
	return a.Unmap(), err == nil
}

func localName(r *http.Request) bool { return strings.EqualFold(hostName(r), "localhost") }

func hostName(r *http.Request) string {
	if h, _, err := net.SplitHostPort(r.Host); err == nil {
		return h
	}
	return strings.Trim(r.Host, "[]")
}

// proxyHeaders are what proxies and content networks add to a request, beside
// X-Forwarded-anything.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For", "X-Original-Host", "X-Envoy-External-Address",
	"Cf-Connecting-Ip", "Cf-Ray", "True-Client-Ip", "Fastly-Client-Ip", "Fly-Client-Ip",
}

func forwarded(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "X-Forwarded-") || slices.Contains(proxyHeaders, name) {
			return true
		}
	}
	return false
}

func holds(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(a) })
}
