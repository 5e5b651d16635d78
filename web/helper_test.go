package web

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// late is a handler that is told later what to do: a test server's address is
// known only once it listens.
type late struct{ h atomic.Pointer[http.Handler] }

func (l *late) set(h http.Handler) { l.h.Store(&h) }

func (l *late) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*l.h.Load()).ServeHTTP(w, r) }

// locked lets many write to one buffer.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
