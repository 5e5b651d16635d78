package mcp_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"polaris/internal/wiretest"
	"polaris/models/store/storetest"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 7 && os.Args[1] == "load" { // the benchmarks' other process
		if err := generateLoad(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	storetest.Main(m)
}

func alone(_ testing.TB, _ *wiretest.World, hosted http.Handler) http.Handler { return hosted }

func TestWire(t *testing.T) {
	t.Parallel()
	wiretest.Run(t, alone)
}
