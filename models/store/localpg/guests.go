package localpg

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// guests are those who hold the cluster: one connection each.
type guests struct {
	l       net.Listener
	changed chan struct{} // gets a word when somebody came or went

	mu     sync.Mutex
	here   map[net.Conn]bool // false: has asked to see the end, and does not hold it any more
	last   status
	hurry  bool // the last to go has asked for the end
	drain  bool // and so has the machine, whoever comes now
	closed bool
}

func receive(l net.Listener) *guests {
	g := &guests{l: l, changed: make(chan struct{}, 1), here: map[net.Conn]bool{}, last: status{State: starting, Supervisor: os.Getpid()}}
	go func() {
		for {
			c, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil { // out of file descriptors, say: those who wait are served later
				time.Sleep(50 * time.Millisecond)
				continue
			}
			g.welcome(c)
		}
	}()
	return g
}

func (g *guests) welcome(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		c.Close() // it will start a supervisor, which waits for our end
		return
	}
	for other, holds := range g.here {
		if !holds {
			say(other, status{State: held}) // it need not wait: there will be no end for now
		}
	}
	g.hurry = false
	g.here[c] = true
	g.poke()
	say(c, g.last)
	go g.serve(c)
}

// serve waits for c to go. The kernel tells us of it however it went.
func (g *guests) serve(c net.Conn) {
	in := bufio.NewReader(c)
	for {
		word, err := in.ReadString('\n')
		if err == nil && word == stopWord && g.release(c) {
			continue
		}
		break
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	c.Close()
	delete(g.here, c)
	g.poke()
}

// release is the answer to "stop": if nobody else holds the cluster, c is kept
// on the line to see it end.
func (g *guests) release(c net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.here[c] = false
	if g.holding() > 0 {
		say(c, status{State: held})
		return false
	}
	g.hurry = true
	g.poke()
	return true
}

func (g *guests) poke() {
	select {
	case g.changed <- struct{}{}:
	default:
	}
}

func (g *guests) holding() int {
	n := 0
	for _, h := range g.here {
		if h {
			n++
		}
	}
	return n
}

func (g *guests) count() int { g.mu.Lock(); defer g.mu.Unlock(); return g.holding() }

// patience is how long to wait for the next one when nobody is here.
func (g *guests) patience(linger time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.hurry || g.drain {
		return 0
	}
	return max(linger, 0)
}

// tell sends s to everybody, and to those who come later.
func (g *guests) tell(s status) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = s
	for c := range g.here {
		say(c, s)
	}
}

// closeIfEmpty shuts the door unless somebody came in at the last moment.
func (g *guests) closeIfEmpty() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.holding() > 0 {
		return false
	}
	g.shut()
	return true
}

func (g *guests) shut() {
	g.closed = true
	g.l.Close() // removes the socket, while the lock is still ours
}

// refuse tells everybody why there will be no cluster. The door is shut first:
// who comes later starts a supervisor of its own and hears its reasons.
func (g *guests) refuse(err error) {
	g.mu.Lock()
	g.shut()
	g.mu.Unlock()
	g.tell(refusal(err))
}

// close lets everybody go. It is for the very end, when PostgreSQL has stopped.
func (g *guests) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut()
	for c := range g.here {
		c.Close()
	}
}

// watch turns signals into the supervisor's end: SIGTERM when those who hold
// the cluster have gone or drainLimit is over, anything else at once.
func (g *guests) watch(sigs <-chan os.Signal, stop context.CancelFunc) {
	go func() {
		for s := range sigs {
			if s != syscall.SIGTERM {
				stop()
				continue
			}
			g.mu.Lock()
			g.drain = true
			g.mu.Unlock()
			g.poke()
			time.AfterFunc(drainLimit, stop)
		}
	}()
}
