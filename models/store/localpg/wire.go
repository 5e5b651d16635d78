package localpg

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"time"

	"polaris/models/fault"
)

// What the supervisor and a holder say to each other on the control socket: one
// JSON status per line in one direction, the word "stop" at most in the other.
// Both ends may be of different builds, so fields are only ever added.
const (
	starting = "starting"
	ready    = "ready"
	failed   = "failed"
	held     = "held" // the answer to "stop" when others still hold the cluster

	stopWord = "stop\n"
)

type status struct {
	State      string `json:"state"`
	PID        int    `json:"pid,omitempty"` // of the postmaster
	Major      int    `json:"major,omitempty"`
	Supervisor int    `json:"supervisor,omitempty"`
	Kind       string `json:"kind,omitempty"` // of the fault, when failed; the rest is the fault's too
	Code       string `json:"code,omitempty"`
	Message    string `json:"message,omitempty"`
	Field      string `json:"field,omitempty"`
	Cause      string `json:"cause,omitempty"`
}

// refusal turns an error into the status that carries it to the holder.
func refusal(err error) status {
	f := fault.Of(err)
	s := status{State: failed, Kind: f.Kind.String(), Code: f.Code, Message: f.Message, Field: f.Field}
	if f.Err != nil {
		s.Cause = f.Err.Error()
	}
	return s
}

// fault turns a failed status back into its error.
func (s status) fault() error {
	f := &fault.Error{Kind: fault.Unavailable, Code: s.Code, Message: s.Message, Field: s.Field}
	for _, k := range fault.Kinds() {
		if k.String() == s.Kind {
			f.Kind = k
		}
	}
	if s.Cause != "" {
		f.Err = cause(s.Cause)
	}
	return f
}

// A cause is an error of the supervisor, of which only the words came over.
type cause string

func (c cause) Error() string { return string(c) }

// A line is a holder's end of the control connection.
type line struct {
	net.Conn
	in *bufio.Scanner
}

func dial(ctx context.Context, path string) (*line, error) {
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	return &line{c, bufio.NewScanner(c)}, nil
}

// next waits for the supervisor's next word; an error means that it has gone.
func (l *line) next() (status, error) {
	if !l.in.Scan() {
		if err := l.in.Err(); err != nil {
			return status{}, err
		}
		return status{}, net.ErrClosed
	}
	var s status
	err := json.Unmarshal(l.in.Bytes(), &s)
	return s, err
}

// stop asks the supervisor to end; one that is gone needs no asking.
func (l *line) stop() { _, _ = l.Write([]byte(stopWord)) }

type writer interface {
	io.Writer
	SetWriteDeadline(time.Time) error
}

// say writes one status. A holder that does not read (one that is stopped in a
// debugger, say) must not hold the supervisor up.
func say(c writer, s status) {
	b, err := json.Marshal(s)
	if err != nil {
		return
	}
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.Write(append(b, '\n')) // one that does not listen learns from the closed line
}
