package web

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"polaris/models/fault"
	"polaris/ops/door"
	"polaris/static"
)

// logged writes one line for each request: what was asked for as the route, so
// that no title, token or key of an address gets into the log.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := door.RequestID(r)
		r.Header.Set(door.RequestIDHeader, id)
		w.Header().Set(door.RequestIDHeader, id)
		answered := s.arrivals.watch(w, r)
		defer answered()
		rec := &recorder{ResponseWriter: w, status: http.StatusOK, begins: answered}
		s.metrics.inFlight.Add(1)
		defer s.metrics.inFlight.Add(-1)
		next.ServeHTTP(rec, r)
		s.metrics.answered(rec.route, r.Method, rec.status, time.Since(start))
		s.conf.Log.Log(r.Context(), levelOf(rec), "request", "method", known(r.Method), "route", rec.route, "status", rec.status,
			"duration_ms", float64(time.Since(start).Microseconds())/1000, "request_id", id)
	})
}

// levelOf keeps what probes ask each second, and what comes with each page, out
// of the log unless it went wrong.
func levelOf(rec *recorder) slog.Level {
	if rec.status < http.StatusBadRequest && (rec.route == "/live" || rec.route == "/health" || rec.route == metricsPath || rec.route == static.Prefix+"*") {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// known keeps invented methods out of the log.
func known(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "other"
}

// A recorder remembers what was sent, for the log.
type recorder struct {
	http.ResponseWriter
	status int
	route  string
	wrote  bool
	begins func() // is called before anything is sent: net/http reads the rest of the body first
}

// WriteHeader notes the status.
func (r *recorder) WriteHeader(status int) {
	r.begin(status)
	r.ResponseWriter.WriteHeader(status)
}

// Write notes that the header is out.
func (r *recorder) Write(b []byte) (int, error) {
	r.begin(http.StatusOK)
	return r.ResponseWriter.Write(b)
}

func (r *recorder) begin(status int) {
	if !r.wrote && status >= http.StatusOK {
		r.status, r.wrote = status, true
		r.begins()
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// routed notes the route of a request for the log.
func routed(w http.ResponseWriter, route string) {
	if rec, ok := w.(*recorder); ok {
		rec.route = route
	}
}

func requestID(c echo.Context) string { return c.Request().Header.Get(door.RequestIDHeader) }

// recovered turns a panic into an error, and notes the route. It is the first
// guard, so a panic in another one does not get past it.
func (s *Server) recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		routed(c.Response().Writer, c.Path())
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so, too
				panic(v)
			}
			s.conf.Log.Error("a handler panicked", "route", c.Path(), "request_id", requestID(c), "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic in %s", c.Path())
		}()
		return next(c)
	}
}

// hostAllowed refuses names that are not ours. Probes come by address and are
// let through.
func (s *Server) hostAllowed(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		probe := c.Path() == "/live" || c.Path() == "/health" || c.Path() == metricsPath && s.mayScrape(c.Request())
		if !probe {
			if err := s.door.CheckHost(c.Request()); err != nil {
				return err
			}
		}
		return next(c)
	}
}

// headers sets what every answer carries. The nonce is made anew for each
// request, and reaches the pages where templ looks for it.
func (s *Server) headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		nonce := rand.Text()
		c.SetRequest(c.Request().WithContext(templ.WithNonce(c.Request().Context(), nonce)))
		h := c.Response().Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "+
			"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types htmx")
		h.Set("X-Content-Type-Options", "nosniff")
		// Not no-referrer: with that, browsers send `Origin: null` with forms, which
		// sameOrigin must refuse where there is no Sec-Fetch-Site (plain HTTP).
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		return next(c)
	}
}

// sameOrigin refuses what another site's page makes a browser send. A request
// with a key of its own is no browser acting on a cookie.
func (s *Server) sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if isAPI(r.URL.Path) && carriesKey(r) {
			return next(c)
		}
		if err := s.origins.Check(r); err != nil {
			return fault.New(fault.Forbidden, "This came from a page of another site, so nothing was done. If you use this server through another name, set POLARIS_PUBLIC_URL to it.").WithCode("origin_not_allowed").Because(err)
		}
		return next(c)
	}
}

// bounded limits the body.
func (s *Server) bounded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !uploads[r.Method+" "+c.Path()] { // those say for themselves how much they read
			r.Body = http.MaxBytesReader(c.Response(), r.Body, s.conf.MaxBody)
		}
		return next(c)
	}
}

func isAPI(path string) bool { return path == "/v1" || strings.HasPrefix(path, "/v1/") }
