package wiretest

import "testing"

// Run runs every row and every named test through the mounted endpoint.
func Run(t *testing.T, mount Mount) {
	rows := func(name string, rs []Row) {
		for credential, tokens := range map[string]bool{"keys": false, "access tokens": true} {
			t.Run(name+" by "+credential, func(t *testing.T) {
				t.Parallel()
				w := NewWorld(t, mount, Options{Tokens: tokens})
				for _, r := range rs {
					t.Run(r.Name, func(t *testing.T) { w.check(t, r) })
				}
			})
		}
	}
	rows("plain", PlainRows())
	rows("rpc", RPCRows())
	rows("later era", ModernRows())
	for name, f := range map[string]func(*testing.T, Mount){
		"rate limit":        rateLimit,
		"failures":          tooManyFailures,
		"store away":        storeAway,
		"limiter away":      limiterAway,
		"audit away":        auditAway,
		"revocation":        revocation,
		"tools list":        toolsList,
		"tool failures":     toolFailures,
		"cancelled by peer": cancelledByPeer,
		"client gone":       clientGone,
		"deadline":          deadline,
		"no nulls":          noNulls,
		"own brain":         ownBrain,
		"content":           content,
		"nothing published": nothingPublished,
		"one list":          onePage,
		"odd requests":      oddRequests,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); f(t, mount) })
	}
}
