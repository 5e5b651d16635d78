package ops_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/internal/leaks"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/models/store/storetest"
	"polaris/ops"
)

// deskOn returns a further process's desk on a database, with a secret of its
// own.
func deskOn(t *testing.T, db storetest.Database, secret byte) *ops.Desk {
	t.Helper()
	s, err := store.Open(t.Context(), db.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	set := ops.Settings{PublicURL: "http://polaris.test", RateLimit: models.Rate{Off: true}}
	if secret != 0 {
		set.SealingKey = bytes.Repeat([]byte{secret}, 32)
	}
	return ops.NewDesk(s, set, leaks.Log(t))
}

// signingKeys returns what is stored of signing keys, as text.
func signingKeys(t *testing.T, db storetest.Database) (kids []string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), db.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	rows, err := c.Query(t.Context(), "SELECT kid FROM signing_keys ORDER BY created_at, kid")
	if err == nil {
		kids, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		t.Fatal(err)
	}
	return kids
}

var instance = ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: ada}, Brain: ops.Instance, Via: ops.CLI}

// Processes that start at once make one key between them.
func TestOneFirstSigningKey(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var all sync.WaitGroup
	for range 8 {
		d := deskOn(t, db, 1)
		all.Go(func() {
			if err := d.PrepareSigning(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := signingKeys(t, db); len(got) != 1 {
		t.Errorf("keys %v, want one", got)
	}
}

// A process that comes while another makes the first key waits for that one, and
// makes none.
func TestTheSecondWaitsForTheFirstKey(t *testing.T) {
	t.Parallel()
	m := &meanwhile{text: `INSERT INTO "signing_keys"`}
	first, db := newDesk(t, store.Options{Tracer: m})
	second := deskOn(t, db, 0)
	second.Settings.SealingKey = first.Settings.SealingKey
	own, err := pgx.Connect(t.Context(), db.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close(t.Context())
	done := make(chan error, 1)
	come := func() {
		go func() { done <- second.PrepareSigning(context.Background()) }()
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			var waits bool
			err := own.QueryRow(context.Background(), `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&waits)
			if err != nil {
				t.Error(err)
			}
			if waits || len(done) > 0 {
				return
			}
		}
		t.Error("the second neither waits nor ends")
	}
	m.do.Store(&come)
	if err := first.PrepareSigning(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := signingKeys(t, db); len(got) != 1 {
		t.Errorf("keys %v, want one", got)
	}
}

// TestSigningKeysRotate follows a server through the life of a key: tokens of the
// old one hold until they run out, and it is removed when the next one comes.
func TestSigningKeysRotate(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	d := deskOn(t, db, 1)
	newBrain(t, d, "calliope", false)
	start := time.Now()
	at := func(after time.Duration) { d.Now = func() time.Time { return start.Add(after) } }
	at(0)
	first := tokensOf(t, d, "calliope", ada)
	at(models.SigningLife - time.Second)
	late := tokensOf(t, d, "calliope", ada)
	if got := signingKeys(t, db); len(got) != 1 {
		t.Errorf("before its time is over: %v", got)
	}
	at(models.SigningLife + time.Second)
	next := tokensOf(t, d, "calliope", ada)
	if got := signingKeys(t, db); len(got) != 2 {
		t.Errorf("after it: %v", got)
	}
	holds(t, d, "the first token", first.AccessToken, false)
	holds(t, d, "one of the old key's last seconds", late.AccessToken, true)
	holds(t, d, "one of the new key", next.AccessToken, true)
	at(models.SigningLife + models.AccessLife - 2*time.Second)
	holds(t, d, "the last second of the old key's last token", late.AccessToken, true)
	at(2*models.SigningLife + time.Minute)
	tokensOf(t, d, "calliope", ada)
	if got := signingKeys(t, db); len(got) != 2 {
		t.Errorf("two lives later: %v, want the one that signs and the one before it", got)
	}
}

func TestRotatingByHand(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	d := deskOn(t, db, 1)
	newBrain(t, d, "calliope", false)
	old := tokensOf(t, d, "calliope", ada)
	out := must(t, d, instance, ops.RotateSigningKey, ops.RotateSigningKeyIn{})
	if out.Retired != 1 || out.Dropped != 0 || out.KID == "" {
		t.Errorf("rotated: %+v", out)
	}
	fresh := tokensOf(t, d, "calliope", ada)
	holds(t, d, "of the key before", old.AccessToken, true)
	holds(t, d, "of the key now", fresh.AccessToken, true)
	// Another process sees at once that the keys were dropped, and signs with the
	// new one.
	elsewhere := deskOn(t, db, 1)
	out = must(t, elsewhere, instance, ops.RotateSigningKey, ops.RotateSigningKeyIn{Drop: true})
	if out.Dropped != 2 {
		t.Errorf("dropped: %+v", out)
	}
	holds(t, d, "of a dropped key", old.AccessToken, false)
	holds(t, d, "of another dropped key", fresh.AccessToken, false)
	next, err := refresh(d, fresh.RefreshToken)
	if err != nil {
		t.Fatalf("refresh tokens go on: %v", err)
	}
	holds(t, elsewhere, "refreshed", next.AccessToken, true)
	if got := signingKeys(t, db); len(got) != 1 || got[0] != out.KID {
		t.Errorf("keys %v, want %s", got, out.KID)
	}
	if rows := auditOf(t, d, ops.Instance); rows["tokens.rotate_signing_key ok "+out.KID+" "+ada] != 1 {
		t.Errorf("audited: %v", rows)
	}
	if _, err := ops.Do(t.Context(), d, terminal("calliope"), ops.RotateSigningKey, ops.RotateSigningKeyIn{}); fault.Of(err).Field != "brain_id" {
		t.Errorf("in a brain: %v", err)
	}
}

// Rotations and sign-ins at the same time, from several processes: each token
// that is given holds, and one key signs in the end.
func TestRotatingUnderLoad(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	desks := []*ops.Desk{deskOn(t, db, 1), deskOn(t, db, 1), deskOn(t, db, 1)}
	newBrain(t, desks[0], "calliope", false)
	c := signedIn(t, desks[0], "calliope", ada)
	var all sync.WaitGroup
	for i := range 60 {
		d, other := desks[i%3], desks[(i+1)%3]
		all.Go(func() {
			if i%10 == 0 {
				if _, err := ops.Do(context.Background(), d, instance, ops.RotateSigningKey, ops.RotateSigningKeyIn{}); err != nil {
					t.Error(err)
				}
				return
			}
			out, err := ops.Do(context.Background(), d, c, ops.CreateTokens, ops.CreateTokensIn{})
			if err == nil {
				_, err = other.TokenPrincipal(context.Background(), out.AccessToken)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// A secret that is not the one of last time is found out before anything is
// served, and can neither sign nor take over.
func TestTheWrongSecret(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	d := deskOn(t, db, 1)
	newBrain(t, d, "calliope", false)
	out := tokensOf(t, d, "calliope", ada)
	wrong, none := deskOn(t, db, 2), deskOn(t, db, 0)
	for want, d := range map[string]*ops.Desk{"wrong_secret_key": wrong, "no_secret_key": none} {
		if err := d.PrepareSigning(t.Context()); told(err) != want {
			t.Errorf("at the start: %v, want %s", err, want)
		}
		if _, err := ops.Do(t.Context(), d, signedIn(t, d, "calliope", ada), ops.CreateTokens, ops.CreateTokensIn{}); told(err) != want {
			t.Errorf("signing in: %v, want %s", err, want)
		}
		if _, err := refresh(d, out.RefreshToken); told(err) != want {
			t.Errorf("refreshing: %v, want %s", err, want)
		}
		if _, err := ops.Do(t.Context(), d, instance, ops.RotateSigningKey, ops.RotateSigningKeyIn{}); told(err) != want {
			t.Errorf("rotating: %v, want %s", err, want)
		}
		holds(t, d, "verifying needs no secret", out.AccessToken, true)
	}
	if _, err := refresh(d, out.RefreshToken); err != nil {
		t.Errorf("what could not be signed used the refresh token up: %v", err)
	}
	// Where the secret is lost, dropping the keys is the way on.
	must(t, wrong, instance, ops.RotateSigningKey, ops.RotateSigningKeyIn{Drop: true})
	if err := wrong.PrepareSigning(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSealedKeysAreBound: a sealed key that was changed, or put in another's
// place, signs nothing.
func TestSealedKeysAreBound(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"UPDATE signing_keys SET kid = 'other0000000'",
		"UPDATE signing_keys SET sealed = set_byte(sealed, 20, (get_byte(sealed, 20) + 1) % 256)",
		"UPDATE signing_keys SET sealed = substring(sealed FOR 10)",
		"UPDATE signing_keys SET sealed = ''",
		"UPDATE signing_keys SET public_key = decode(repeat('00', 32), 'hex')",
	} {
		db := storetest.New(t)
		d := deskOn(t, db, 1)
		if err := d.PrepareSigning(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, err := pgx.Connect(t.Context(), db.Own)
		if err != nil {
			t.Fatal(err)
		}
		if tag, err := c.Exec(t.Context(), change); err != nil || tag.RowsAffected() != 1 {
			t.Fatal(fmt.Sprint(change, ": ", tag, err))
		}
		c.Close(t.Context())
		if err := d.PrepareSigning(t.Context()); told(err) != "wrong_secret_key" {
			t.Errorf("%s: %v", change, err)
		}
	}
}
