package store_test

import (
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
)

// aKey saves a key of ada's in the brain alpha.
func aKey(t *testing.T, s *store.Store) *models.APIKey {
	t.Helper()
	secret, id := models.MintKey()
	k := &models.APIKey{ID: id, Label: "x", Scopes: []models.Scope{models.ScopeAdvisorRead, models.ScopeInvoke}, OwnerID: "per_ada", Hash: models.HashKey(secret), CreatedAt: time.Now()}
	err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error {
		if err := tx.InsertPerson(&models.Person{ID: "per_ada", Email: "ada@example.org"}); err != nil {
			return err
		}
		if err := tx.SetMembership("per_ada", []models.Role{models.RoleOwner}); err != nil {
			return err
		}
		return tx.InsertAPIKey(k)
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestKeysOnlyNarrow: the database itself gives a key no further scopes and
// leaves one that was revoked as it is, whoever asks.
func TestKeysOnlyNarrow(t *testing.T) {
	t.Parallel()
	s, db := twoBrains(t)
	k := aKey(t, s)
	c := connect(t, db.URL)
	if _, err := c.Exec(t.Context(), "SELECT set_config('app.brain_id', 'alpha', false)"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ sql, refused string }{
		{`UPDATE api_keys SET scopes = '["advisor:read", "mcp:invoke", "mcp:write"]'`, "not given further scopes"},
		{`UPDATE api_keys SET scopes = '["mcp:write"]'`, "not given further scopes"},
		{`UPDATE api_keys SET scopes = '["advisor:read"]'`, ""},
		{`UPDATE api_keys SET scopes = '["advisor:read", "mcp:invoke"]'`, "not given further scopes"},
		{`UPDATE api_keys SET prev_until = now()`, "violates check constraint"},
		{`UPDATE api_keys SET revoked_at = now()`, ""},
		{`UPDATE api_keys SET revoked_at = NULL`, "is not changed any more"},
		{`UPDATE api_keys SET hash = prev_hash, expires_at = NULL`, "is not changed any more"},
		{`UPDATE api_keys SET last_used_at = now()`, ""}, // a request that was there before the revocation
	} {
		tag, err := c.Exec(t.Context(), step.sql)
		switch {
		case step.refused == "" && (err != nil || tag.RowsAffected() != 1):
			t.Errorf("%s: %v %v", step.sql, tag, err)
		case step.refused != "" && (err == nil || !strings.Contains(err.Error(), step.refused)):
			t.Errorf("%s: %v, want %q", step.sql, err, step.refused)
		}
	}
	if h, err := s.KeyByID(t.Context(), k.ID); err != nil || h.Key.RevokedAt == nil || len(h.Key.Scopes) != 1 {
		t.Errorf("afterwards: %+v, %v", h, err)
	}
}

// TestMemberNoMore: who has no roles left is no member, and still owns their
// keys.
func TestMemberNoMore(t *testing.T) {
	t.Parallel()
	s, _ := twoBrains(t)
	k := aKey(t, s)
	hash := []byte(strings.Repeat("h", 32))
	err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error {
		return tx.InsertSession(&models.Session{Hash: hash, PersonID: "per_ada", ExpiresAt: time.Now().Add(time.Hour)})
	})
	if err != nil {
		t.Fatal(err)
	}
	look := func(members, brains, roles int, state string) {
		t.Helper()
		err := s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error {
			ms, err := tx.Members()
			if err != nil {
				return err
			}
			got, err := tx.APIKey(k.ID, time.Now())
			if err != nil {
				return err
			}
			if len(ms) != members || got.State != state || got.Owner != "ada@example.org" {
				t.Errorf("%d members, the key is %s of %s; want %d, %s", len(ms), got.State, got.Owner, members, state)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		in, err := s.SessionByHash(t.Context(), hash)
		if err != nil || len(in.Memberships) != brains {
			t.Errorf("the session: %+v, %v; want %d brains", in, err, brains)
		}
		h, err := s.KeyByID(t.Context(), k.ID)
		if err != nil || len(h.Roles) != roles {
			t.Errorf("the look-up: %+v, %v; want %d roles", h, err, roles)
		}
	}
	look(1, 1, 1, "active")
	err = s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error { return tx.SetMembership("per_ada", nil) })
	if err != nil {
		t.Fatal(err)
	}
	look(0, 0, 0, "suspended")
}
