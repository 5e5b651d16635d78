package ops_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// unpacked reads an export as anybody could, holds every member against the
// manifest, and returns the members.
func unpacked(t testing.TB, b []byte) (ops.BrainManifest, map[string][]byte) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	files, last := map[string][]byte{}, ""
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		last = h.Name
	}
	var m ops.BrainManifest
	if err := json.Unmarshal(files["manifest.json"], &m); err != nil || last != "manifest.json" {
		t.Fatalf("the manifest: %v, and the last member is %s", err, last)
	}
	if len(m.Members)+1 != len(files) {
		t.Errorf("%d members, %d files", len(m.Members), len(files))
	}
	for _, x := range m.Members {
		sum := sha256.Sum256(files[x.Name])
		if hex.EncodeToString(sum[:]) != x.SHA256 || int64(len(files[x.Name])) != x.Bytes || x.Rows != bytes.Count(files[x.Name], []byte("\n")) && !strings.HasPrefix(x.Name, "documents/") {
			t.Errorf("%s is not what the manifest says: %+v", x.Name, x)
		}
		if name, is := strings.CutPrefix(x.Name, "documents/"); is && name != x.SHA256 {
			t.Errorf("%s has the hash %s", x.Name, x.SHA256)
		}
	}
	return m, files
}

func exported(t testing.TB, d *ops.Desk, c ops.Call) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := must(t, d, c, ops.ExportBrain, ops.None{}).Stream(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An export has all of a brain, can be verified by what is in it, and holds
// nothing by which anybody gets in, and nothing of another brain.
func TestBrainExport(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, x := furnished(t, d, "alpha", "aleph")
	furnished(t, d, "beta", "zebra")
	if err := d.SealNow(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	key := must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "another"})
	m, files := unpacked(t, exported(t, d, c))
	for name, part := range map[string]string{
		"brain.jsonl": `"id": "alpha"`, "members.jsonl": x.member, "api_keys.jsonl": x.key, "recommendations.jsonl": x.recommendation, "sources.jsonl": x.source, "revisions.jsonl": "The word is aleph",
		"passages.jsonl": "ALEPH 1(a)", "topic_cards.jsonl": x.card, "versions.jsonl": "manifest", "golden_questions.jsonl": "What is the word aleph?", "answers.jsonl": x.answer, "audit.jsonl": x.answer,
	} {
		if !strings.Contains(string(files[name]), part) {
			t.Errorf("%s has no %s: %.300s", name, part, files[name])
		}
	}
	documents := 0
	for name, b := range files {
		if strings.HasPrefix(name, "documents/") && strings.Contains(string(b), "The word is aleph") {
			documents++
		}
		for _, secret := range []string{"zebra", "argon2", `"hash"`, `"prev_hash"`, "password", strings.SplitN(key.Secret, "-", 3)[2], hex.EncodeToString(ops.HashSecret(key.Secret))} {
			if secret == `"hash"` && (name == "versions.jsonl" || strings.HasPrefix(name, "audit")) {
				continue // of manifests and links
			}
			if strings.Contains(string(b), secret) {
				t.Errorf("%s holds %q", name, secret)
			}
		}
	}
	if documents != 1 {
		t.Errorf("%d documents", documents)
	}
	// The log of the export verifies by itself, to the head that the manifest names.
	var hash []byte
	seq := int64(0)
	for line := range strings.Lines(string(files["audit.jsonl"])) {
		var l ops.AuditLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Seq == 0 {
			continue // not sealed then
		}
		seq++
		if hash = models.ChainHash(hash, seq, l.Row.Bytes()); l.Seq != seq || hex.EncodeToString(hash) != l.Hash {
			t.Fatalf("link %d of the export does not follow", l.Seq)
		}
	}
	if got := fmt.Sprintf("%d:%x", seq, hash); got != m.Head || seq < 5 {
		t.Errorf("the log ends at %s, the manifest says %s", got, m.Head)
	}
	// A person takes it; a program does not.
	if got := code(d, ops.Call{By: tokenOfWith(t, d, "alpha", ada), Brain: "alpha", Via: ops.REST}, ops.ExportBrain, ops.None{}); got != "session_required " {
		t.Errorf("by a token: %s", got)
	}
	if rows := must(t, d, c, ops.ListAudit, ops.AuditListIn{AuditFilterIn: ops.AuditFilterIn{Operation: "brains.export"}}).Rows; len(rows) != 2 || rows[1].Row.Outcome != "ok" {
		t.Errorf("the log says of it %+v", rows)
	}
}

func tokenOfWith(t testing.TB, d *ops.Desk, brain models.BrainID, email string) models.Principal {
	t.Helper()
	tokens := tokensOf(t.(*testing.T), d, brain, email, models.ScopeInvoke, models.ScopeWrite)
	by, err := d.TokenPrincipal(t.Context(), tokens.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	return by
}

// Two owners end a brain: what programs hold stops at once, all that it had goes,
// and what stays is a tombstone.
func TestTwoOwnersDeleteABrain(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	furnished(t, d, "beta", "zebra")
	beta := rowsOf(dump(t, db.URL, "beta"), "beta")
	c, x := furnished(t, d, "alpha", "aleph")
	own := connected(t, db.Own)
	key, _ := keyOf(t, d, c)
	first := signIn(t, d, "alpha", bob, models.RoleOwner)
	second := signIn(t, d, "alpha", cleo, models.RoleOwner)
	admin := signIn(t, d, "alpha", "admin@example.org", models.RoleAdmin, models.RoleApprover)
	on := true
	must(t, d, first, ops.SaveSettings, ops.SaveSettingsIn{FourEyes: &on})
	in := ops.DeleteBrainIn{Confirm: "alpha", Reason: "It is over."}

	if got := code(d, first, ops.DeleteBrain, ops.DeleteBrainIn{Confirm: "beta"}); got != "invalid confirm" {
		t.Errorf("another id: %s", got)
	}
	if got := code(d, admin, ops.DeleteBrain, in); got != "owners_only " {
		t.Errorf("an admin asks: %s", got)
	}
	app := connected(t, db.URL)
	for _, sql := range []string{
		"UPDATE brains SET ended_at = now() WHERE id = 'alpha'", "SELECT end_brain()", "DELETE FROM brains WHERE id = 'alpha'", "DELETE FROM audit", "INSERT INTO ended_brains VALUES ('alpha', now(), 0, '', 0)",
		"SET LOCAL app.brain_id = 'beta'; UPDATE brains SET ended_at = now() WHERE id = 'alpha'",
	} {
		if _, err := app.Exec(t.Context(), "SELECT set_config('app.brain_id', 'alpha', false)"); err != nil {
			t.Fatal(err)
		}
		if _, err := app.PgConn().Exec(t.Context(), sql).ReadAll(); err == nil || strings.Contains(err.Error(), "syntax error") {
			t.Errorf("%s: %v, want it refused", sql, err)
		}
	}
	q := proposed(t, d, first, ops.DeleteBrain, in)
	_, err := decide(t, d, admin, q.ID, "approve")
	refusedAs(t, "an admin decides", err, "not_entitled")
	_, err = decide(t, d, first, q.ID, "approve")
	refusedAs(t, "alone", err, "own_proposal")
	if got, err := decide(t, d, second, q.ID, "approve"); err != nil || got.State != models.Applied {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := d.KeyPrincipal(t.Context(), key); err == nil {
		t.Error("a key holds still")
	}
	if err := d.SealNow(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	head := must(t, d, c, ops.VerifyAudit, ops.VerifyAuditIn{})
	if err := d.LetGo(context.WithoutCancel(t.Context()), map[models.BrainID]int{}); err != nil {
		t.Fatal(err)
	}
	rest := dump(t, db.URL, "alpha")
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "(alpha,") && !strings.Contains(line, head.HeadHash) {
			t.Errorf("it left %s", line)
		}
	}
	for _, word := range []string{x.source, x.card, x.answer, "The word is aleph"} {
		if strings.Contains(rest, word) {
			t.Errorf("%s is there still", word)
		}
	}
	if _, err := own.Exec(t.Context(), "SELECT set_config('app.brain_id', 'alpha', false)"); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := own.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM audit) + (SELECT count(*) FROM audit_chain) + (SELECT count(*) FROM audit_unsealed)").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows of its log are left, %v", left, err)
	}
	if now := rowsOf(dump(t, db.URL, "beta"), "beta"); now != beta || len(now) < 2000 {
		t.Errorf("beta is not what it was:\n%s\nbefore:\n%s", now, beta)
	}
	es, err := d.Store.EndedBrains(t.Context())
	if err != nil || len(es) != 1 || es[0].ID != "alpha" || es[0].HeadSeq != head.HeadSeq || hex.EncodeToString(es[0].HeadHash) != head.HeadHash || es[0].Rows < 50 {
		t.Errorf("%+v, %v", es, err)
	}
	if _, err := d.Terminal(t.Context(), "alpha", ada); err == nil {
		t.Error("it is there at the terminal")
	}
	if got := code(d, terminal("alpha"), ops.CreateBrain, ops.CreateBrainIn{ID: "alpha", Name: "x", OwnerEmail: ada}); got != "brain_taken id" {
		t.Errorf("made anew: %s", got)
	}
	if r := must(t, d, terminal("beta"), ops.VerifyAudit, ops.VerifyAuditIn{}); len(r.Problems) > 0 {
		t.Errorf("beta's log: %+v", r)
	}
	if err := d.Store.InBrain(t.Context(), store.Instance, func(tx *store.Tx) error {
		rows, err := tx.AuditRows(1)
		if err == nil && (len(rows) != 1 || rows[0].Operation != "brains.delete" || rows[0].Target != "alpha" || !strings.Contains(rows[0].Detail.Changes[0].From, head.HeadHash)) {
			t.Errorf("the instance's log says %+v", rows)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// rowsOf are the rows of a dump that belong to a brain.
func rowsOf(dump, brain string) string {
	var b strings.Builder
	for line := range strings.Lines(dump) {
		if strings.HasPrefix(line, "("+brain+",") {
			b.WriteString(line)
		}
	}
	return b.String()
}
