package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bridgeTo is `bb connect` as a program that a client starts.
func bridgeTo(t *testing.T, url, key string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Args = append([]string{"bb", "connect", url}, args...)
	c.Env = append(os.Environ(), "POLARIS_API_KEY="+key, "POLARIS_DATA_DIR="+t.TempDir())
	return c
}

// TestConnectSDK drives the bridge with the official Go SDK, which starts it as
// its program, in both eras of the protocol. The server is killed and started
// again in between.
func TestConnectSDK(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	data, addr := dataFolder(t), freeAddress(t)
	s, _ := serve(t, data, addr, "--demo")
	key := s.waitFor(t, printedKey)[1]
	sessions := map[string]*mcp.ClientSession{}
	for _, protocol := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		c := bridgeTo(t, s.url, key)
		var errw syncBuffer
		c.Stderr = &errw
		t.Cleanup(func() {
			if errw.String() != "" {
				t.Errorf("the bridge said %s", errw.String())
			}
		})
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: c}, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
		if err != nil {
			t.Fatalf("%s: %v", protocol, err)
		}
		if got := session.InitializeResult().ProtocolVersion; got != protocol {
			t.Errorf("speaks %s, want %s", got, protocol)
		}
		sessions[protocol] = session
	}
	ask := func() {
		t.Helper()
		var wg sync.WaitGroup
		for protocol, session := range sessions {
			for range 4 {
				wg.Go(func() {
					r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "answer", Arguments: map[string]any{"query": "What may we charge for a late payment?"}})
					if err != nil || r.IsError || len(r.Content) != 1 || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "## Sources") {
						t.Errorf("%s: %+v, %v", protocol, r, err)
					}
				})
			}
		}
		wg.Wait()
	}
	ask()
	tools, err := sessions["2026-07-28"].ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 4 {
		t.Errorf("%+v, %v; want four tools", tools, err)
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // killed: that is the point
	// The next request comes while the server starts again.
	var wg sync.WaitGroup
	wg.Go(ask)
	serve(t, data, addr, "--demo")
	wg.Wait()
	for protocol, session := range sessions {
		if err := session.Close(); err != nil {
			t.Errorf("%s: closing: %v", protocol, err)
		}
	}
}

// A wire is a bridge whose lines a test writes and reads.
type wire struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err syncBuffer
}

// wired starts a bridge to a server that the test plays.
func wired(t *testing.T, h http.HandlerFunc) *wire {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	w := &wire{t: t, cmd: bridgeTo(t, srv.URL, "sk-polaris-secret")}
	w.cmd.Stderr = &w.err
	in, err := w.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.in, w.out = in, bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	return w
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(w.in, l+"\n"); err != nil {
			w.t.Fatal(err)
		}
	}
}

// next returns the next line of standard output, "" at its end.
func (w *wire) next() string {
	w.t.Helper()
	line := make(chan string, 1)
	go func() {
		l, _ := w.out.ReadString('\n')
		line <- strings.TrimSpace(l)
	}()
	select {
	case l := <-line:
		return l
	case <-time.After(10 * time.Second):
		w.t.Fatal("no line in 10 s")
		return ""
	}
}

// ends closes standard input and returns what is still written.
func (w *wire) ends() string {
	w.t.Helper()
	w.in.Close()
	rest, err := io.ReadAll(w.out)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.cmd.Wait(); err != nil {
		w.t.Errorf("ended with %v\n%s", err, w.err.String())
	}
	return string(rest)
}

// What is refused in plain HTTP comes back as a JSON-RPC error with the id that
// was asked with, and with words that say what to do.
func TestConnectRefusals(t *testing.T) {
	t.Parallel()
	refusal := `{"error":{"code":"x_code","message":"Do this. sk-polaris-secret","type":"t"}}`
	for _, c := range []struct {
		status       int
		header, body string
		want         string
	}{
		{401, "", refusal, `"code":-32010,"message":"Do this. …","data":{"http_status":401}`},
		{403, "", refusal, `"code":-32010`},
		{415, "", refusal, `"code":-32012`},
		{429, "Retry-After: 57", refusal, `"code":-32011,"message":"Do this. …","data":{"http_status":429,"retry_after":57}`},
		{429, "Retry-After: 1", strings.Replace(refusal, "x_code", "too_many_failures", 1), `"code":-32011`},
		{503, "Retry-After: 9223372037", refusal, `"code":-32012,"message":"Do this. …","data":{"http_status":503,"retry_after":86400}`},
		{503, "Retry-After: 60", refusal, `"code":-32012,"message":"Do this. …","data":{"http_status":503,"retry_after":60}`},
		{502, "Content-Type: text/html", "<html>\n\n502", "The proxy does not reach the server"},
		{413, "Content-Type: text/html", "<html>", "The proxy allows only smaller bodies"},
		{404, "Content-Type: text/plain", "404 page not found", "POLARIS_MCP_PATH"},
		{200, "Content-Type: text/html", "<html>sk-polaris-secret", "answers in its place"},
		{202, "", "", "answers in its place"},
		{301, "Location: https://evil.example/sk-polaris-secret", "", "It redirects elsewhere, and the key is not sent on"},
		{400, "Content-Type: application/json", `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,` + "\n" + `"message":"m"}}`, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"m"}}`},
		{200, "Content-Type: application/json", `{"jsonrpc":"2.0","id":"a","result":{"n":12345678901234567890}}`, `{"jsonrpc":"2.0","id":"a","result":{"n":12345678901234567890}}`},
		{200, "Content-Type: application/json", `{"jsonrpc":"2.0"`, "answers in its place"},
	} {
		t.Run(fmt.Sprint(c.status, c.header), func(t *testing.T) {
			t.Parallel()
			w := wired(t, func(rw http.ResponseWriter, r *http.Request) {
				if name, value, ok := strings.Cut(c.header, ": "); ok {
					rw.Header().Set(name, value)
				}
				rw.WriteHeader(c.status)
				io.WriteString(rw, c.body)
			})
			w.send(`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`)
			got := w.next()
			var m struct {
				JSONRPC, ID string
				Error       struct{ Message string }
			}
			if err := json.Unmarshal([]byte(got), &m); err != nil || m.JSONRPC != "2.0" || m.ID != "a" || !strings.Contains(got, c.want) {
				t.Errorf("got %s %v, want %s", got, err, c.want)
			}
			rest := w.ends()
			if all := got + rest + w.err.String(); rest != "" || strings.Contains(all, "sk-polaris-secret") {
				t.Errorf("further output, or the key: %s", all)
			}
		})
	}
}

// What waits out a refusal: a server that says when to come again, and one that
// is not there yet.
func TestConnectWaits(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	w := wired(t, func(rw http.ResponseWriter, r *http.Request) {
		switch asked.Add(1) {
		case 1:
			rw.Header().Set("Retry-After", "1")
			rw.WriteHeader(http.StatusTooManyRequests)
		case 2:
			rw.WriteHeader(http.StatusServiceUnavailable)
		default:
			io.WriteString(rw, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		}
	})
	began := time.Now()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer"}}`)
	if got := w.next(); got != `{"jsonrpc":"2.0","id":1,"result":{}}` || asked.Load() != 3 || time.Since(began) < time.Second {
		t.Errorf("%s after %d requests and %s", got, asked.Load(), time.Since(began))
	}
	if rest := w.ends(); rest != "" {
		t.Errorf("further output: %s", rest)
	}
}

// Requests run beside each other and are answered as they finish; one that is
// cancelled is not answered, and the server learns of it; notifications and
// nonsense do nothing to the others.
func TestConnectWire(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	var seen sync.Map
	w := wired(t, func(rw http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		b, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(b, &m)
		seen.Store(m.Method, r.Header)
		if m.Method == "initialize" {
			io.WriteString(rw, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}`)
			return
		}
		switch string(m.ID) {
		case `"slow"`:
			time.Sleep(500 * time.Millisecond)
		case `7`:
			<-r.Context().Done()
			close(gone)
			return
		}
		fmt.Fprintf(rw, "{\"jsonrpc\":\"2.0\",\n \"id\":%s,\"result\":{\"text\":\"a\\u0000b\xff\u0085\"}}", m.ID)
	})
	w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`)
	if got := w.next(); !strings.Contains(got, `"protocolVersion":"2025-06-18"`) {
		t.Fatal(got)
	}
	w.send(
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"answer"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"answer"}}`,
		"", "   ",
		`{"jsonrpc":"2.0","id":99,"result":{}}`, // an answer: to nothing
	)
	w.send(`{"jsonrpc":"2.0","id":8,"method":"tools/list"}`)
	first := w.next()
	if !strings.Contains(first, `"id":8`) || !json.Valid([]byte(first)) {
		t.Errorf("the quick one comes first, and is JSON; got %s", first)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"enough"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}`)
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Error("the server does not learn that a request was cancelled")
	}
	if got := w.next(); !strings.Contains(got, `"id":"slow"`) {
		t.Errorf("then the slow one; got %s", got)
	}
	w.send("nonsense", `{"a":`, "\xff\xfe")
	for range 3 {
		if got := w.next(); got != `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The line is not JSON in UTF-8."}}` {
			t.Errorf("nonsense is answered with %s", got)
		}
	}
	w.send(strings.Repeat("x", longestLine+2))
	if got := w.next(); !strings.Contains(got, "-32600") || !strings.Contains(got, "longer than 4194304 bytes") {
		t.Errorf("a long line is answered with %.300s", got)
	}
	w.send(`{"jsonrpc":"2.0","id":9,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	w.send(`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"wörter","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	// What is in flight when standard input ends is still answered.
	rest := w.ends()
	if n := strings.Count(rest, "\n"); n != 2 || !strings.Contains(rest, `"id":9`) || !strings.Contains(rest, `"id":10`) {
		t.Errorf("at the end came %q", rest)
	}
	for method, want := range map[string]map[string]string{
		"initialize":      {"Mcp-Protocol-Version": "", "Authorization": "Bearer sk-polaris-secret", "Content-Type": "application/json"},
		"tools/list":      {"Mcp-Protocol-Version": "2025-06-18", "Mcp-Method": ""},
		"server/discover": {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover", "Mcp-Name": ""},
		"tools/call":      {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?d8O2cnRlcg==?="},
	} {
		h, ok := seen.Load(method)
		if !ok {
			t.Errorf("%s did not arrive", method)
			continue
		}
		for name, value := range want {
			if got := h.(http.Header).Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", method, name, got, value)
			}
		}
	}
	for _, never := range []string{"notifications/initialized", "notifications/cancelled", ""} {
		if _, ok := seen.Load(never); ok {
			t.Errorf("%q was passed on", never)
		}
	}
}

// A connection that breaks in the middle of a call is said, and not tried again:
// the call may have been carried out. What only reads is.
func TestConnectLostInTheMiddle(t *testing.T) {
	t.Parallel()
	var calls, lists atomic.Int32
	w := wired(t, func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if strings.Contains(string(b), "tools/list") && lists.Add(1) > 1 {
			io.WriteString(rw, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"answer","annotations":{"readOnlyHint":true}},{"name":"change","annotations":{"readOnlyHint":false}}]}}`)
			return
		}
		if strings.Contains(string(b), "tools/call") && calls.Add(1) == 3 {
			io.WriteString(rw, `{"jsonrpc":"2.0","id":3,"result":{}}`)
			return
		}
		panic(http.ErrAbortHandler)
	})
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer"}}`)
	if got := w.next(); !strings.Contains(got, `"id":1`) || !strings.Contains(got, "Whether the call was carried out is not known") || calls.Load() != 1 {
		t.Errorf("%s after %d calls", got, calls.Load())
	}
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if got := w.next(); !strings.Contains(got, `"result"`) || lists.Load() != 2 {
		t.Errorf("%s after %d lists", got, lists.Load())
	}
	// Now the bridge knows which tool only reads.
	w.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"answer"}}`)
	if got := w.next(); !strings.Contains(got, `"id":3,"result"`) || calls.Load() != 3 {
		t.Errorf("%s after %d calls", got, calls.Load())
	}
	w.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"change"}}`)
	if got := w.next(); !strings.Contains(got, "Whether the call was carried out is not known") || calls.Load() != 4 {
		t.Errorf("%s after %d calls", got, calls.Load())
	}
	w.ends()
}

// SIGTERM ends the bridge although a request is in flight and standard input is
// open.
func TestConnectTerminated(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	w := wired(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done()
	})
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer"}}`)
	<-asked
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- w.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(3 * time.Second):
		t.Error("3 s after SIGTERM the bridge still runs")
	}
}

// More requests than the bridge takes at once are all answered, and its memory
// stays bounded.
func TestConnectManyAtOnce(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	w := wired(t, func(rw http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		var m struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&m)
		time.Sleep(50 * time.Millisecond)
		fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	})
	const n = 300
	go func() {
		for i := range n {
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		}
	}()
	got := map[string]bool{}
	for range n {
		got[w.next()] = true
	}
	if len(got) != n || most.Load() > mostAtOnce || most.Load() < 2 {
		t.Errorf("%d different answers of %d, at most %d at once", len(got), n, most.Load())
	}
	w.ends()
}

// Where the key could be read on the way, or something in the address is a
// secret, nothing is sent and nothing repeated.
func TestConnectRefusesAddresses(t *testing.T) {
	t.Setenv("POLARIS_API_KEY", "sk-polaris-secret")
	t.Setenv("POLARIS_DATA_DIR", t.TempDir())
	for address, want := range map[string]string{
		"http://polaris.example.org":                   "--insecure",
		"http://127.0.0.1.example.org/v1/mcp":          "--insecure",
		"https://user:hunter2@polaris.example.org":     "user name or a password",
		"https://hunter2@polaris.example.org":          "user name or a password",
		"https://polaris.example.org/v1/mcp?k=hunter2": "query or a fragment",
		"https://polaris.example.org/v1/mcp#hunter2":   "query or a fragment",
		"https://polaris.example.org/v1/mcp?":          "query or a fragment",
		"https://polaris.example.org/v1/mcp#":          "query or a fragment",
		"hunter2":                                      "no address of a server",
		"ftp://hunter2":                                "no address of a server",
		"https:hunter2":                                "no address of a server",
		"https://polaris.example.org:hunter2":          "no address of a server",
		"https://%zzhunter2":                           "no address of a server",
	} {
		var out, errw strings.Builder
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		code := run(ctx, []string{"connect", address}, strings.NewReader(""), &out, &errw)
		cancel()
		if code != 2 || out.String() != "" || !strings.Contains(errw.String(), want) || strings.Contains(errw.String(), "hunter2") || strings.Count(errw.String(), "\n") != 1 {
			t.Errorf("%s: %d %q %q, want 2 and %s", address, code, out.String(), errw.String(), want)
		}
	}
	t.Setenv("POLARIS_API_KEY", "")
	var out, errw strings.Builder
	if code := run(t.Context(), []string{"connect", "https://polaris.example.org"}, strings.NewReader(""), &out, &errw); code != 2 || !strings.Contains(errw.String(), "POLARIS_API_KEY") {
		t.Errorf("without a key: %d %s", code, errw.String())
	}
}
