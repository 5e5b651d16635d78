package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const module = "polaris/"

// floors lists, for each package, which of ours it may import and which modules
// of others. The first prefix that fits applies. The README's architecture
// section draws the same picture.
var floors = []struct{ pkg, ours, others string }{
	{"models/fault", "", ""},
	{"advisor/cite", "", ""},
	{"migrations", "", ""},
	{"static", "", ""},
	{"internal/testdata", "", ""},

	{"models/store/localpg", "models/fault", "github.com/jackc/pgx golang.org/x/sys"},
	{"models/store/storetest", "models/store internal/leaks", "github.com/jackc/pgx"},
	{"models/store", "models models/fault migrations", "gorm.io github.com/jackc/pgx github.com/pressly/goose github.com/riverqueue/river"},
	{"models", "models/fault advisor/cite", ""},
	{"views", "views static", "github.com/a-h/templ golang.org/x/net/html"},

	{"advisor/index", "models models/fault advisor/cite", "github.com/blevesearch/snowballstem golang.org/x/text"},
	{"advisor/ingest/form", "models", ""},
	{"advisor/ingest", "models models/fault advisor/cite advisor/ingest", "golang.org/x/text golang.org/x/net/html golang.org/x/sys github.com/yuin/goldmark github.com/klippa-app/go-pdfium github.com/tetratelabs/wazero github.com/xuri/excelize github.com/emersion/go-message github.com/wlynxg/chardet github.com/landlock-lsm/go-landlock github.com/elastic/go-seccomp-bpf"},
	{"advisor/fetch", "models models/fault", "golang.org/x/net code.dny.dev/ssrf github.com/temoto/robotstxt"},
	{"advisor/model", "", "github.com/openai/openai-go"},
	{"advisor/verify", "models models/fault advisor/cite advisor/index", "golang.org/x/text"},
	{"advisor/retrieve", "models models/fault advisor/cite advisor/index", "golang.org/x/text"},
	{"advisor/wiki", "models models/fault advisor/cite advisor/index advisor/retrieve", "golang.org/x/text"},
	{"advisor", "models models/fault advisor", "golang.org/x/text"},

	{"ops/schema", "models", "github.com/google/jsonschema-go github.com/santhosh-tekuri/jsonschema golang.org/x/text"},
	{"ops/door", "ops models models/fault", ""},
	{"ops", "advisor models models/store models/fault", "golang.org/x/crypto github.com/golang-jwt/jwt github.com/google/uuid github.com/riverqueue/river"},

	{"mcp", "ops ops/door ops/schema models models/fault", "github.com/mark3labs/mcp-go github.com/google/jsonschema-go"},
	{"web/openai", "ops ops/door models models/fault", ""},
	{"web", "ops ops/door ops/schema models models/fault models/store views static", "golang.org/x/text github.com/labstack github.com/a-h/templ github.com/gorilla github.com/yuin/goldmark github.com/microcosm-cc/bluemonday github.com/prometheus/client_golang"},
	{"cmd", "*", "*"},
	{"internal", "*", "*"}, // only tests import what is under it
}

func TestFloorPlan(t *testing.T) {
	t.Parallel()
	all := packages(t)
	if len(all) < 15 {
		t.Errorf("only %d packages were looked at", len(all))
	}
	for pkg, imports := range all {
		check(t, pkg, imports)
	}
}

// packages returns what each of our packages imports.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "../../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(p.ImportPath, module)] = p.Imports
	}
}

func check(t *testing.T, pkg string, imports []string) {
	for _, f := range floors {
		if !within(pkg, f.pkg) {
			continue
		}
		for _, imp := range imports {
			ours, isOurs := strings.CutPrefix(imp, module)
			switch {
			case isOurs && !allowed(ours, f.ours):
				t.Errorf("%s may not import %s", pkg, ours)
			case !isOurs && strings.Contains(strings.Split(imp, "/")[0], ".") && !allowed(imp, f.others):
				t.Errorf("%s may not import %s", pkg, imp)
			}
		}
		return
	}
	t.Errorf("%s is on no floor", pkg)
}

func within(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// allowed reports whether path is under one of the roots. The root "models"
// means that package alone: the store below it is asked for by name.
func allowed(path, roots string) bool {
	for _, r := range strings.Fields(roots) {
		if r == "*" || path == r || r != "models" && within(path, r) {
			return true
		}
	}
	return false
}

// TestReadmeDrawsTheFloors holds the README's table against the imports: each
// package imports only from floors below its own.
func TestReadmeDrawsTheFloors(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	floor := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (\\d) \\| (`.*) \\|$").FindAllStringSubmatch(string(readme), -1) {
		for _, p := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(row[2], -1) {
			floor[p[1]] = row[1]
		}
	}
	// of returns the package of the table that path is, or is part of.
	of := func(path string) string {
		for ; path != "."; path = filepath.Dir(path) {
			if _, ok := floor[path]; ok {
				return path
			}
		}
		return ""
	}
	drawn := map[string]bool{}
	for pkg, imports := range packages(t) {
		if within(pkg, "internal") || pkg == "models/store/storetest" {
			continue // only tests import them
		}
		from := of(pkg)
		if from == "" {
			t.Errorf("%s is on no floor of the README", pkg)
		}
		drawn[from] = true
		for _, imp := range imports {
			if ours, ok := strings.CutPrefix(imp, module); ok && of(ours) != from && floor[of(ours)] >= floor[from] {
				t.Errorf("%s on floor %s imports %s on floor %s", pkg, floor[from], ours, floor[of(ours)])
			}
		}
	}
	for p := range floor {
		if !drawn[p] {
			t.Errorf("the README draws %s, which is not there", p)
		}
	}
}
