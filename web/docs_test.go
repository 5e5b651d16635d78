package web

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"polaris/models"
)

// The examples of docs/rest.md are run as they stand, by the shell and curl.
func TestTheRESTPageIsTrue(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("curl is not installed")
		}
		t.Skip("curl is not installed")
	}
	page, err := os.ReadFile("../docs/rest.md")
	if err != nil {
		t.Fatal(err)
	}
	s, b := unhurried(t)
	env := append(os.Environ(), "POLARIS_API_KEY="+b.createKey("calliope", "agent"), "POLARIS_ACCESS_TOKEN="+b.scopedToken("calliope", models.ScopeInvoke))
	want := []string{`"kind":"key"`, `"status":"pass"`, `"fees-we-may-charge"`, `"next_cursor":`, "304\n"}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != len(want) {
		t.Fatalf("%d examples, want %d", len(blocks), len(want))
	}
	for i, block := range blocks {
		script := strings.ReplaceAll(block[1], "http://localhost:8088", s.url)
		sh := exec.CommandContext(t.Context(), "sh", "-ec", `curl() { command curl --fail-with-body "$@"; }`+"\n"+script)
		sh.Env = env
		out, err := sh.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want[i]) {
			t.Errorf("%s: %v\n%s", block[1], err, out)
		}
	}
	refusal := regexp.MustCompile("(?s)```json\n(.*?)\n```").FindStringSubmatch(string(page))
	if refusal == nil {
		t.Fatal("the page shows no error")
	}
	id := regexp.MustCompile(`req_\w+`)
	a := b.get("/v1/brains/calliope/sources?limit=500").want(http.StatusBadRequest)
	if got, want := id.ReplaceAllString(a.text, "ID"), id.ReplaceAllString(refusal[1], "ID"); got != want {
		t.Errorf("the page shows\n%s\nand this is\n%s", want, got)
	}
}
