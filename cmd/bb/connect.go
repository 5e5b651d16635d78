package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"polaris/models/fault"
)

// connectCmd is a bridge for clients that start a program and cannot send a
// header: JSON-RPC on standard input becomes POSTs to a hosted endpoint.
type connectCmd struct {
	URL      string `arg:"" help:"The server's address, or its MCP endpoint's."`
	Insecure bool   `help:"Send the key over plain HTTP to another machine."`
}

// Bounds of the bridge's memory.
const (
	longestLine   = 4 << 20 // a message of the client; the server takes 1 MiB unless told otherwise
	longestAnswer = 16 << 20
	mostAtOnce    = 64 // requests in flight; a client that sends more waits
)

// Run answers what comes on standard input until that ends.
func (s *connectCmd) Run(ctx context.Context, c *console) error {
	key := os.Getenv("POLARIS_API_KEY")
	if key == "" {
		return fault.New(fault.Invalid, "There is no API key. Set POLARIS_API_KEY in the environment that the client gives this program.")
	}
	e, err := newEndpoint(s.URL, key)
	if err != nil {
		return err
	}
	if e.clear() && !s.Insecure {
		return fault.Field("url", "Over http:// anybody on the way could read the key. Use https://, or --insecure if the way is safe.")
	}
	b := &bridge{at: e, out: c.out, diagnose: c.notice, fresh: e.unpooled(), slots: make(chan struct{}, mostAtOnce), pending: map[string]context.CancelFunc{}}
	done := make(chan error, 1)
	go func() { done <- b.run(ctx, c.in) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done(): // whoever asks us to end does not wait for answers, and a read cannot be interrupted
		return nil
	}
}

// A bridge passes messages on, many at once.
type bridge struct {
	at       *endpoint
	diagnose func(format string, args ...any)
	version  atomic.Pointer[string] // of the protocol, once initialize has agreed on it
	readers  sync.Map               // names of tools that only read, as tools/list said
	fresh    *http.Client           // has a new connection for each request

	writing sync.Mutex
	out     io.Writer
	broken  error // of out: nobody reads the answers any more

	slots   chan struct{}
	mu      sync.Mutex
	pending map[string]context.CancelFunc // by the id as it was sent
}

// run reads messages until there are no more, and returns when all are answered.
func (b *bridge) run(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var work sync.WaitGroup
	defer work.Wait()
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, long, err := readLine(lines)
		switch {
		case long:
			b.write(rpcFailure(nil, codeInvalidRequest, fmt.Sprintf("The message is longer than %d bytes.", longestLine), nil))
		case len(line) > 0:
			b.take(ctx, &work, line)
		}
		if werr := b.failed(); werr != nil {
			cancel()
			return fmt.Errorf("standard output: %w", werr)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
	}
}

// readLine returns the next line without what ends it. Of one that is too long
// nothing is kept.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		piece, perr := r.ReadSlice('\n')
		if !long {
			line = append(line, piece...)
		}
		if len(line) > longestLine+1 {
			line, long = nil, true
		}
		if !errors.Is(perr, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, perr
		}
	}
}

// take starts what a message asks for.
func (b *bridge) take(ctx context.Context, work *sync.WaitGroup, line []byte) {
	if !utf8.Valid(line) || !json.Valid(line) {
		b.write(rpcFailure(nil, codeParse, "The line is not JSON in UTF-8.", nil))
		return
	}
	m := readMessage(line)
	switch {
	case m.isReply():
		b.diagnose("bb connect: an answer of the client was dropped; this server asks its clients nothing.")
		return
	case m.method == "notifications/cancelled" && m.id == nil:
		b.cancel(m.cancels())
		return
	case m.isNotification():
		return // the endpoint would take it and act on none
	}
	ctx, cancel := context.WithCancel(ctx)
	b.slots <- struct{}{}
	key := string(m.id)
	b.mu.Lock()
	b.pending[key] = cancel
	b.mu.Unlock()
	work.Go(func() {
		defer func() {
			cancel()
			b.mu.Lock()
			delete(b.pending, key)
			b.mu.Unlock()
			<-b.slots
		}()
		b.write(b.ask(ctx, m))
	})
}

// cancel ends the request of that id, which then gets no answer.
func (b *bridge) cancel(id json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if end := b.pending[string(id)]; end != nil {
		end()
	}
}

// write writes an answer on a line of its own. The key is taken out, should
// anybody have put it in.
func (b *bridge) write(answer []byte) {
	if len(answer) == 0 {
		return
	}
	answer = bytes.ReplaceAll(answer, []byte(b.at.key), []byte("…"))
	b.writing.Lock()
	defer b.writing.Unlock()
	if _, err := b.out.Write(append(answer, '\n')); err != nil && b.broken == nil {
		b.broken = err
	}
}

func (b *bridge) failed() error { b.writing.Lock(); defer b.writing.Unlock(); return b.broken }
