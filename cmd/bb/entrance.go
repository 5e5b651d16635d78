package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"polaris/models/fault"
	"polaris/web"
)

// An entrance is the listening socket with the HTTP server behind it. It
// answers from its first moment on: that the process is alive, that it is not
// ready, and, once there is a server to serve, what that says.
type entrance struct {
	net.Listener
	http    *http.Server
	handler atomic.Pointer[http.Handler]
	ended   chan error         // how serving ended
	cut     context.CancelFunc // ends every request
}

// listen binds the address and begins to answer.
func listen(addr string, log *slog.Logger) (*entrance, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, cannotBind(addr, err)
	}
	requests, cut := context.WithCancel(context.Background())
	e := &entrance{Listener: l, ended: make(chan error, 1), cut: cut}
	e.http = &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*e.handler.Load()).ServeHTTP(w, r) }),
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       2 * time.Minute, // an upload of the largest document on a slow line
		WriteTimeout:      2 * time.Minute, // over the 50 s that any answer may take
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	e.serve(web.Starting())
	go func() { e.ended <- e.http.Serve(l) }()
	return e, nil
}

// cannotBind says why the address is not ours, and what to do where another
// program has it: most often a server that was left running.
func cannotBind(addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fault.New(fault.Conflict, "%s cannot be bound: another program, perhaps another Polaris, listens there. Stop it, or choose another address with --listen and --public-url.", addr)
	}
	return fault.New(fault.Conflict, "%s cannot be bound: %v.", addr, errors.Unwrap(err))
}

// serve says what answers from now on.
func (e *entrance) serve(h http.Handler) { e.handler.Store(&h) }

// close ends everything at once.
func (e *entrance) close() {
	e.cut()
	_ = e.http.Close() // whatever it says, the process ends
}

// drain stops accepting and lets what is in flight end. What takes longer than
// the grace period is cut off, and the error says how much that was.
func (e *entrance) drain(grace time.Duration, inFlight func() int) error {
	limit, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if e.http.Shutdown(limit) == nil {
		return nil
	}
	n := inFlight()
	e.close()
	// The handlers see that their requests have ended; give them the moment they
	// need to let go of the database before it is closed under them.
	for end := time.Now().Add(2 * time.Second); inFlight() > 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if n == 0 {
		return nil // only connections without a request were left
	}
	return fault.New(fault.Unavailable, "%d requests were cut off at the end of the grace period of %s (POLARIS_SHUTDOWN_GRACE).", n, grace)
}
