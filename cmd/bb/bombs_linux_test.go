package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"polaris/internal/craft"
	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// mostOfAll is the memory that the server and whatever it starts may have
// together, while a document is read that was made to take all there is.
const mostOfAll = 1 << 30

// Bombs are sent to a server of its own process, and to `bb import` beside it:
// each is refused, or read, within the bounds, with one clear line, and all that
// Polaris is, PostgreSQL apart, stays below a gigabyte. With POLARIS_TEST_LONG
// all of them are sent, else those that take seconds.
func TestBombsAndTheWhole(t *testing.T) {
	x := newImportSite(t)
	x.brain(t, "acme")
	t.Setenv("POLARIS_PARSE_TIME", "20s")
	addr := freeAddress(t)
	served, log := x.bb(t, "serve", "--listen", addr, "--public-url", "http://"+addr, "--rate-limit", "off")
	x.awaits(t, addr, log)
	key := x.token(t, addr)
	x.warm(t)

	bombs := craft.Bombs()
	bombs = append(bombs, craft.Bomb{Name: "zips within zips", File: "nested.zip", Data: craft.Nested()},
		craft.Bomb{Name: "many zeros", File: "many.zip", Data: craft.ManyZeros(600), Says: "Split it"},
		craft.Bomb{Name: "entries that are the same bytes", File: "same.zip", Data: craft.Shared(1000), Says: "overlap"})
	for _, b := range bombs {
		if os.Getenv("POLARIS_TEST_LONG") == "" && !brief[b.Name] {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			m := watchMemory(served.Process.Pid)
			began := time.Now()
			line := refused(x.upload(t, addr, key, b))
			took := time.Since(began)
			t.Logf("uploaded, %.1f MiB: %v, together %s: %s", float64(len(b.Data))/(1<<20), took.Round(time.Millisecond), m.ends(t), line)
			if !strings.Contains(line, b.Says) && !strings.HasSuffix(b.File, ".zip") || strings.ContainsAny(line, "\n") || len(line) > 400 || line == "" {
				t.Errorf("%q says not %q", line, b.Says)
			}

			path := filepath.Join(t.TempDir(), b.File)
			if err := os.WriteFile(path, b.Data, 0o600); err != nil {
				t.Fatal(err)
			}
			began = time.Now()
			cmd, out := x.bb(t, "import", path, "--brain-id", "acme", "--owner", "Legal")
			m = watchMemory(served.Process.Pid, cmd.Process.Pid)
			err := cmd.Wait()
			line = aboutFile(out.String(), b.File)
			t.Logf("imported: %v, together %s: %s (%v)", time.Since(began).Round(time.Millisecond), m.ends(t), line, err)
			if b.Says != "" && (err == nil || !strings.Contains(line, b.Says)) || line == "" {
				t.Errorf("%v: no line about %s says %q:\n%s", err, b.File, b.Says, out)
			}
		})
	}
	t.Run("a gigabyte of zeros", func(t *testing.T) {
		for _, packed := range []bool{false, true} {
			m := watchMemory(served.Process.Pid)
			began := time.Now()
			status, line := pourZeros(t, addr, key, packed)
			t.Logf("gzip %v: %v, together %s: %d %s", packed, time.Since(began).Round(time.Millisecond), m.ends(t), status, line)
			if want := map[bool]int{false: http.StatusRequestEntityTooLarge, true: http.StatusUnsupportedMediaType}[packed]; status != want || line == "" {
				t.Errorf("gzip %v: %d %q, want %d", packed, status, line, want)
			}
		}
	})
	if res, err := http.Get("http://" + addr + "/health"); err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusOK {
		t.Errorf("afterwards the server is not well: %v", err)
	}
}

// brief are the bombs that are over within seconds.
var brief = map[string]bool{"gzip 1000:1": true, "entities in XML": true, "DOCX of spaces, 1000:1": true, "5,000 pages": true, "zips within zips": true}

// awaits waits until the server is ready.
func (x *importSite) awaits(t *testing.T, addr string, log *syncBuffer) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if res, err := http.Get("http://" + addr + "/health"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
	}
	t.Fatalf("not ready: %.2000s", log)
}

// token signs a program in that may import.
func (x *importSite) token(t *testing.T, addr string) string {
	t.Helper()
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: "ada@example.org", Brain: "acme"}, Brain: "acme", Via: ops.CLI}
	u, err := ops.Do(t.Context(), x.desk, c, ops.CreateUser, ops.CreateUserIn{Email: "curator@example.org", Roles: []models.Role{models.RoleOwner}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ops.Do(t.Context(), x.desk, ops.Call{By: ops.Visitor(), Brain: store.Instance, Via: ops.Web}, ops.UseLink, ops.UseLinkIn{Token: u.Link, Password: testPassword}); err != nil {
		t.Fatal(err)
	}
	body := `{"grant_type":"password","email":"curator@example.org","password":"` + testPassword + `","brain_id":"acme","scopes":["mcp:write"]}`
	res, err := http.Post("http://"+addr+"/v1/auth/token", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var got struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil || got.AccessToken == "" {
		t.Fatalf("no token: %s, %v", res.Status, err)
	}
	return got.AccessToken
}

// warm waits until the server has compiled the PDF engine.
func (x *importSite) warm(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); len(compiled(t, x.data)) == 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the PDF engine is not compiled")
		}
	}
}

// upload sends a file as a form, an archive to where archives go.
func (x *importSite) upload(t *testing.T, addr, key string, b craft.Bomb) (*http.Response, error) {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	where, field := "sources", "data"
	if strings.HasSuffix(b.File, ".zip") {
		where, field = "imports", "files"
	}
	part, err := w.CreateFormFile(field, b.File)
	if err == nil {
		_, err = part.Write(b.Data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/v1/brains/acme/"+where, &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", w.FormDataContentType())
	return http.DefaultClient.Do(req)
}

// refused returns what an answer says.
func refused(res *http.Response, err error) string {
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if res.StatusCode < 400 {
		return res.Status
	}
	_, detail, _ := strings.Cut(string(b), `"detail":"`)
	detail, _, _ = strings.Cut(detail, `","`)
	return res.Status + ": " + detail
}

// aboutFile returns the line that a command prints about a file, or about what
// was in it.
func aboutFile(out, name string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(line, name+":") || strings.Contains(line, name+"/") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// pourZeros sends a gigabyte of zeros in chunks, packed or not, and returns what
// the server says before it has all of them.
func pourZeros(t *testing.T, addr, key string, packed bool) (status int, line string) {
	t.Helper()
	con, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer con.Close()
	_ = con.SetDeadline(time.Now().Add(2 * time.Minute))
	head := "POST /v1/brains/acme/sources HTTP/1.1\r\nHost: " + addr + "\r\nAuthorization: Bearer " + key + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
	if packed {
		head += "Content-Encoding: gzip\r\n"
	}
	if _, err := io.WriteString(con, head+"\r\n"); err != nil {
		t.Fatal(err)
	}
	go func() {
		chunk, n := make([]byte, 1<<20), 1<<10
		if packed {
			chunk, n = craft.Gzip(1<<30), 1
		} else if _, err := fmt.Fprintf(con, "%x\r\n%s\r\n", 9, `{"data":"`); err != nil {
			return
		}
		for range n {
			if _, err := fmt.Fprintf(con, "%x\r\n", len(chunk)); err != nil {
				return
			}
			if _, err := con.Write(append(chunk, '\r', '\n')); err != nil {
				return
			}
		}
		_, _ = io.WriteString(con, "0\r\n\r\n")
	}()
	got := make([]byte, 4096)
	n, err := con.Read(got)
	if err != nil || n < 12 {
		t.Fatalf("the server says nothing: %v", err)
	}
	status, _ = strconv.Atoi(string(got[9:12]))
	_, detail, _ := strings.Cut(string(got[:n]), `"detail":"`)
	line, _, _ = strings.Cut(detail, `","`)
	return status, line
}

// A memoryWatch looks at the memory of processes and of what they start.
type memoryWatch struct {
	stop context.CancelFunc
	done sync.WaitGroup
	peak int64
	each []int64 // of it, what each process had with what it started
}

func watchMemory(pids ...int) *memoryWatch {
	ctx, stop := context.WithCancel(context.Background())
	m := &memoryWatch{stop: stop}
	m.done.Go(func() {
		for t := time.NewTicker(10 * time.Millisecond); ctx.Err() == nil; <-t.C {
			n, each := int64(0), []int64{}
			for _, pid := range pids {
				each = append(each, memoryOf(pid, 0)>>20)
				n += each[len(each)-1] << 20
			}
			if n > m.peak {
				m.peak, m.each = n, each
			}
		}
	})
	return m
}

// ends returns the most that there was at any time, and holds it to the bound.
func (m *memoryWatch) ends(t *testing.T) string {
	t.Helper()
	m.stop()
	m.done.Wait()
	if m.peak > mostOfAll {
		t.Errorf("together they had %d MiB", m.peak>>20)
	}
	if m.peak == 0 {
		t.Error("nothing was seen of their memory")
	}
	return fmt.Sprintf("%d MiB %d", m.peak>>20, m.each)
}

// memoryOf returns a process's share of memory (what several have counts once),
// with that of its descendants.
func memoryOf(pid, depth int) int64 {
	n := pss(pid)
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil || depth > 8 {
		return n
	}
	for _, task := range tasks {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for f := range strings.FieldsSeq(string(b)) {
			if child, err := strconv.Atoi(f); err == nil {
				n += memoryOf(child, depth+1)
			}
		}
	}
	return n
}

func pss(pid int) int64 {
	for _, at := range [][2]string{{"smaps_rollup", "\nPss:"}, {"status", "\nVmRSS:"}} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, at[0]))
		if err != nil {
			continue
		}
		_, after, _ := strings.Cut(string(b), at[1])
		if fields := strings.Fields(after); len(fields) > 0 {
			if kb, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
				return kb << 10
			}
		}
	}
	return 0
}
