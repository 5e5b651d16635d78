package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"polaris/models/store/localpg"
)

// With a database elsewhere everything is the same, and the data folder, which
// then holds secrets only, is made where there is none.
func TestServeWithDatabaseElsewhere(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	pg, err := localpg.Attach(t.Context(), localpg.Config{Dir: dataFolder(t), Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Detach() })
	data := filepath.Join(t.TempDir(), "not", "there")
	logins := []string{"--database-url", pg.DSN(localApp, localDB), "--migrate-url", pg.DSN(localOwner, localDB)}
	s, _ := serve(t, data, freeAddress(t), append(logins, "--demo")...)
	key := s.waitFor(t, printedKey)
	first := s.ask(t, key[1], "How long do we have to decide on a completed application?")
	s.stop(t)

	// The secrets are in the folder, and what is made anew when it is not there; the
	// rest is in the database.
	names, err := os.ReadDir(data)
	names = slices.DeleteFunc(names, func(e os.DirEntry) bool { return e.Name() == "cache" || e.Name() == "indexes" })
	if err != nil || len(names) != 2 {
		t.Errorf("the data folder holds %v, %v", names, err)
	}
	s, _ = serve(t, data, freeAddress(t), logins...)
	again := s.ask(t, key[1], "How long do we have to decide on a completed application?")
	s.stop(t)
	if first["result"] == "" || first["result"] != again["result"] {
		t.Errorf("answered %v, then %v", first["result"], again["result"])
	}
	if strings.Contains(s.err.String(), key[1]) {
		t.Error("the log has the key")
	}
}
