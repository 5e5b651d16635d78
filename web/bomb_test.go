package web

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A packed body is refused before anything is unpacked, whatever it would unpack
// to.
func TestPackedBodies(t *testing.T) {
	t.Parallel()
	_, b := unhurried(t)
	for _, how := range []string{"gzip", "deflate", "br", "gzip, gzip"} {
		b.do(http.MethodPost, "/v1/brains/calliope/sources", strings.Repeat("\x1f\x8b", 1000), "Content-Type", "application/json", "Content-Encoding", how).problem(http.StatusUnsupportedMediaType)
	}
}

// zeros is a gigabyte, made as it is read, after a beginning; it counts what of
// it was taken.
type zeros struct {
	begin string
	left  int64
	taken atomic.Int64
}

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := copy(p, z.begin)
	z.begin = z.begin[n:]
	if n == 0 {
		n = int(min(int64(len(p)), z.left))
		clear(p[:n])
		z.left -= int64(n)
	}
	z.taken.Add(int64(n))
	return n, nil
}

// peak returns the most heap that there was while f ran, above that before it.
func peak(f func()) uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-ended:
				return
			case <-time.After(2 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	f()
	close(ended)
	<-watched
	return most - before
}

// A gigabyte of zeros is refused at the limit, with one line, however it is
// sent, and the server never has more of it in memory than the limit, a few
// times over: what is read grows by being copied.
func TestAGigabyteOfZeros(t *testing.T) {
	// Not parallel: other tests' memory would be counted.
	s, b := unhurried(t)
	const limit = 8 << 20
	s.desk.Settings.MaxUpload = limit
	form := "--x\r\nContent-Disposition: form-data; name=%q; filename=\"z.txt\"\r\nContent-Type: text/plain\r\n\r\n"
	for _, c := range []struct {
		name, path, kind, begin, coding string
		status                          int
		code                            string
	}{
		{"JSON", "sources", "application/json", `{"name":"z.txt","data":"`, "", 413, "body_too_large"},
		{"a form", "sources", "multipart/form-data; boundary=x", fmt.Sprintf(form, "data"), "", 413, "body_too_large"},
		{"a form's fields", "sources", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n", "", 413, "body_too_large"},
		{"a form's header", "sources", "multipart/form-data; boundary=x", "--x\r\nX-Long: ", "", 400, ""},
		{"no form", "sources", "multipart/form-data; boundary=x", "", "", 400, ""},
		{"JSON for an import", "imports", "application/json", `{"files":[{"name":"z.txt","data":"`, "", 413, "body_too_large"},
		{"a form for an import", "imports", "multipart/form-data; boundary=x", fmt.Sprintf(form, "files"), "", 413, "body_too_large"},
		{"packed", "sources", "application/json", "", "gzip", 415, ""},
		{"packed for an import", "imports", "application/json", "", "gzip", 415, ""},
		{"a packed form", "imports", "multipart/form-data; boundary=x", fmt.Sprintf(form, "files"), "gzip", 415, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			z := &zeros{begin: c.begin, left: 1 << 30}
			var body io.Reader = z
			if c.coding != "" {
				r, w := io.Pipe()
				defer r.Close()
				go func() {
					gz := gzip.NewWriter(w)
					_, _ = io.Copy(gz, z)
					_ = gz.Close()
					w.Close()
				}()
				body = r
			}
			var a *answer
			grown := peak(func() {
				a = b.chunked("/v1/brains/calliope/"+c.path, body, "Content-Type", c.kind, "Content-Encoding", c.coding)
			})
			code, _ := a.problem(c.status)
			if c.code != "" && code != c.code {
				t.Errorf("the code %q, want %q", code, c.code)
			}
			if strings.Contains(a.text, "\n") && strings.Count(strings.TrimSpace(a.text), "\n") > 0 {
				t.Errorf("not one line: %s", a.text)
			}
			if grown > 8*limit {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
			if took := z.taken.Load(); took > 3*limit && c.coding == "" {
				t.Errorf("%d MiB were taken", took>>20)
			}
			t.Logf("%d %s; %d MiB sent, %d MiB of heap", a.StatusCode, code, z.taken.Load()>>20, grown>>20)
		})
	}
}

// chunked posts a body without its length over a connection of its own, in
// chunks, and reads the answer as soon as there is one: a client that only looks
// once all is sent would see a broken connection.
func (b *browser) chunked(path string, body io.Reader, header ...string) *answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.base+path, http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	var d net.Dialer
	conn, err := d.DialContext(b.t.Context(), "tcp", r.URL.Host)
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	head := "POST " + path + " HTTP/1.1\r\nHost: " + r.URL.Host + "\r\nTransfer-Encoding: chunked\r\n"
	for _, k := range b.client.Jar.Cookies(r.URL) {
		head += "Cookie: " + k.String() + "\r\n"
	}
	for i := 0; i < len(header); i += 2 {
		if header[i+1] != "" {
			head += header[i] + ": " + header[i+1] + "\r\n"
		}
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		if _, err := io.WriteString(conn, head+"\r\n"); err != nil {
			return
		}
		buf := make([]byte, 64<<10)
		for {
			n, err := body.Read(buf)
			if n > 0 {
				if _, err := fmt.Fprintf(conn, "%x\r\n%s\r\n", n, buf[:n]); err != nil {
					return
				}
			}
			if err != nil {
				_, _ = io.WriteString(conn, "0\r\n\r\n")
				return
			}
		}
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		b.t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	res.Body.Close()
	conn.Close()
	<-sent
	if err != nil {
		b.t.Fatal(err)
	}
	return &answer{res, b.t, string(text)}
}
