// Package fetch is the one way by which Polaris asks other servers for
// documents: an import by address, a refresh, a crawl.
//
// It reaches public addresses only. A name is resolved once, every address that
// it has is checked, and the checked address is the one that is dialled, so a
// name that answers differently the second time leads nowhere. Redirects go
// through the same check. Sizes, times and media types are bounded; robots.txt
// is respected; what has not changed since it was last fetched is not sent
// again. It keeps nothing and knows nothing of brains: the caller stores what it
// gets.
package fetch

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"polaris/models/fault"
)

// The bounds, where Settings do not say otherwise.
const (
	DefaultMaxBytes = 64 << 20
	DefaultTimeout  = 30 * time.Second // of one document, redirects and body included
	maxRedirects    = 5
	maxHeaders      = 256 << 10
	agent           = "Polaris" // the name that robots.txt knows us by
)

// NotReached is the code of a fault that is the other server's, and may pass.
const NotReached = "not_reached"

// A Client fetches documents. It is safe for concurrent use.
type Client struct {
	http     *http.Client
	maxBytes int64
	timeout  time.Duration
	robots   *rules
	agent    string
	pause    func(ctx context.Context, d time.Duration) error
}

// Settings are what the operator decides, and what a test puts in place of the
// network.
type Settings struct {
	Reach    Reach
	MaxBytes int64         // of a document, decompressed; 0: DefaultMaxBytes
	Timeout  time.Duration // 0: DefaultTimeout
	Contact  string        // an address for those who run the servers that are asked, put into User-Agent
}

// New returns a client.
func New(s Settings) *Client {
	c := &Client{maxBytes: s.MaxBytes, timeout: s.Timeout, agent: agent + "/1.0", pause: pause}
	if c.maxBytes <= 0 {
		c.maxBytes = DefaultMaxBytes
	}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	if s.Contact != "" {
		c.agent += " (+" + s.Contact + ")"
	}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // the environment's proxy would dial for us, unchecked
			DialContext:            s.Reach.dial,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  20 * time.Second,
			MaxResponseHeaderBytes: maxHeaders,
			DisableKeepAlives:      true, // what a server sends beyond its answer would be written to our log
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: c.redirect,
	}
	c.robots = &rules{client: c}
	return c
}

// A Seen is how a server marked the state of a document that it sent before.
type Seen struct {
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
}

// A Response is a document as a server sent it.
type Response struct {
	URL       string // after redirects
	Unchanged bool   // since Seen; Data is empty then
	MediaType string // as the server says, without parameters; a hint
	Name      string // of the file: the server's, else the address's last part
	Data      []byte
	Seen      Seen
}

// Get fetches one document, unless robots.txt forbids it. Its errors are faults
// that name the address's host and never what an inner server answered.
func (c *Client) Get(ctx context.Context, address string, seen Seen) (*Response, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if err := c.allowed(ctx, u); err != nil {
		return nil, err
	}
	return c.get(ctx, u, seen)
}

func (c *Client) get(ctx context.Context, u *url.URL, seen Seen) (*Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, fault.Field("url", "This is not an address that can be fetched.").Because(err)
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", "text/html, application/pdf, text/markdown, text/plain, application/xml, */*;q=0.5")
	if seen.ETag != "" {
		req.Header.Set("If-None-Match", seen.ETag)
	}
	if seen.LastModified != "" {
		req.Header.Set("If-Modified-Since", seen.LastModified)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, failed(u, err)
	}
	defer func() { _ = res.Body.Close() }()
	out := &Response{URL: res.Request.URL.String(), Seen: Seen{res.Header.Get("ETag"), res.Header.Get("Last-Modified")}}
	switch {
	case res.StatusCode == http.StatusNotModified && seen != (Seen{}):
		out.Unchanged = true
		if out.Seen == (Seen{}) {
			out.Seen = seen
		}
		return out, nil
	case res.StatusCode != http.StatusOK:
		return nil, refusal(res.Request.URL, res)
	}
	if !readable(res) {
		return nil, fault.New(fault.Unsupported, "%s sent %q, which is not a document.", u.Host, mediaType(res))
	}
	if out.Data, err = c.body(res); err != nil {
		return nil, failed(u, err)
	}
	out.MediaType, out.Name = mediaType(res), fileName(res)
	return out, nil
}

// body reads at most maxBytes, after decompression.
func (c *Client) body(res *http.Response) ([]byte, error) {
	tooLarge := fault.New(fault.TooLarge, "The document at %s has more than %d bytes.", res.Request.URL.Host, c.maxBytes)
	if res.ContentLength > c.maxBytes {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, c.maxBytes+1))
	if int64(len(data)) > c.maxBytes {
		return nil, tooLarge
	}
	return data, err
}

// Check refuses what is no address that could be fetched. Whether its server may
// be asked is found out when it is.
func Check(address string) error {
	_, err := parse(address)
	return err
}

// parse reads an address: http or https, a host, no user.
func parse(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "":
		return nil, fault.Field("url", "An address reads https://host/path.")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fault.Field("url", "Only http and https addresses are fetched.")
	case u.User != nil:
		return nil, fault.Field("url", "An address with a user or password in it is not fetched.")
	case len(address) > 2048:
		return nil, fault.Field("url", "An address is at most 2048 bytes long.")
	}
	u.Fragment = ""
	return u, nil
}

// redirect holds a redirect to the rules that the address itself met, those of
// the robots.txt of where it leads among them.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fault.New(fault.Unavailable, "%s redirects more than %d times.", via[0].URL.Host, maxRedirects).WithCode(NotReached)
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return fault.New(fault.Forbidden, "%s redirects from https to an address that is not.", via[0].URL.Host)
	}
	u, err := parse(req.URL.String())
	if err != nil || via[0].URL.Path == robotsPath {
		return err
	}
	return c.allowed(req.Context(), u)
}

// allowed refuses what robots.txt forbids.
func (c *Client) allowed(ctx context.Context, u *url.URL) error {
	ok, err := c.robots.allow(ctx, u)
	if err == nil && !ok {
		err = fault.New(fault.Forbidden, "robots.txt of %s does not allow this address.", u.Host).WithCode("robots")
	}
	return err
}

// refusal says that a server did not send the document.
func refusal(u *url.URL, res *http.Response) error {
	switch res.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		return fault.New(fault.NotFound, "%s has no such document (%d).", u.Host, res.StatusCode)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.New(fault.Forbidden, "%s does not give this document to everybody (%d).", u.Host, res.StatusCode)
	}
	return fault.New(fault.Unavailable, "%s answered with status %d. Try again later.", u.Host, res.StatusCode).WithCode(NotReached)
}

// failed turns what went wrong on the way into a fault; one that is a fault
// already, like a forbidden address, stays as it is.
func failed(u *url.URL, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, "%s did not send the document in time.", u.Host).WithCode(NotReached).Because(err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.New(fault.Unavailable, "%s sent only part of the document.", u.Host).WithCode(NotReached).Because(err)
	}
	return fault.New(fault.Unavailable, "%s cannot be reached.", u.Host).WithCode(NotReached).Because(err)
}

// media that are never a document, whatever they hold.
var never = []string{"image/", "audio/", "video/", "font/", "text/css", "text/javascript", "application/javascript", "application/wasm"}

func readable(res *http.Response) bool {
	m := mediaType(res)
	for _, n := range never {
		if strings.HasPrefix(m, n) {
			return false
		}
	}
	return true
}

func mediaType(res *http.Response) string {
	m, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return m
}

// fileName returns the name that the server gives, or the last part of the
// address. It is shown and never opened.
func fileName(res *http.Response) string {
	if _, p, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil && p["filename"] != "" {
		return path.Base(strings.ReplaceAll(p["filename"], `\`, "/"))
	}
	if b := path.Base(res.Request.URL.Path); b != "." && b != "/" {
		return b
	}
	return res.Request.URL.Hostname()
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
