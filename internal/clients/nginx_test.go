package clients

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"polaris/models"
)

// publicName is the name of the recipe, which has no address anywhere.
const publicName = "polaris.example"

// TestNginx runs the recipe of docs/behind-a-proxy.md, with a port and a
// certificate of its own, before a server that is set up as the page says.
func TestNginx(t *testing.T) {
	t.Parallel()
	polaris(t) // the machine has what a server needs
	s, err := start("https://"+publicName, "--trusted-proxies", "127.0.0.1/32")
	if err != nil {
		t.Fatal(err)
	}
	client := startNginx(t, s.url)

	status, body := client.post(t, "https://"+publicName+"/v1/mcp", s.key, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer","arguments":{"query":"`+question+`"}}}`)
	var got struct{ Result result }
	if err := json.Unmarshal(body, &got); err != nil || status != http.StatusOK {
		t.Fatalf("through nginx: %d %s %v", status, body, err)
	}
	got.Result.told().check(t)
	var e models.Envelope
	if err := json.Unmarshal(got.Result.StructuredContent, &e); err != nil || !strings.HasPrefix(e.RecordURL, "https://"+publicName+"/brains/calliope/answers/") {
		t.Errorf("the record is at %q, %v", e.RecordURL, err)
	}
	if status, body = client.post(t, "https://other.example/v1/mcp", s.key, "{}"); status != http.StatusForbidden || !strings.Contains(string(body), "POLARIS_PUBLIC_URL") {
		t.Errorf("another name: %d %s, want 403 that names the setting", status, body)
	}
	resp, err := client.Get("https://" + publicName + "/session/new")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the page for signing in: %d", resp.StatusCode)
	}

	// The bad keys of one client do not close the door to another: nginx says
	// who is who, whatever the client says of itself.
	if runtime.GOOS != "linux" {
		return // elsewhere only 127.0.0.1 is this machine
	}
	elsewhere := client.from(t, "127.0.0.2")
	for i := range 40 {
		if status, _ = elsewhere.post(t, "https://"+publicName+"/v1/mcp", badKey, "{}"); status == http.StatusTooManyRequests {
			t.Logf("closed after %d bad keys", i)
			break
		}
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("40 bad keys are answered %d in the end", status)
	}
	if status, body = client.post(t, "https://"+publicName+"/v1/mcp", s.key, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); status != http.StatusOK {
		t.Errorf("another client is answered %d %s", status, body)
	}
}

// A proxied is a client that finds the recipe's names at the nginx of a test.
type proxied struct {
	http.Client
	addr  string
	roots *x509.CertPool
}

// from returns a client whose connections come from another loopback address.
func (p *proxied) from(t *testing.T, source string) *proxied {
	dial := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(source)}}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dial.DialContext(ctx, network, p.addr)
		},
		TLSClientConfig: &tls.Config{RootCAs: p.roots},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &proxied{http.Client{Transport: transport, Timeout: 10 * time.Second}, p.addr, p.roots}
}

// post sends a message, with a lie about where it is from.
func (p *proxied) post(t *testing.T, url, key, body string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Forwarded-For", "203.0.113.7")
	resp, err := p.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, got
}

// startNginx runs the recipe in front of the server at url.
func startNginx(t *testing.T, url string) *proxied {
	t.Helper()
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		if nginx = "/usr/sbin/nginx"; exec.Command(nginx, "-v").Run() != nil { // not on everybody's PATH
			lacking(t, "nginx is missing: scripts/need nginx installs it")
		}
	}
	dir := t.TempDir()
	addr, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	p := &proxied{addr: addr, roots: certificate(t, dir)}
	recipe := recipe(t)
	for old, new := range map[string]string{
		"listen 443 ssl;":       "listen " + addr + " ssl;",
		"/etc/ssl/":             dir + "/",
		"http://127.0.0.1:8088": url,
	} {
		if !strings.Contains(recipe, old) {
			t.Fatalf("the recipe has no %q", old)
		}
		recipe = strings.ReplaceAll(recipe, old, new)
	}
	conf := "daemon off; pid nginx.pid; events {} http { access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;\n" + recipe + "}\n"
	if os.Getuid() == 0 {
		conf = "user root;" + conf // a test's folder is closed to others
	}
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	var log printed
	c := exec.Command(nginx, "-e", "stderr", "-p", dir, "-c", "nginx.conf")
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGQUIT)
		_ = c.Wait()
		if t.Failed() {
			t.Logf("nginx said:\n%s", log.String())
		}
	})
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			return p.from(t, "127.0.0.1")
		}
		if time.Now().After(deadline) {
			t.Fatalf("nginx does not listen:\n%s", log.String())
		}
	}
}

// recipe returns the page's nginx configuration.
func recipe(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/behind-a-proxy.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?ms)^```nginx\n(.*?)^```$").FindSubmatch(page)
	if m == nil {
		t.Fatal("docs/behind-a-proxy.md has no nginx block")
	}
	return string(m[1])
}

// certificate writes a certificate for the recipe's name, and for one more, and
// returns who vouches for it.
func certificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{publicName, "other.example"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	for name, b := range map[string]*pem.Block{"pem": {Type: "CERTIFICATE", Bytes: der}, "key": {Type: "PRIVATE KEY", Bytes: private}} {
		var out bytes.Buffer
		if err := pem.Encode(&out, b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, publicName+"."+name), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if name == "pem" {
			roots.AppendCertsFromPEM(out.Bytes())
		}
	}
	return roots
}
