package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
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
	{"models/store/storetest", "models/store", "github.com/jackc/pgx"},
	{"models/store", "models models/fault migrations", "gorm.io github.com/jackc/pgx github.com/pressly/goose"},
	{"models", "models/fault advisor/cite", ""},
	{"views", "views static", "github.com/a-h/templ golang.org/x/net/html"},

	{"advisor/index", "models models/fault advisor/cite", "github.com/blevesearch/snowballstem golang.org/x/text"},
	{"advisor/ingest", "models models/fault advisor/cite", "golang.org/x/text github.com/yuin/goldmark"},
	{"advisor/verify", "models models/fault advisor/cite advisor/index", "golang.org/x/text"},
	{"advisor/retrieve", "models models/fault advisor/cite advisor/index", "golang.org/x/text"},
	{"advisor/wiki", "models models/fault advisor/cite advisor/index advisor/retrieve", "golang.org/x/text"},
	{"advisor", "models models/fault advisor", "golang.org/x/text"},

	{"ops", "advisor models models/store models/fault", "golang.org/x/crypto"},

	{"mcp", "ops models models/fault", "github.com/mark3labs/mcp-go github.com/google/jsonschema-go github.com/santhosh-tekuri/jsonschema golang.org/x/text"},
	{"web", "ops models models/fault models/store views static", "github.com/labstack github.com/a-h/templ github.com/gorilla github.com/yuin/goldmark github.com/microcosm-cc/bluemonday"},
	{"cmd", "*", "*"},
	{"internal", "*", "*"}, // only tests import what is under it
}

func TestFloorPlan(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "../../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		check(t, strings.TrimPrefix(p.ImportPath, module), p.Imports)
	}
	if seen < 15 {
		t.Errorf("only %d packages were looked at", seen)
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
