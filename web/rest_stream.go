package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"polaris/ops"
)

// pieceWithin is how long a reader may take for each piece of a stream.
const pieceWithin = time.Minute

// stream sends an output as it is read. One that ends early ends the connection,
// so that nobody takes the half for the whole.
func (s *Server) stream(c echo.Context, x ops.Streamed) error {
	h := c.Response().Header()
	h.Set("Content-Type", x.ContentType())
	ctx := c.Request().Context()
	if name := x.Filename(); name != "" {
		h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	} else {
		// It is read as it comes: no proxy holds it back, and it does not keep the
		// server from stopping.
		h.Set("X-Accel-Buffering", "no")
		var end context.CancelFunc
		ctx, end = context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(s.health.draining, end)()
	}
	h.Set("Cache-Control", never)
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	w := &pieces{c.Response(), http.NewResponseController(c.Response())}
	if err := x.Stream(ctx, w); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// pieces gives each piece time of its own: how long a whole export takes is not
// for the server's limit to say.
type pieces struct {
	w    http.ResponseWriter
	conn *http.ResponseController
}

func (p *pieces) Write(b []byte) (int, error) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(pieceWithin)) // a test's connection may have none
	n, err := p.w.Write(b)
	if err == nil {
		err = p.conn.Flush()
	}
	if errors.Is(err, http.ErrNotSupported) {
		err = nil // a test's connection
	}
	return n, err
}
