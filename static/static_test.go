package static

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// vendored are the files that are not ours, as their names say.
func vendored(name string) bool {
	return strings.Contains(name, ".min.") || strings.HasPrefix(name, "LICENSE.")
}

func TestVendoredFilesArePinned(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("VERSIONS")
	if err != nil {
		t.Fatal(err)
	}
	pinned := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 5 || !strings.Contains(f[2], "@") {
			t.Errorf("VERSIONS: cannot read %q", line)
			continue
		}
		a, ok := assets[f[1]]
		if sum := sha256.Sum256(a.body); !ok || hex.EncodeToString(sum[:]) != f[0] {
			t.Errorf("%s is not the file that VERSIONS pins", f[1])
		}
		if _, ok := assets[f[4]]; !ok {
			t.Errorf("%s has no licence text %s", f[1], f[4])
		}
		pinned[f[1]] = true
	}
	for name := range assets {
		if pinned[name] != vendored(name) {
			t.Errorf("%s must be either pinned in VERSIONS or one of ours", name)
		}
	}
}

func TestHandler(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		method, path string
		want         int
		kind         string
	}{
		{"GET", Path("app.js"), 200, "text/javascript; charset=utf-8"},
		{"HEAD", Path("polaris.css"), 200, "text/css; charset=utf-8"},
		{"GET", Path("favicon.svg"), 200, "image/svg+xml"},
		{"POST", Path("app.js"), 405, ""},
		{"GET", "/static/app.js", 404, ""},
		{"GET", "/static/0000000000000000/app.js", 404, ""},
		{"GET", "/static/", 404, ""},
		{"GET", Path("app.js") + "/../app.js", 404, ""},
	} {
		rec := httptest.NewRecorder()
		Handler().ServeHTTP(rec, httptest.NewRequest(row.method, row.path, nil))
		if rec.Code != row.want {
			t.Errorf("%s %s: got %d, want %d", row.method, row.path, rec.Code, row.want)
		}
		cached := strings.Contains(rec.Header().Get("Cache-Control"), "immutable")
		if cached != (row.want == http.StatusOK) {
			t.Errorf("%s %s: Cache-Control %q", row.method, row.path, rec.Header().Get("Cache-Control"))
		}
		if row.want == http.StatusOK && rec.Header().Get("Content-Type") != row.kind {
			t.Errorf("%s %s: got type %q, want %q", row.method, row.path, rec.Header().Get("Content-Type"), row.kind)
		}
	}
}

// Our scripts must work under require-trusted-types-for 'script' and a policy
// without unsafe-eval, where these fail in the browser and nowhere else.
func TestScriptsWriteNoHTML(t *testing.T) {
	t.Parallel()
	for name, a := range assets {
		if vendored(name) || !strings.HasSuffix(name, ".js") {
			continue
		}
		for _, sink := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", ".style."} {
			if strings.Contains(string(a.body), sink) {
				t.Errorf("%s uses %s", name, sink)
			}
		}
	}
}
