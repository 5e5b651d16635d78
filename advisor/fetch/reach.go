package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"code.dny.dev/ssrf"

	"polaris/models/fault"
)

// A Reach says which addresses may be dialled, and how.
type Reach struct {
	// Allow are networks that may be asked though they are not public: an
	// intranet's, where the operator says so. Their ports are not restricted.
	Allow []netip.Prefix

	// Resolve returns a name's addresses; nil: the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)

	// Dial connects to an address that was found to be allowed; nil: the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// public knows the special-purpose registries of IANA.
var public = ssrf.New(ssrf.WithPorts(80, 443))

// dial resolves a host, refuses it if any of its addresses is not to be reached
// (a name with one public and one inner address is nobody's honest mistake), and
// dials the very addresses that were checked.
func (r Reach) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	host, p, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(p, 10, 16)
	if err != nil {
		return nil, err
	}
	addrs, err := r.resolve(ctx, host)
	if err != nil {
		return nil, fault.New(fault.NotFound, "There is no server named %s.", host).WithCode("unknown_host").Because(err)
	}
	for i, a := range addrs {
		addrs[i] = a.Unmap()
		if !r.allowed(addrs[i], uint16(port)) {
			return nil, fault.New(fault.Forbidden, "%s is not a public server on port 80 or 443. Only those are asked, and what POLARIS_FETCH_ALLOW names.", host).WithCode("address_not_allowed")
		}
	}
	dial := r.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	var failures []error
	for _, a := range addrs[:min(len(addrs), 4)] {
		conn, err := dial(ctx, network, netip.AddrPortFrom(a, uint16(port)).String())
		if err == nil {
			return conn, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

func (r Reach) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	var addrs []netip.Addr
	var err error
	if r.Resolve != nil {
		addrs, err = r.Resolve(ctx, host)
	} else {
		addrs, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	if err == nil && len(addrs) == 0 {
		err = errors.New("no address")
	}
	return slices.Clone(addrs), err
}

func (r Reach) allowed(a netip.Addr, port uint16) bool {
	if a.Zone() != "" {
		return false
	}
	for _, p := range r.Allow {
		if p.Contains(a) {
			return true
		}
	}
	network := "tcp4"
	if a.Is6() {
		network = "tcp6"
	}
	return public.Safe(network, netip.AddrPortFrom(a, port).String(), nil) == nil
}
