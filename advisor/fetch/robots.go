package fetch

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/temoto/robotstxt"

	"polaris/models/fault"
)

// What robots.txt may take.
const (
	robotsPath    = "/robots.txt"
	maxRobots     = 500 << 10 // bytes; RFC 9309 asks for at least as many
	robotsKept    = 24 * time.Hour
	maxHosts      = 1000 // remembered
	defaultDelay  = time.Second
	maxCrawlDelay = 30 * time.Second
)

// rules remembers what robots.txt of each origin says.
type rules struct {
	client *Client

	mu sync.Mutex
	of map[string]rule
}

type rule struct {
	robots *robotstxt.RobotsData
	until  time.Time
}

// allow reports whether robots.txt lets us have u. It is an error if that
// cannot be learned.
func (r *rules) allow(ctx context.Context, u *url.URL) (bool, error) {
	robots, err := r.get(ctx, u)
	if err != nil {
		return false, err
	}
	p := u.EscapedPath()
	if u.RawQuery != "" {
		p += "?" + u.RawQuery
	}
	return robots.TestAgent(p, agent), nil
}

// delay returns how long to wait between two requests to u's server.
func (r *rules) delay(ctx context.Context, u *url.URL) time.Duration {
	robots, err := r.get(ctx, u)
	if err != nil {
		return defaultDelay
	}
	return min(max(robots.FindGroup(agent).CrawlDelay, defaultDelay), maxCrawlDelay)
}

func (r *rules) get(ctx context.Context, u *url.URL) (*robotstxt.RobotsData, error) {
	origin := u.Scheme + "://" + u.Host
	r.mu.Lock()
	known, ok := r.of[origin]
	r.mu.Unlock()
	if ok && time.Now().Before(known.until) {
		return known.robots, nil
	}
	robots, err := r.client.robotsOf(ctx, origin)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil || len(r.of) >= maxHosts {
		r.of = map[string]rule{}
	}
	r.of[origin] = rule{robots, time.Now().Add(robotsKept)}
	return robots, nil
}

// robotsOf asks an origin, as RFC 9309 says: what is not there allows all, what
// fails on their side allows nothing.
func (c *Client) robotsOf(ctx context.Context, origin string) (*robotstxt.RobotsData, error) {
	u, err := parse(origin + robotsPath)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.agent)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, failed(u, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= 500 {
		return nil, fault.New(fault.Unavailable, "%s cannot say what may be fetched: its robots.txt answers with status %d. Try again later.", u.Host, res.StatusCode).WithCode(NotReached)
	}
	if res.StatusCode != http.StatusOK {
		return robotstxt.FromString("")
	}
	// What is beyond the limit is not read, as RFC 9309 has it, and neither is the
	// line that it cuts in two.
	data, err := io.ReadAll(io.LimitReader(res.Body, maxRobots))
	if err != nil {
		return nil, fault.New(fault.Unavailable, "robots.txt of %s cannot be read.", u.Host).WithCode(NotReached).Because(err)
	}
	if len(data) == maxRobots {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	robots, err := robotstxt.FromString(strings.ToValidUTF8(string(data), ""))
	if err != nil { // what says nothing forbids nothing
		return robotstxt.FromString("")
	}
	return robots, nil
}
