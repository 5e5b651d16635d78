package web

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A body that nobody asked for, a byte at a time, holds no answer up and no
// connection open: neither where the answer fits net/http's buffer nor where it
// does not, which net/http would not send before it had read the body.
func TestABodyThatNobodyReads(t *testing.T) {
	t.Parallel()
	s, b := started(t)
	key := b.createKey("calliope", "agent")
	for _, asked := range []struct {
		line, header string
		status       int
		least        int // bytes of the answer
	}{
		{"GET /health", "", http.StatusOK, 10},
		{"GET /metrics", "", http.StatusOK, 4_000},
		{"GET /session/new", "", http.StatusOK, 1_000},
		{"GET " + openAPIPath, "", http.StatusOK, 10_000},
		{"GET /v1/brains/calliope/wiki", "X-API-Key: " + key + "\r\n", http.StatusBadRequest, 100},
		{"POST /nowhere", "Accept: text/html\r\n", http.StatusNotFound, 1_000},
		{"POST /v1/mcp", "", http.StatusUnauthorized, 100},
		{"OPTIONS /v1/mcp", "", http.StatusNoContent, 0},
	} {
		t.Run(asked.line, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			began := time.Now()
			_ = conn.SetDeadline(began.Add(20 * time.Second))
			fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: 100000\r\n\r\n", asked.line, asked.header)
			go func() {
				for _, err := conn.Write([]byte("x")); err == nil; _, err = conn.Write([]byte("x")) {
					time.Sleep(200 * time.Millisecond) // it fails once the other side has closed
				}
			}()
			got, _ := io.ReadAll(conn) // until the server closes, or the deadline
			if open := time.Since(began); open > 8*time.Second || !strings.HasPrefix(string(got), fmt.Sprintf("HTTP/1.1 %d ", asked.status)) || len(got) < asked.least {
				t.Errorf("open for %s, %d bytes: %.200s", open.Round(time.Millisecond), len(got), got)
			}
		})
	}
}
