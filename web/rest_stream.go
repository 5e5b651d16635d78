package web

import (
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
func stream(c echo.Context, x ops.Streamed) error {
	h := c.Response().Header()
	h.Set("Content-Type", x.ContentType())
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", x.Filename()))
	h.Set("Cache-Control", never)
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	w := &pieces{c.Response(), http.NewResponseController(c.Response())}
	if err := x.Stream(c.Request().Context(), w); err != nil {
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
	return p.w.Write(b)
}
