// Package mcp serves the operations of package ops to agents over the Model
// Context Protocol, at the hosted endpoint.
//
// It is mcp-go behind a front of our own, because the library alone answers
// malformed messages, unknown callers and failing tools in ways that break
// clients or leak. A request passes the front's checks in one fixed order
// ([front.ServeHTTP]), becomes an [envelope], and only then reaches the
// library, as a message that the front has written anew: what the front did
// not understand, the library does not see. Tools are made from the catalog
// ([toolset]); their handlers run one operation each and know nothing else.
//
// The package keeps no state between requests: there are no sessions, and no request can reach another's.
package mcp

import (
	"cmp"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"polaris/ops"
	"polaris/ops/door"
)

// Config is what the endpoint needs to know besides the desk and the door.
// Everything has a default.
type Config struct {
	Path     string        // default "/v1/mcp"; served with and without a slash at the end
	MaxBody  int64         // bytes; default 1 MiB
	Deadline time.Duration // for a whole request; default 50 s
	Version  string        // release, in serverInfo; default "dev"
	Log      *slog.Logger  // default: the desk's
	Catalog  ops.Catalog   // default: every operation
}

// withDefaults returns c with what was left out filled in.
func (c Config) withDefaults(d *ops.Desk) Config {
	c.Path = cmp.Or(c.Path, "/v1/mcp")
	c.Version = cmp.Or(c.Version, "dev")
	c.MaxBody = cmp.Or(c.MaxBody, 1<<20)
	c.Deadline = cmp.Or(c.Deadline, 50*time.Second) // clients give up at 60
	c.Log = cmp.Or(c.Log, d.Log)
	if c.Catalog == nil {
		c.Catalog = ops.All()
	}
	return c
}

// Hosted returns the handler of the hosted endpoint. It answers at c.Path and
// at c.Path with a slash, alike, and 404 anywhere else. It fails where an
// operation cannot be made a tool.
func Hosted(d *ops.Desk, at *door.Door, c Config) (http.Handler, error) {
	c = c.withDefaults(d)
	tools, err := newToolset(c.Catalog.On(ops.Hosted))
	if err != nil {
		return nil, err
	}
	f := &front{Config: c, desk: d, door: at, tools: tools}
	f.library = newLibrary(f)
	path := strings.TrimRight(c.Path, "/")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.TrimSuffix(r.URL.Path, "/") != path {
			http.NotFound(w, r)
			return
		}
		f.ServeHTTP(w, r)
	}), nil
}
