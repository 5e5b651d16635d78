package mcp_test

import (
	"net/http"
	"testing"

	"polaris/internal/wiretest"
	"polaris/models/store/storetest"
	"polaris/ops"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func alone(_ testing.TB, _ *ops.Desk, hosted http.Handler) http.Handler { return hosted }

func TestWire(t *testing.T) {
	t.Parallel()
	wiretest.Run(t, alone)
}
