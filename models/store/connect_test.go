package store_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/models/store/storetest"
)

// Why no connection came about is said in one line, and no password is in it.
func TestNotConnected(t *testing.T) {
	t.Parallel()
	own := storetest.New(t).Own
	cfg, err := pgx.ParseConfig(own)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	for url, want := range map[string]string{
		strings.Replace(own, cfg.Database, "nowhere", 1) + " password='s3kret'": "no database \"nowhere\"",
		strings.Replace(own, cfg.User, "nobody", 1) + " password='s3kret'":      "\"nobody\"",
		"postgres://ada:s3kret@" + closed + "/x":                                "Nothing answers at 127.0.0.1",
		"postgres://ada:s3kret@host.invalid/x":                                  "There is no host \"host.invalid\"",
		"postgres://ada:s3 kret@127.0.0.1:x/y":                                  "is not a PostgreSQL address",
	} {
		s, err := store.Open(context.Background(), url, store.Options{})
		if err == nil {
			s.Close()
		}
		_, merr := store.Migrate(context.Background(), url, "polaris_app")
		for does, err := range map[string]error{"open": err, "migrate": merr} {
			if f := fault.Of(err); err == nil || f.Kind == fault.Internal || !strings.Contains(f.Message, want) || strings.Contains(f.Error(), "kret") {
				t.Errorf("%s: got %v, want %q", does, err, want)
			}
		}
	}
}

// An owner's login without the right to make roles is told so.
func TestMigrateWithoutRights(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	c := connect(t, db.Own)
	if _, err := c.Exec(t.Context(), "DROP TABLE goose_db_version"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Migrate(t.Context(), db.URL, "polaris_app"); fault.Of(err).Kind == fault.Internal {
		t.Errorf("as the serving login: %v", err)
	}
}

// A full disk is an outage that somebody can end, and is told as one.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	s, db := storetest.Open(t, store.Options{})
	_, err := connect(t, db.Own).Exec(t.Context(), `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room' USING ERRCODE = '53100'; END $$;
		CREATE TRIGGER no_room BEFORE INSERT ON brains FOR EACH ROW EXECUTE FUNCTION no_room()`)
	if err != nil {
		t.Fatal(err)
	}
	err = s.InBrain(t.Context(), "alpha", func(tx *store.Tx) error {
		return tx.InsertBrain(&models.Brain{ID: "alpha", Name: "Alpha"})
	})
	if f := fault.Of(err); f.Kind != fault.Unavailable || f.Code != "disk_full" {
		t.Errorf("got %v", err)
	}
}
