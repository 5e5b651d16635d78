package web

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// leftover is how long the rest of a body is waited for when its request is
// being answered: net/http reads it before it sends what does not fit its
// buffer, and before it lets go of the connection.
const leftover = time.Second

// arrivals are the requests whose bodies are still on their way.
type arrivals struct {
	until atomic.Int64 // by then all must be here, in Unix nanoseconds; 0 while the server is not draining
	mu    sync.Mutex
	on    map[*arriving]struct{}
}

// An arriving is one body on its way.
type arriving struct {
	io.ReadCloser
	all  *arrivals
	conn *http.ResponseController
}

// watch puts r's body under observation until it ends, and returns what to do
// when the request begins to be answered, and once more when it is.
func (a *arrivals) watch(w http.ResponseWriter, r *http.Request) (answered func()) {
	if r.Body == nil || r.Body == http.NoBody {
		return func() {}
	}
	b := &arriving{r.Body, a, http.NewResponseController(w)}
	r.Body = b
	a.mu.Lock()
	defer a.mu.Unlock()
	a.on[b] = struct{}{}
	return func() {
		if a.leave(b) {
			_ = b.conn.SetReadDeadline(time.Now().Add(leftover))
		}
	}
}

// closeAt sets by when every body must have arrived, those of requests to come
// too.
func (a *arrivals) closeAt(until time.Time) {
	a.until.Store(until.UnixNano())
	a.mu.Lock()
	defer a.mu.Unlock()
	for b := range a.on {
		b.limit()
	}
}

// limit bounds how long the body is waited for, whatever its handler may have
// set, once the server drains.
func (b *arriving) limit() {
	if until := b.all.until.Load(); until != 0 {
		_ = b.conn.SetReadDeadline(time.Unix(0, until)) // in tests a connection may have none
	}
}

// leave ends the observation, and reports whether it had not ended before.
func (a *arrivals) leave(b *arriving) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, was := a.on[b]
	delete(a.on, b)
	return was
}

// Read reads on, and notes the end. From there on net/http waits for the client
// to go away, which a deadline that passes would look like: it is lifted.
func (b *arriving) Read(p []byte) (int, error) {
	b.limit()
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && b.all.leave(b) {
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}
