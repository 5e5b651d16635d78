package clients

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRemoteBridge runs mcp-remote, with which clients that know only stdio
// reach the endpoint, as docs/clients.md has it, and speaks to it as they do.
func TestRemoteBridge(t *testing.T) {
	t.Parallel()
	s := polaris(t)
	via := newRelay(t, s.url, nil)
	b := startBridge(t, via.url, s.key)
	var hello struct {
		ProtocolVersion string
		ServerInfo      struct{ Name string }
	}
	b.ask(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"stdio","version":"1"}}}`, &hello)
	if hello.ServerInfo.Name != "polaris" || hello.ProtocolVersion != "2025-06-18" {
		t.Errorf("initialize: %+v", hello)
	}
	b.say(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var got sight
	var list struct{ Tools []struct{ Name string } }
	b.ask(t, `{"jsonrpc":"2.0","id":"two","method":"tools/list"}`, &list)
	for _, tool := range list.Tools {
		got.Tools = append(got.Tools, tool.Name)
	}
	var answer, failed result
	b.ask(t, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"answer","arguments":{"query":"`+question+`"}}}`, &answer)
	b.ask(t, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_wiki","arguments":{"entity":"Nothing Of That Name"}}}`, &failed)
	got.Answer, got.Failed = answer.told(), failed.told()
	got.check(t)
}

// TestRemoteBridgeBadKey: it ends, and its log says why.
func TestRemoteBridgeBadKey(t *testing.T) {
	t.Parallel()
	s := polaris(t)
	via := newRelay(t, s.url, nil)
	b := startBridge(t, via.url, badKey)
	select {
	case <-b.ended:
	case <-time.After(20 * time.Second):
		t.Errorf("it goes on")
	}
	if !strings.Contains(b.log.String(), "This server has no OAuth: send an API key.") {
		t.Errorf("its log does not say why:\n%s", b.log.String())
	}
	via.gaveUp(t, 20) // it looks for OAuth in many places
}

// A bridge is mcp-remote, spoken to over its standard input and output.
type bridge struct {
	in    io.Writer
	lines chan string
	log   printed
	ended chan struct{}
}

func startBridge(t *testing.T, url, key string) *bridge {
	t.Helper()
	p := program{dir: workshop(t)}
	c := exec.Command(bin(t, "node"), append([]string{bin(t, "mcp-remote")}, documented(t, url, key, "npx mcp-remote")...)...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Dir, c.Env = p.dir, append(p.environment(), "BROWSER=false")
	b := &bridge{lines: make(chan string, 16), ended: make(chan struct{})}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	b.in, c.Stderr = in, &b.log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(b.ended)
		defer close(b.lines)
		s := bufio.NewScanner(out)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			b.lines <- s.Text()
		}
		_ = c.Wait()
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // gone already, perhaps
		<-b.ended
	})
	return b
}

func (b *bridge) say(t *testing.T, message string) {
	t.Helper()
	if _, err := io.WriteString(b.in, message+"\n"); err != nil {
		t.Fatalf("%v\n%s", err, b.log.String())
	}
}

// ask says message and reads the result of the answer, which is the next line.
func (b *bridge) ask(t *testing.T, message string, result any) {
	t.Helper()
	b.say(t, message)
	select {
	case line, ok := <-b.lines:
		var sent, got struct {
			ID            any
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(message), &sent); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(line), &got); !ok || err != nil || got.ID != sent.ID || got.Result == nil {
			t.Fatalf("%s is answered %s (%v)\n%s", message, line, err, b.log.String())
		}
		if err := json.Unmarshal(got.Result, result); err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("%s is not answered\n%s", message, b.log.String())
	}
}
