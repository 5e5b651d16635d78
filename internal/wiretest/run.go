package wiretest

import (
	"testing"
)

// Run runs every row and every named test through the mounted endpoint.
func Run(t *testing.T, mount Mount) {
	t.Run("plain", func(t *testing.T) {
		t.Parallel()
		w := NewWorld(t, mount, Options{})
		for _, r := range PlainRows() {
			t.Run(r.Name, func(t *testing.T) { w.check(t, r) })
		}
	})
	t.Run("rpc", func(t *testing.T) {
		t.Parallel()
		w := NewWorld(t, mount, Options{})
		for _, r := range RPCRows() {
			t.Run(r.Name, func(t *testing.T) { w.check(t, r) })
		}
	})
}
