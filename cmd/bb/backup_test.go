package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"polaris/internal/leaks"
	"polaris/models/store/localpg"
)

const backupQuestion = "How long do we have to decide on a completed application?"

// ok runs bb, which must succeed, and returns what it printed.
func ok(t *testing.T, in string, args ...string) string {
	t.Helper()
	code, out, errs := bb(t, nil, in, args...)
	if code != 0 {
		t.Fatalf("bb %v: %d\n%s\n%s", args, code, out, errs)
	}
	return out
}

// me asks the server whose credential this is, and returns the status.
func (s *server) me(t *testing.T, credential string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+credential)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// signIn signs a program in, or reports the status.
func (s *server) signIn(t *testing.T, body string) (access, refresh string, status int) {
	t.Helper()
	res, err := http.Post(s.url+"/v1/auth/token", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var got struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
	}
	_ = json.NewDecoder(res.Body).Decode(&got) // a refusal has neither
	return got.AccessToken, got.RefreshToken, res.StatusCode
}

// TestBackupWhileServing: a demo with all that a brain can have is backed up
// while four programs ask it, and is restored somewhere else as it was at one
// moment. Keys and passwords go on, tokens end.
func TestBackupWhileServing(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	data := dataFolder(t)
	s, _ := serve(t, data, freeAddress(t), "--demo", "--rate-limit", "off")
	key := s.waitFor(t, printedKey)[1]
	at := []string{"--brain-id", "calliope", "--data-dir", data}
	ok(t, testPassword, append([]string{"user", "create", "dora@example.org", "--role", "curator", "--password-stdin"}, at...)...)
	ok(t, `{"id":"deadline","question":"`+backupQuestion+`"}`, append([]string{"op", "golden_questions.save"}, at...)...)
	extra := filepath.Join(t.TempDir(), "extra.md")
	if err := os.WriteFile(extra, []byte("# Extra\n\nThe archive is kept for nine years.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ok(t, "", append([]string{"import", extra, "--code", "EX"}, at...)...)
	if out := ok(t, "", append([]string{"publish"}, at...)...); !strings.Contains(out, "waits for another person") {
		t.Fatalf("the publish does not wait:\n%s", out)
	}
	login := fmt.Sprintf(`{"grant_type":"password","email":"dora@example.org","password":%q,"brain_id":"calliope"}`, testPassword)
	access, refresh, status := s.signIn(t, login)
	if status != http.StatusOK || s.me(t, access) != http.StatusOK {
		t.Fatalf("signing in: %d", status)
	}
	first := s.ask(t, key, backupQuestion)

	file := filepath.Join(t.TempDir(), "polaris.backup")
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.ask(t, key, backupQuestion)
				}
			}
		})
	}
	time.Sleep(300 * time.Millisecond)
	said := ok(t, "", "backup", file, "--data-dir", data)
	close(stop)
	load.Wait()
	s.stop(t)
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 || !strings.Contains(said, "calliope: audit head ") {
		t.Errorf("%v, %v\n%s", st.Mode(), err, said)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	holdsNoSecret(t, file)

	to := dataFolder(t)
	if out := ok(t, "", "restore", file, "--data-dir", to); !strings.Contains(out, "Restored and verified") {
		t.Error(out)
	}
	theSame(t, data, to)
	if code, _, errs := bb(t, nil, "", "restore", file, "--data-dir", to); code != 1 || !strings.Contains(errs, "not empty") || strings.Count(errs, "\n") != 1 {
		t.Errorf("a second time: %d %s", code, errs)
	}

	r, _ := serve(t, to, freeAddress(t))
	again := r.ask(t, key, backupQuestion)
	if first["result"] != again["result"] || first["result"] == "" {
		t.Errorf("answered %v, then %v", first["result"], again["result"])
	}
	if r.me(t, access) != http.StatusUnauthorized {
		t.Error("an access token of before holds")
	}
	if _, _, status := r.signIn(t, fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, refresh)); status == http.StatusOK {
		t.Error("a refresh token of before holds")
	}
	if access, _, status := r.signIn(t, login); status != http.StatusOK || r.me(t, access) != http.StatusOK {
		t.Errorf("the password of before: %d", status)
	}
	at[3] = to
	if out := ok(t, "", append([]string{"recommendation", "list"}, at...)...); !strings.Contains(out, "versions.publish") {
		t.Errorf("what waited waits no more:\n%s", out)
	}
	if out := ok(t, "{}", append([]string{"op", "golden_questions.list"}, at...)...); !strings.Contains(out, "deadline") {
		t.Errorf("golden questions: %s", out)
	}
	id := fmt.Sprint(first["answer_id"])
	if out := ok(t, "", append([]string{"replay", id, "--json"}, at...)...); !strings.Contains(out, `"intact": true`) || !strings.Contains(out, `"reproduced": true`) {
		t.Errorf("replay of %s: %s", id, out)
	}
	if out := ok(t, "", append([]string{"audit", "verify"}, at...)...); !strings.Contains(out, "rows sealed") {
		t.Error(out)
	}
	r.stop(t)
}

// theSame holds the restored database against the one it came from, which went
// on for a while: what was restored is there unchanged, and each answer with the
// row that was written in its transaction.
func theSame(t *testing.T, from, to string) {
	t.Helper()
	was, is := asAdmin(t, from), asAdmin(t, to)
	one := func(c *pgx.Conn, sql string) (s string) {
		t.Helper()
		if err := c.QueryRow(t.Context(), sql).Scan(&s); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return s
	}
	for _, table := range []string{"brains", "persons", "memberships", "key_holders", "participation", "sources", "revisions", "blobs", "passages", "terms", "cross_references", "topic_cards", "versions", "version_sources", "golden_questions"} {
		sql := "SELECT count(*) || ' ' || md5(coalesce(string_agg(x::text, '|' ORDER BY x::text COLLATE \"C\"), '')) FROM " + table + " x"
		if a, b := one(was, sql), one(is, sql); a != b || strings.HasPrefix(a, "0 ") {
			t.Errorf("%s was %s and is %s", table, a, b)
		}
	}
	all, some := one(was, "SELECT count(*)::text FROM answers"), one(is, "SELECT count(*)::text FROM answers")
	t.Logf("%s of %s answers are in the backup", some, all)
	if some < "1" || one(is, "SELECT count(*)::text FROM answers a FULL JOIN (SELECT * FROM audit WHERE operation = 'answer' AND outcome = 'ok') r ON r.brain_id = a.brain_id AND r.id = a.audit_id WHERE a.id IS NULL OR r.id IS NULL") != "0" {
		t.Error("answers without their rows, or rows without their answers")
	}
	if one(is, "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM links) + (SELECT count(*) FROM token_grants) + (SELECT count(*) FROM signing_keys) || ''") != "0" {
		t.Error("something that should end was restored")
	}
}

// asAdmin connects to a data folder's database above row security.
func asAdmin(t *testing.T, data string) *pgx.Conn {
	t.Helper()
	pg, err := localpg.Attach(t.Context(), localpg.Config{Dir: data})
	if err != nil {
		t.Fatal(err)
	}
	c, err := pgx.Connect(t.Context(), pg.DSN(localpg.Admin, localDB))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(t.Context()); _ = pg.Detach() })
	return c
}

// holdsNoSecret looks through what is packed in a backup.
func holdsNoSecret(t *testing.T, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var looked int
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF { //nolint:errorlint // it is never wrapped
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		looked += len(text)
		for _, secret := range leaks.In(text) {
			t.Errorf("%s holds a secret: %s", h.Name, secret)
		}
		for _, name := range []string{"sessions", "links", "token_grants", "signing_keys", "rate_hits"} {
			if strings.HasPrefix(h.Name, "tables/"+name) {
				t.Errorf("the backup has %s", h.Name)
			}
		}
	}
	if looked < 10_000 {
		t.Errorf("looked through %d bytes only", looked)
	}
}

// demoBackup is the backup of a demo.
func demoBackup(t *testing.T) string {
	t.Helper()
	data := dataFolder(t)
	s, _ := serve(t, data, freeAddress(t), "--demo")
	s.stop(t)
	file := filepath.Join(t.TempDir(), "polaris.backup")
	ok(t, "", "backup", file, "--data-dir", data)
	return file
}

// A backup that was cut off or changed anywhere is refused in one line, and
// nothing is made; so is a restore into a folder that holds something.
func TestBrokenBackupIsRefused(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	file := demoBackup(t)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	to := filepath.Join(t.TempDir(), "polaris")
	refused := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(bad, b, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := bb(t, nil, "", "restore", bad, "--data-dir", to)
		if code == 0 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "Nothing was restored") {
			t.Errorf("%s: %d %s %s", what, code, out, errs)
		}
		if _, err := os.Stat(to); !os.IsNotExist(err) {
			t.Fatalf("%s: the data folder was made", what)
		}
	}
	for i := range 20 {
		n := len(whole) * i / 20
		if i == 19 {
			n = len(whole) - 1
		}
		refused(fmt.Sprintf("cut off after %d bytes of %d", n, len(whole)), whole[:n])
	}
	for i := range 10 {
		b := bytes.Clone(whole)
		b[20+(len(b)-40)*i/10] ^= 0xff // of a packed file a single bit may mean nothing
		refused(fmt.Sprintf("changed in part %d", i), b)
	}
	refused("text", []byte("no backup"))
	refused("lengthened", append(bytes.Clone(whole), 'x'))

	// Something of the operator's is in the folder.
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := bb(t, nil, "", "restore", file, "--data-dir", to); code != 1 || !strings.Contains(errs, "notes.txt") {
		t.Errorf("a folder that is not empty: %d %s", code, errs)
	}
	if names, _ := os.ReadDir(to); len(names) != 1 {
		t.Errorf("it holds %v now", names)
	}
}

// A restore that is killed has restored nothing or all of it, and can be made
// again where it restored nothing.
func TestKilledRestore(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	file := demoBackup(t)
	began := time.Now()
	ok(t, "", "restore", file, "--data-dir", dataFolder(t))
	took := time.Since(began)
	var none, all int
	for i := range 5 {
		to := dataFolder(t)
		cmd := exec.Command(os.Args[0])
		cmd.Args = []string{"bb", "restore", file, "--data-dir", to}
		cmd.Env = os.Environ()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(i+1) / 5)
		_ = cmd.Process.Kill() // or it is through
		_ = cmd.Wait()
		switch code, _, errs := bb(t, nil, "", "restore", file, "--data-dir", to); {
		case code == 0:
			none++
		case code == 1 && strings.Contains(errs, "The database is not empty"):
			all++
		default:
			t.Fatalf("after the kill: %d %s", code, errs)
		}
		if out := ok(t, "", "retrieve", backupQuestion, "--brain-id", "calliope", "--data-dir", to); !strings.Contains(out, "20 days") {
			t.Errorf("retrieved\n%s", out)
		}
		ok(t, "", "audit", "verify", "--brain-id", "calliope", "--data-dir", to)
	}
	t.Logf("killed with nothing restored %d times, with all of it %d times; one takes %s", none, all, took)
}
