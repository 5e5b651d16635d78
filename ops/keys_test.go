package ops_test

import (
	"context"
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// Whoever has a key that leaked can revoke it by the whole of it. None of its
// secret stays behind, nor of one that somebody writes where no key belongs.
func TestNoKeyStaysInTheAuditLog(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	key, p := keyOf(t, d, c, models.ScopeAdvisorRead)
	other, _ := models.MintKey()
	asks := ops.Call{By: p, Brain: "calliope", Via: ops.Hosted, RequestID: key}
	must(t, d, asks, ops.Answer, ops.AskIn{Query: "What is the late fee?", TopicIDs: []string{key}})
	revoked := must(t, d, c, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: key, Reason: "found " + key + " in a chat"})
	if revoked.ID != p.KeyID || strings.Contains(revoked.RevokeCause, key[30:]) {
		t.Errorf("revoked %+v", revoked)
	}
	if _, err := d.KeyPrincipal(context.Background(), key); fault.Of(err).Code != "revoked_api_key" {
		t.Errorf("the key: %v", err)
	}
	for _, id := range []string{other, other[:40], "x " + other} {
		if _, err := ops.Do(context.Background(), d, c, ops.RevokeAPIKey, ops.RevokeAPIKeyIn{ID: id}); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := ops.Do(context.Background(), d, asks, ops.GetAnswer, ops.AnswerIDIn{ID: key}); err == nil {
		t.Error("a key is an answer")
	}
	err := d.Store.InBrain(context.Background(), "calliope", func(tx *store.Tx) error {
		rows, err := tx.AuditRows(100)
		for _, r := range rows {
			if row := string(r.Bytes()); strings.Contains(row, key[24:36]) || strings.Contains(row, other[24:36]) {
				t.Errorf("the audit log has a key: %s", row)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
