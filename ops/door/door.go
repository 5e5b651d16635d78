// Package door holds what every surface that programs reach over HTTP asks of a
// request before it becomes a call: is it addressed to us, may pages of its
// origin ask, what credential does it bring and does that hold, is it for the
// brain that it says, and is the caller within its rate.
//
// A [Door] decides and sets the headers that go with a decision; in which shape
// a refusal is written is each surface's own affair, so its errors are faults.
// Nothing here knows what is asked for: that is for the gate of package ops.
package door

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

// Config is what a door needs to know of the settings. PublicURL is required.
type Config struct {
	PublicURL      string         // its host and origin are allowed
	AllowedHosts   []string       // further Host values, with or without a port; local ones are allowed anyway
	AllowedOrigins []string       // further Origin values; local ones are allowed anyway
	CORSOrigins    []string       // allowed origins too; where empty, no CORS headers are sent to anybody
	TrustedProxies []netip.Prefix // whose X-Forwarded-For tells the client's address
	SessionCookie  string         // the browser session's cookie, which is no credential here; empty: none
	Log            *slog.Logger   // default: the desk's
}

// A Door is shared by the surfaces of a process and safe for concurrent use.
type Door struct {
	Config
	desk    *ops.Desk
	hosts   map[string]bool // "name" for any port, or "name:port"
	origins map[string]bool
}

// New returns the door of a process. It fails where c.PublicURL is no absolute
// URL.
func New(desk *ops.Desk, c Config) (*Door, error) {
	public, err := url.Parse(c.PublicURL)
	if err != nil || public.Hostname() == "" {
		return nil, errors.New("the public URL must be absolute, as in https://polaris.example.com")
	}
	if c.Log == nil {
		c.Log = desk.Log
	}
	d := &Door{Config: c, desk: desk, hosts: map[string]bool{cleanHost(public.Hostname()): true}, origins: map[string]bool{cleanOrigin(public.Scheme + "://" + public.Host): true}}
	for _, h := range c.AllowedHosts {
		d.hosts[cleanHost(h)] = true
	}
	for _, list := range [][]string{c.AllowedOrigins, c.CORSOrigins} {
		for _, o := range list {
			d.origins[cleanOrigin(o)] = true
		}
	}
	return d, nil
}

// credentialTimeout bounds the look-up of a credential: a database that hangs
// is an outage, and the caller should learn it while still waiting.
const credentialTimeout = 5 * time.Second

// Admit takes a program's request through all checks of a surface that only
// programs use, for answering from the published brain: credential, tenant,
// scope, rate. It sets the headers of the answer h, on refusals, too.
func (d *Door) Admit(ctx context.Context, h http.Header, r *http.Request, requestID string) (models.Principal, error) {
	credential, err := d.credential(h, r)
	if err != nil {
		return models.Principal{}, err
	}
	p, err := d.Principal(ctx, h, r, credential, requestID)
	if err != nil {
		return p, err
	}
	// The rate is taken first, so that its headers are on the refusals below,
	// too; but it has its say last.
	over := d.Take(ctx, h, p)
	if err := SameTenant(r, p); err != nil {
		return p, err
	}
	if !p.Has(models.ScopeAdvisorRead) {
		return p, lacksScope(h, p)
	}
	return p, over
}

// credential returns the one credential of a request to a surface that takes
// no sessions.
func (d *Door) credential(h http.Header, r *http.Request) (string, error) {
	credential, err := CredentialOf(r)
	if err != nil || credential != "" {
		return credential, err
	}
	if _, err := r.Cookie(d.SessionCookie); err == nil {
		return "", fault.New(fault.Forbidden, "A browser session does not open this endpoint. Make an API key under Settings → API keys, and send it as `Authorization: Bearer sk-polaris-…` or `X-API-Key`.").WithCode("session_not_accepted")
	}
	return "", Missing(h)
}

// Missing refuses a request without a credential.
func Missing(h http.Header) error {
	challenge(h, "")
	return fault.New(fault.Unauthenticated, "Send an API key as `Authorization: Bearer sk-polaris-…` or as `X-API-Key`.").WithCode("missing_credential")
}

// Principal returns whom a request's credential stands for. Addresses whose
// credentials fail too often are refused before the database is asked.
func (d *Door) Principal(ctx context.Context, h http.Header, r *http.Request, credential, requestID string) (models.Principal, error) {
	from, now := d.From(r), d.desk.Now()
	if wait := d.desk.BadKeys.Wait(from, now); wait > 0 {
		retryAfter(h, wait)
		return models.Principal{}, fault.New(fault.Limited, "Too many credentials that do not hold came from your address. Wait a minute, and check the key.").WithCode("too_many_failures")
	}
	ctx, cancel := context.WithTimeout(ctx, credentialTimeout)
	defer cancel()
	p, err := d.desk.Principal(ctx, credential)
	switch {
	case err == nil:
		return p, nil
	case fault.Is(err, fault.Unauthenticated):
		d.desk.BadKeys.Add(from, now)
		challenge(h, `error="invalid_token"`)
		return p, err
	case r.Context().Err() == nil: // that a client went away is nobody's failure
		d.Log.Error("checking a credential failed", "operation", "authenticate", "error_type", fault.TypeOf(err), "request_id", requestID)
	}
	retryAfter(h, 2*time.Second)
	return p, fault.New(fault.Unavailable, "Credentials cannot be checked just now. Try again in a moment.").Because(err)
}

// From returns the address that a request counts for.
func (d *Door) From(r *http.Request) netip.Prefix { return AddressOf(r, d.TrustedProxies) }

// Take counts the request against its caller's rate, and tells in h where the
// caller stands.
func (d *Door) Take(ctx context.Context, h http.Header, p models.Principal) error {
	_, err := d.Taken(ctx, h, p)
	return err
}

// Taken is Take, and returns what it took.
func (d *Door) Taken(ctx context.Context, h http.Header, p models.Principal) (ops.Taken, error) {
	t, err := d.desk.Take(ctx, p)
	tell(h, t)
	if err != nil {
		retryAfter(h, t.Reset)
	}
	return t, err
}

// SameTenant refuses a request that names another brain than its credential's.
func SameTenant(r *http.Request, p models.Principal) error {
	for _, t := range r.Header.Values("X-Tenant-Id") {
		if t = strings.TrimSpace(t); t != "" && t != string(p.Brain) {
			return fault.New(fault.Forbidden, "X-Tenant-Id names another brain than the one of your credential. Leave the header out: the credential decides.").WithCode("tenant_mismatch")
		}
	}
	return nil
}

// lacksScope refuses a credential that holds, and is not for this surface.
func lacksScope(h http.Header, p models.Principal) error {
	what := "key"
	if p.TokenID != "" {
		what = "token"
	}
	msg := "This " + what + " does not have the scope advisor:read, which this endpoint needs."
	if p.KeyID != "" && p.Has(models.ScopeInvoke) {
		msg += " It is an operator key: mint one with `bb apikey mint --operator --hosted` to use it here."
	}
	challenge(h, `error="insufficient_scope"`)
	return fault.New(fault.Forbidden, "%s", msg).WithCode("insufficient_scope")
}

// challenge sets WWW-Authenticate. It names no resource metadata: a client that
// finds any drops the key it was given and looks for an OAuth server.
func challenge(h http.Header, params string) {
	c := `Bearer realm="polaris"`
	if params != "" {
		c += ", " + params
	}
	h.Set("WWW-Authenticate", c+`, scope="`+string(models.ScopeAdvisorRead)+`"`)
}

// retryAfter says when trying again is worth it, in whole seconds, at least one.
func retryAfter(h http.Header, d time.Duration) {
	h.Set("Retry-After", strconv.Itoa(max(1, Seconds(d))))
}
