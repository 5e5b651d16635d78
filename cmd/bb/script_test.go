package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"polaris/models/store/localpg"
)

func TestMain(m *testing.M) {
	localpg.SuperviseIfAsked()
	testscript.Main(m, map[string]func(){"bb": main})
}

// TestTranscripts runs the command line as somebody at a terminal would. Each
// script has a data folder of its own, and so a PostgreSQL of its own.
func TestTranscripts(t *testing.T) {
	if _, _, err := localpg.Find(0); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			// As root PostgreSQL runs as another user, who must get to its folder.
			for dir := e.WorkDir; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
				if err := os.Chmod(dir, 0o755); err != nil {
					return err
				}
			}
			data, err := os.MkdirTemp("", "bb-script-")
			if err != nil {
				return err
			}
			e.Defer(func() { os.RemoveAll(data) })
			if err := os.Chmod(data, 0o755); err != nil {
				return err
			}
			e.Setenv("POLARIS_DATA_DIR", filepath.Join(data, "polaris"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "testdata" {
				return os.Getenv("CI") != "" || haveData(), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// regs NAME copies a regulation of the test data into the folder.
			"regs": func(ts *testscript.TestScript, neg bool, args []string) {
				b, err := os.ReadFile(filepath.Join(dataDir(), "regs", args[0]))
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o644))
			},
			// keep NAME sets a variable to what the last command printed.
			"keep": func(ts *testscript.TestScript, neg bool, args []string) {
				ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
			},
		},
	})
}

func dataDir() string {
	if d := os.Getenv("POLARIS_TEST_DATA"); d != "" {
		return d
	}
	return filepath.Join("..", "..", "..", "shared", "data")
}

func haveData() bool {
	_, err := os.Stat(filepath.Join(dataDir(), "regs"))
	return err == nil
}
