package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"polaris/static"
)

// mayPack reports whether a page may be sent packed. How long a packed page is
// tells who watches the wire whether words that they had put into it stand in it
// already (BREACH). So a page that another site led to is sent as it is, and so
// is one with a query where the browser does not say who led to it. What holds a
// secret is never packed: that is kept by nobody, and [render] packs only what
// its reader's browser may keep.
func mayPack(r *http.Request) bool {
	if !static.TakesGzip(r) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
		return r.URL.RawQuery == ""
	}
	return false
}

// packers are used again: each has a window of its own.
var packers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, 5)
	if err != nil {
		panic("web: " + err.Error()) // there is no such level
	}
	return z
}}

func sendPacked(c echo.Context, page []byte) error {
	var b bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&b)
	if _, err := z.Write(page); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Encoding", "gzip")
	h.Add("Vary", "Accept-Encoding")
	return c.Blob(http.StatusOK, echo.MIMETextHTMLCharsetUTF8, b.Bytes())
}
