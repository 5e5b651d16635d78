package localpg

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"polaris/models/fault"
)

// join connects to the supervisor, starting one if none answers, and waits
// until PostgreSQL is ready. A supervisor that goes away meanwhile, because its
// time had come or by violence, is replaced.
func (c *Cluster) join(ctx context.Context) (*line, status, error) {
	var child *child
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if err := c.place.checkSockets(); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, status{}, err
		}
		if l, err := dial(ctx, c.place.control()); err == nil {
			s, err := await(ctx, l)
			if err == nil {
				return l, s, nil
			}
			l.Close()
			if fault.Of(err).Kind != fault.Internal {
				return nil, status{}, err
			}
		}
		if ctx.Err() != nil {
			return nil, status{}, c.late(ctx.Err())
		}
		var err error
		if child, err = c.launch(child); err != nil {
			return nil, status{}, err
		}
		select {
		case <-ctx.Done():
			return nil, status{}, c.late(ctx.Err())
		case <-time.After(pause):
		}
	}
}

// late explains a start that took longer than the caller would wait. The
// supervisor carries on with it, so the next attempt may find it done.
func (c *Cluster) late(err error) error {
	return fault.New(fault.Unavailable, "PostgreSQL in %s is not ready yet; its log is %s", c.place.home, c.place.postgresLog()).Because(err)
}

// await reads from l until PostgreSQL is ready. Its error is a fault if waiting
// longer or asking again is useless.
func await(ctx context.Context, l *line) (status, error) {
	defer context.AfterFunc(ctx, func() { l.SetReadDeadline(time.Unix(1, 0)) })()
	for {
		s, err := l.next()
		switch {
		case err != nil:
			return s, err
		case s.State == failed:
			return s, s.fault()
		case s.State == ready:
			return s, nil
		}
	}
}

// hold keeps the connection for as long as the cluster is held, and finds or
// starts another supervisor when this one has gone.
func (c *Cluster) hold() {
	defer close(c.done)
	for {
		c.listen()
		if c.ctx.Err() != nil {
			return
		}
		c.log.Warn("the PostgreSQL supervisor has gone; starting another", "pid", c.Supervisor())
		if !c.rejoin() {
			return
		}
		c.log.Info("PostgreSQL is back", "pid", c.PID())
	}
}

// listen follows what the supervisor says until it has gone.
func (c *Cluster) listen() {
	for {
		s, err := c.line.next()
		c.mu.Lock()
		if err != nil || s.State == held {
			c.line.Close()
			c.line, c.last.PID = nil, 0
			c.mu.Unlock()
			return
		}
		if s.State == ready {
			c.last = s
		} else {
			c.last.PID = 0
			c.log.Warn("PostgreSQL has gone; its supervisor is starting it again", "state", s.State, "message", s.Message)
		}
		c.mu.Unlock()
	}
}

// rejoin tries until it has the cluster again; it reports false when the
// cluster was given up meanwhile.
func (c *Cluster) rejoin() bool {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		l, s, err := c.join(c.ctx)
		c.mu.Lock()
		gone := c.ctx.Err() != nil
		if err == nil && !gone {
			c.line, c.last = l, s
		}
		c.mu.Unlock()
		switch {
		case err == nil && gone:
			l.Close()
			return false
		case err == nil:
			return true
		case gone:
			return false
		}
		c.log.Error("PostgreSQL does not come back; trying again", "in", pause, "err", err)
		select {
		case <-c.ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
}

// A child is a supervisor that this process has started. It may turn out to be
// one too many, and then ends by itself.
type child struct {
	done chan struct{}

	mu    sync.Mutex
	said  bytes.Buffer // what it said before it had a socket to say it on
	err   error        // how it ended
	tries int
}

// launch starts a supervisor unless the one before still runs. It returns the
// fault that kept the one before from running.
func (c *Cluster) launch(before *child) (*child, error) {
	n := &child{done: make(chan struct{}), tries: 1}
	if before != nil {
		select {
		case <-before.done:
		default:
			return before, nil
		}
		if err := before.failure(); err != nil {
			return nil, err
		}
		n.tries = before.tries + 1
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting the PostgreSQL supervisor: %w", err)
	}
	cmd := exec.Command(c.argv[0], append(slices.Clone(c.argv[1:]), c.set.args()...)...)
	cmd.Stdout, cmd.Stderr = w, w
	cmd.Env = append(modestEnv(), mark+"=1")
	cmd.Dir = "/" // it must not keep a folder of the caller's busy
	// A session of its own: neither a terminal's Ctrl-C nor its end is meant for it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, fault.New(fault.Unavailable, "the PostgreSQL supervisor cannot be started").Because(err)
	}
	go func() {
		defer close(n.done)
		sc := bufio.NewScanner(r) // ends when PostgreSQL is ready, or the supervisor is dead
		for sc.Scan() {
			n.mu.Lock()
			n.said.Write(append(sc.Bytes(), '\n'))
			n.mu.Unlock()
		}
		r.Close()
		err := cmd.Wait()
		n.mu.Lock()
		n.err = err
		n.mu.Unlock()
	}()
	return n, nil
}

// failure returns why the supervisor ended, nil if there is no reason not to
// start another one: it lost a race, or was killed.
func (n *child) failure() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	said := strings.TrimSpace(n.said.String())
	for l := range strings.Lines(said) {
		var s status
		if json.Unmarshal([]byte(l), &s) == nil && s.State == failed {
			return s.fault()
		}
	}
	if n.err == nil || (said == "" && n.tries < 5) {
		return nil
	}
	return fault.New(fault.Unavailable, "the PostgreSQL supervisor does not stay up (%v) %s", n.err, said)
}

// modestEnv is the environment of the supervisor and of PostgreSQL: what their
// programs need. The caller's has secrets that are none of their business, and
// PGPORT and its kin would change what PostgreSQL does.
func modestEnv() []string {
	env := []string{"LC_ALL=C"}
	for _, k := range []string{"PATH", "HOME", "USER", "LOGNAME", "GOCOVERDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if v, ok := os.LookupEnv(k); ok {
			env = append(env, k+"="+v)
		}
	}
	return env
}
