package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"polaris/advisor/ingest/guard"
	"polaris/internal/testdata"
	"polaris/models/store/localpg"
)

func TestMain(m *testing.M) {
	localpg.SuperviseIfAsked()
	guard.ServeIfAsked()
	testscript.Main(m, map[string]func(){"bb": main})
}

// TestTranscripts runs the command line as somebody at a terminal would. Each
// script has a data folder of its own, and so a PostgreSQL of its own.
func TestTranscripts(t *testing.T) {
	needsPostgres(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			data, err := os.MkdirTemp("", "bb-script-")
			if err != nil {
				return err
			}
			e.Defer(func() { os.RemoveAll(data) })
			if err := os.Chmod(data, 0o755); err != nil { // as root PostgreSQL runs as another user
				return err
			}
			e.Setenv("POLARIS_DATA_DIR", filepath.Join(data, "polaris"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "testdata" {
				_, found := testdata.Find()
				return found || os.Getenv("CI") != "", nil // under CI the script runs, and fails
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// keyid NAME sets the variable to the public id of the key just printed.
			"keyid": func(ts *testscript.TestScript, neg bool, args []string) {
				_, rest, found := strings.Cut(ts.ReadFile("stdout"), "sk-polaris-")
				if !found || len(rest) < 12 {
					ts.Fatalf("no key was printed")
				}
				ts.Setenv(args[0], rest[:12])
			},
			// answerid NAME sets the variable to the id of the answer just printed.
			"answerid": func(ts *testscript.TestScript, neg bool, args []string) {
				_, rest, found := strings.Cut(ts.ReadFile("stdout"), "Answer ans_")
				if !found || len(rest) < 12 {
					ts.Fatalf("no answer was printed")
				}
				ts.Setenv(args[0], "ans_"+rest[:12])
			},
			// zipped ZIP NAME… packs files of the folder under the names that are given;
			// one that leads out of it is rules.md.
			"odd": func(ts *testscript.TestScript, _ bool, args []string) { // a document whose name is not UTF-8
				ts.Check(os.WriteFile(ts.MkAbs(args[0]+"/odd\xff.md"), []byte("# Odd\n\n(a) This has a name of its own.\n"), 0o600))
			},
			"zipped": func(ts *testscript.TestScript, neg bool, args []string) {
				var b bytes.Buffer
				w := zip.NewWriter(&b)
				for _, name := range args[1:] {
					f, err := w.Create(name)
					ts.Check(err)
					file := name
					if strings.HasPrefix(name, "..") {
						file = "rules.md"
					}
					_, err = f.Write([]byte(ts.ReadFile(file)))
					ts.Check(err)
				}
				ts.Check(w.Close())
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
			},
			// regs NAME copies a regulation of the test data into the folder.
			"regs": func(ts *testscript.TestScript, neg bool, args []string) {
				dir, _ := testdata.Find()
				b, err := os.ReadFile(filepath.Join(dir, "regs", args[0]))
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o644))
			},
		},
	})
}
