package door

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"polaris/models/fault"
)

// ReadJSON returns the body of a request that holds one JSON message, once its
// type and size are acceptable; it does not look into it. A body that trickles
// in must not hold the request for longer than any request may take, so it has
// to be whole within the time given.
func ReadJSON(w http.ResponseWriter, r *http.Request, most int64, within time.Duration) ([]byte, error) {
	if !isJSON(r.Header) {
		return nil, fault.New(fault.Unsupported, "Send the message as `Content-Type: application/json`, in UTF-8 and without a content encoding.").WithCode("unsupported_media_type")
	}
	tooLarge := fault.New(fault.TooLarge, "The message is over the limit of %d bytes (POLARIS_MAX_BODY_BYTES).", most).WithCode("body_too_large")
	if r.ContentLength > most {
		return nil, tooLarge
	}
	// Where the connection has no deadlines (in tests), the server's own limits
	// stand.
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(within))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err == nil {
		_ = rc.SetReadDeadline(time.Time{})
		return body, nil
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge
	}
	return nil, fault.New(fault.Invalid, "The message did not arrive whole.").WithCode("body_incomplete").Because(err)
}

// Refusing bounds what is still read of a request that is about to be refused.
// Before net/http sends an answer it reads the rest of the body, so that a
// client which is slow to send it, on purpose or not, would hold the connection.
func Refusing(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second))
}

// isJSON reports whether the headers describe plain JSON in UTF-8.
func isJSON(h http.Header) bool {
	if e := h.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return false
	}
	mt, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || mt != "application/json" {
		return false
	}
	cs, given := params["charset"]
	return !given || strings.EqualFold(cs, "utf-8") || strings.EqualFold(cs, "utf8")
}
