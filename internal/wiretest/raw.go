package wiretest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// raw sends bytes as they are and reads the answers, until the server closes or
// ten seconds are over. What no client library would send is sent so.
func (w *World) raw(t *testing.T, send func(c net.Conn)) (statuses []int, bodies []string, open time.Duration) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	start := time.Now()
	_ = c.SetDeadline(start.Add(10 * time.Second))
	sent := make(chan bool)
	go func() { defer close(sent); send(c) }()
	for in := bufio.NewReader(c); ; {
		a, err := http.ReadResponse(in, nil)
		if err != nil {
			break
		}
		b, _ := io.ReadAll(a.Body)
		_ = a.Body.Close()
		statuses, bodies = append(statuses, a.StatusCode), append(bodies, string(b))
	}
	open = time.Since(start)
	_ = c.Close()
	<-sent
	return statuses, bodies, open
}

// oddRequests: what clients do not send, and attackers and broken proxies do,
// is refused clearly, and holds nothing open.
func oddRequests(t *testing.T, mount Mount) {
	w := NewWorld(t, mount, Options{Deadline: 2 * time.Second})
	head := func(line, host string, more ...string) string {
		return line + "\r\nHost: " + host + "\r\nX-API-Key: " + w.Keys["reader"] + "\r\nContent-Type: application/json\r\n" + strings.Join(more, "")
	}
	post := func(body string, more ...string) string {
		return head("POST /v1/mcp HTTP/1.1", PublicHost, append(more, fmt.Sprintf("Content-Length: %d\r\n", len(body)), "Connection: close\r\n\r\n", body)...)
	}
	chunked := "Transfer-Encoding: chunked\r\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, ping)
	_ = z.Close()

	for _, row := range []struct {
		name, send string
		status     int
		has        string
	}{
		{"absolute form of ours", head("POST http://"+PublicHost+"/v1/mcp HTTP/1.1", PublicHost, fmt.Sprintf("Content-Length: %d\r\nConnection: close\r\n\r\n%s", len(ping), ping)), 200, `"result":{}`},
		{"absolute form of another", head("POST http://evil.example/v1/mcp HTTP/1.1", PublicHost, fmt.Sprintf("Content-Length: %d\r\nConnection: close\r\n\r\n%s", len(ping), ping)), 403, "host_not_allowed"},
		{"two hosts", head("POST /v1/mcp HTTP/1.1", PublicHost, "Host: evil.example\r\nContent-Length: 0\r\n\r\n"), 400, ""},
		{"100 headers", post(ping, strings.Repeat("X-Filler: "+strings.Repeat("x", 100)+"\r\n", 100)), 200, `"result":{}`},
		{"2 MB of headers", post(ping, strings.Repeat("X-Filler: "+strings.Repeat("x", 1000)+"\r\n", 2000)), 431, ""},
		{"NUL in a header", post(ping, "X-Filler: a\x00b\r\n"), 400, ""},
		{"NUL in the body", post("{\"jsonrpc\":\"2.0\",\x00\"id\":1,\"method\":\"ping\"}"), 400, "-32700"},
		{"gzip", post(zipped.String(), "Content-Encoding: gzip\r\n"), 415, "unsupported_media_type"},
		{"gzip that is not declared", post(zipped.String()), 400, "-32700"},
		{"chunked", head("POST /v1/mcp HTTP/1.1", PublicHost, chunked, "Connection: close\r\n\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(ping), ping)), 200, `"result":{}`},
		{"chunked and too large", head("POST /v1/mcp HTTP/1.1", PublicHost, chunked, "\r\n", strings.Repeat("10000\r\n"+strings.Repeat("x", 1<<16)+"\r\n", 40)), 413, "body_too_large"},
		{"a chunk that is none", head("POST /v1/mcp HTTP/1.1", PublicHost, chunked, "\r\n", "zz\r\n"), 400, "body_incomplete"},
		{"length and chunks", head("POST /v1/mcp HTTP/1.1", PublicHost, chunked, "Content-Length: 4\r\nConnection: close\r\n\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(ping), ping)), 200, ""},
		{"two lengths", head("POST /v1/mcp HTTP/1.1", PublicHost, "Content-Length: 4\r\nContent-Length: 40\r\n\r\n", ping), 400, ""},
		{"a length that is not met", head("POST /v1/mcp HTTP/1.1", PublicHost, "Content-Length: 4000\r\n\r\n", ping), 400, "body_incomplete"},
		{"unknown transfer encoding", head("POST /v1/mcp HTTP/1.1", PublicHost, "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501, ""},
		{"expects to be told to go on, without a credential", "POST /v1/mcp HTTP/1.1\r\nHost: " + PublicHost + "\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n", 401, "missing_credential"},
		{"no HTTP", "GIMME /v1/mcp\r\n\r\n", 400, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			statuses, bodies, open := w.raw(t, func(c net.Conn) { _, _ = io.WriteString(c, row.send) })
			if len(statuses) == 0 {
				t.Fatalf("no answer; open for %s", open)
			}
			if statuses[0] != row.status || !strings.Contains(bodies[0], row.has) {
				t.Errorf("%d %s, want %d with %q", statuses[0], bodies[0], row.status, row.has)
			}
			if len(statuses) > 1 {
				t.Errorf("one request was answered %d times: %q", len(statuses), bodies)
			}
			if open > 5*time.Second {
				t.Errorf("the connection was open for %s", open)
			}
		})
	}
	t.Run("a refusal does not wait for the body", func(t *testing.T) {
		t.Parallel()
		statuses, _, open := w.raw(t, func(c net.Conn) {
			_, _ = io.WriteString(c, "POST /v1/mcp HTTP/1.1\r\nHost: "+PublicHost+"\r\nContent-Length: 40\r\n\r\n{")
		})
		if !slices.Equal(statuses, []int{http.StatusUnauthorized}) || open > 3*time.Second {
			t.Errorf("answered %v after %s", statuses, open)
		}
	})
	t.Run("one byte a second", func(t *testing.T) {
		t.Parallel()
		statuses, bodies, open := w.raw(t, func(c net.Conn) {
			_, _ = io.WriteString(c, head("POST /v1/mcp HTTP/1.1", PublicHost, "Content-Length: 40\r\n\r\n"))
			for _, b := range []byte(ping) {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(500 * time.Millisecond)
			}
		})
		if !slices.Equal(statuses, []int{http.StatusBadRequest}) || !strings.Contains(bodies[0], "body_incomplete") || open > 5*time.Second {
			t.Errorf("answered %v %q after %s", statuses, bodies, open)
		}
	})
}
