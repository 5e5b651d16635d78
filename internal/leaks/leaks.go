// Package leaks finds secrets where none may be: in logs, in the database, in a
// dump of it. Every secret that Polaris makes can be told by its looks, so what
// a test left behind is scanned whole, whichever test it was.
package leaks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// kinds are the secrets by their looks.
var kinds = []struct {
	name string
	like *regexp.Regexp
}{
	{"API key", regexp.MustCompile(`sk-polaris-[0-9A-Za-z]{12}_[0-9A-Za-z]{38}`)},
	{"refresh token", regexp.MustCompile(`rt-polaris-[0-9A-Za-z]{12}_[0-9A-Za-z]{38}`)},
	{"session or one-time link", regexp.MustCompile(`(?:session|link)-polaris-[0-9A-Za-z]{32,}`)},
	{"access token", regexp.MustCompile(`eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{40,}`)},
	{"session cookie", regexp.MustCompile(`MT[cg][0-9A-Za-z]{11}[0-9A-Za-z_=-]{80,}`)}, // base64 of time|secret|signature
}

// In returns what secrets text holds, each shown by its beginning only.
func In(text []byte) []string {
	var found []string
	for _, k := range kinds {
		for _, m := range k.like.FindAll(text, 5) {
			found = append(found, fmt.Sprintf("%s %s…", k.name, m[:min(len(m), 16)]))
		}
	}
	return found
}

// Files tells found of each secret in the files below dir, PostgreSQL's own, say,
// where rows that were changed or removed are still to be found. It returns how
// many bytes it looked through. Files that vanish meanwhile are passed over.
func Files(dir string, found func(path, secret string)) (looked int, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // a server removes files while we look
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil //nolint:nilerr // likewise
		}
		looked += len(b)
		for _, secret := range In(b) {
			found(path, secret)
		}
		return nil
	})
	return looked, err
}

// Log returns a log at its finest level, whose lines may hold no secret. They
// are looked through when the test ends.
func Log(tb testing.TB) *slog.Logger {
	tb.Helper()
	return slog.New(slog.NewJSONHandler(Writer(tb), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Writer returns what a log can be written to. It may hold no secret when the
// test ends.
func Writer(tb testing.TB) io.Writer {
	tb.Helper()
	w := &writer{}
	tb.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, f := range In(w.b.Bytes()) {
			tb.Errorf("the log holds a secret: %s", f)
		}
	})
	return w
}

type writer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// Database fails the test for each secret in the database's tables, looked at as
// the superuser that url names. All columns are read as text, so a table that is
// added later is looked at too.
func Database(tb testing.TB, url string) {
	tb.Helper()
	ctx := context.Background() // the test's own has ended when it is cleaned up
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		tb.Errorf("looking for secrets: %v", err)
		return
	}
	defer c.Close(ctx)
	tables, err := names(ctx, c)
	if err != nil {
		tb.Errorf("looking for secrets: %v", err)
		return
	}
	likes := make([]string, len(kinds))
	for i, k := range kinds {
		likes[i] = k.like.String()
	}
	any := "(" + strings.ReplaceAll(strings.Join(likes, "|"), "(?:", "(") + ")"
	for _, t := range tables {
		var row string
		err := c.QueryRow(ctx, "SELECT x::text FROM "+t+" x WHERE x::text ~ $1 LIMIT 1", any).Scan(&row)
		if err == nil {
			tb.Errorf("the table %s holds a secret: %v", t, In([]byte(row)))
		} else if err != pgx.ErrNoRows { //nolint:errorlint // it is never wrapped
			tb.Errorf("looking for secrets in %s: %v", t, err)
		}
	}
}

func names(ctx context.Context, c *pgx.Conn) ([]string, error) {
	rows, err := c.Query(ctx, "SELECT quote_ident(table_name) FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
