package ops_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"polaris/advisor/ingest"
	"polaris/internal/leaks"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// manual is one of many documents, each with words of its own.
func manual(n int) ops.ImportFile {
	return ops.ImportFile{Name: fmt.Sprintf("manual-%02d.md", n), Data: fmt.Appendf(nil, "# Manual number %d\n\n## 1 Fees\n\n(a) The fee of manual %d is %d euros.\n\n(b) It is paid within a week.\n", n, n, n+10)}
}

func manuals(n int) (fs []ops.ImportFile) {
	for i := range n {
		fs = append(fs, manual(i))
	}
	return fs
}

// working has a process's workers read imports until the test ends.
func working(t testing.TB, d *ops.Desk, atOnce int) *store.Workers {
	t.Helper()
	w, err := d.Work(context.Background(), atOnce)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return w
}

// finished waits until nothing of an import is left to be read.
func finished(t testing.TB, d *ops.Desk, c ops.Call, id string) ops.ImportView {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		v := must(t, d, c, ops.GetImport, ops.ImportIDIn{ID: id})
		if !v.Running() {
			return v
		}
		if time.Now().After(end) {
			t.Fatalf("still running: %v", v.Counts)
		}
	}
}

// again is a desk of another process on the same database.
func again(t testing.TB, d *ops.Desk, url string) *ops.Desk {
	t.Helper()
	s, err := store.Open(t.Context(), url, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return ops.NewDesk(s, d.Settings, leaks.Log(t))
}

// Thirty documents are read by two processes, each once; the one that cannot be
// read says why and stops nothing. The same again changes nothing.
func TestTwoProcessesShareAnImport(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	files := manuals(30)
	files[7].Data = []byte("GIF89a and nothing that could be read")
	i := must(t, d, c, ops.StartImport, ops.StartImportIn{Files: files, SourceFacts: ops.SourceFacts{Owner: "Legal", ReviewBy: "2027-06-30"}})
	if i.State != "running" || i.Counts[models.ItemQueued] != 30 {
		t.Fatalf("started: %+v", i)
	}
	working(t, d, 2)
	working(t, again(t, d, db.URL), 2)
	v := finished(t, d, c, i.ID)
	if v.Counts[models.ItemDone] != 29 || v.Counts[models.ItemFailed] != 1 || v.State != "finished" {
		t.Errorf("%+v, want 29 done and 1 failed", v.Counts)
	}
	if bad := v.Items[7]; bad.State != models.ItemFailed || !strings.Contains(bad.Reason, "GIF") || bad.Fault == "" {
		t.Errorf("the bad one: %+v", bad)
	}
	l := must(t, d, c, ops.ListSources, ops.Page{})
	if len(l.Sources) != 29 {
		t.Fatalf("%d sources", len(l.Sources))
	}
	for _, s := range l.Sources {
		if s.Owner != "Legal" || s.ReviewBy != "2027-06-30" || s.Head != 1 || s.CreatedBy != ada {
			t.Errorf("%+v", s)
		}
	}
	once := finished(t, d, c, must(t, d, c, ops.StartImport, ops.StartImportIn{Files: files}).ID)
	if once.Counts[models.ItemUnchanged] != 29 || once.Counts[models.ItemFailed] != 1 {
		t.Errorf("again: %v", once.Counts)
	}
	own := connected(t, db.Own)
	if _, err := own.Exec(t.Context(), "SELECT set_config('app.brain_id', 'calliope', false)"); err != nil {
		t.Fatal(err)
	}
	// What the queue keeps names things, and says nothing of them.
	var keys string
	if err := own.QueryRow(t.Context(), "SELECT string_agg(DISTINCT k, ' ' ORDER BY k) FROM river.river_job, jsonb_object_keys(args) k").Scan(&keys); err != nil || keys != "brain import n" {
		t.Errorf("a job holds %q, %v", keys, err)
	}
	var left int
	if err := own.QueryRow(t.Context(), "SELECT count(*) FROM import_files").Scan(&left); err != nil || left != 0 {
		t.Errorf("the bytes of %d items are still there, %v", left, err)
	}
}

// An archive's documents are items of their own, read like others.
func TestAnArchiveBecomesItems(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range manuals(3) {
		w, err := z.Create("manuals/" + f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	i := must(t, d, c, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{{Name: "manuals.zip", Data: b.Bytes()}}})
	working(t, d, 2)
	v := finished(t, d, c, i.ID)
	if v.Counts[models.ItemUnpacked] != 1 || v.Counts[models.ItemDone] != 3 || v.Items[3].OfArchive != 1 {
		t.Errorf("%v %+v", v.Counts, v.Items)
	}
}

// A program's import waits, document by document, for a second person; a person's
// who was removed since is refused.
func TestAnImportIsItsPersons(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "acme", true)
	ann := signIn(t, d, "acme", "ann@example.org", models.RoleCurator)
	agent := ann
	agent.Via, agent.Visit = ops.REST, nil
	agent.By.TokenID, agent.By.Scopes = "tok", []models.Scope{models.ScopeWrite, models.ScopeInvoke}
	queued := must(t, d, agent, ops.StartImport, ops.StartImportIn{Files: manuals(2)})
	own := must(t, d, ann, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{manual(5)}})
	_, err := ops.Do(t.Context(), d, c, ops.StartImport, ops.StartImportIn{Import: own.ID, Files: manuals(1)})
	refusedAs(t, "adding to another's", err, "not_yours")

	eve := signIn(t, d, "acme", "eve@example.org", models.RoleCurator)
	late := must(t, d, eve, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{manual(6)}})
	must(t, d, c, ops.RemoveMember, ops.MemberIn{Member: "eve@example.org"})
	working(t, d, 2)
	if v := finished(t, d, c, queued.ID); v.Counts[models.ItemWaits] != 2 || v.Items[0].Recommendation == "" {
		t.Errorf("by a program: %+v", v)
	}
	if v := finished(t, d, c, own.ID); v.Counts[models.ItemDone] != 1 {
		t.Errorf("by a person: %+v", v)
	}
	if v := finished(t, d, c, late.ID); v.Items[0].State != models.ItemFailed || v.Items[0].Fault != "insufficient_role" {
		t.Errorf("by a person who is no member any more: %+v", v.Items)
	}
	if l := must(t, d, c, ops.ListSources, ops.Page{}); len(l.Sources) != 1 || l.Sources[0].CreatedBy != "ann@example.org" {
		t.Errorf("in the draft: %+v", l.Sources)
	}
}

// What is cancelled while it is read is not in the draft; a worker that stops
// hands back what it reads, and another takes it up.
func TestCancelAndHandBack(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	reading := make(chan string, 10)
	slow := again(t, d, db.URL)
	slow.Settings.Parse = func(ctx context.Context, _ []byte, o ingest.Options) (*ingest.Document, error) {
		reading <- o.Name
		<-ctx.Done()
		return nil, ctx.Err()
	}
	i := must(t, d, c, ops.StartImport, ops.StartImportIn{Files: manuals(1)})
	w, err := slow.Work(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	<-reading
	if v := must(t, d, c, ops.GetImport, ops.ImportIDIn{ID: i.ID}); v.Counts[models.ItemReading] != 1 {
		t.Errorf("while it is read: %v", v.Counts)
	}
	if err := w.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := must(t, d, c, ops.GetImport, ops.ImportIDIn{ID: i.ID}); v.Counts[models.ItemQueued] != 1 {
		t.Errorf("handed back: %v", v.Counts)
	}
	held := make(chan bool)
	ready := again(t, d, db.URL)
	ready.Settings.Parse = func(_ context.Context, data []byte, o ingest.Options) (*ingest.Document, error) {
		reading <- o.Name
		<-held
		return ingest.Parse(data, o)
	}
	working(t, ready, 1)
	<-reading
	v := must(t, d, c, ops.CancelImport, ops.ImportIDIn{ID: i.ID})
	close(held)
	if v.State != "cancelled" || v.Counts[models.ItemCancelled] != 1 || v.CancelledBy != ada {
		t.Errorf("cancelled: %+v", v)
	}
	next := must(t, d, c, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{manual(9)}})
	finished(t, d, c, next.ID)
	if l := must(t, d, c, ops.ListSources, ops.Page{}); len(l.Sources) != 1 || l.Sources[0].Title != "Manual number 9" {
		t.Errorf("in the draft: %+v", l.Sources)
	}
	_, err = ops.Do(t.Context(), d, c, ops.StartImport, ops.StartImportIn{Import: i.ID, Files: manuals(1)})
	refusedAs(t, "adding to a cancelled import", err, "import_ended")
}

// A small import does not wait for the whole of a large one.
func TestASmallImportIsNotHeldUp(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	large, small := newBrain(t, d, "large", false), newBrain(t, d, "small", false)
	var order []string
	d.Settings.Parse = func(_ context.Context, data []byte, o ingest.Options) (*ingest.Document, error) {
		if !slices.Contains(order, o.Name) { // one worker: no other writes
			order = append(order, o.Name)
		}
		return ingest.Parse(data, o)
	}
	a := must(t, d, large, ops.StartImport, ops.StartImportIn{Files: manuals(60)})
	b := must(t, d, small, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{{Name: "small.md", Data: manual(99).Data}}})
	working(t, d, 1)
	finished(t, d, large, a.ID)
	finished(t, d, small, b.ID)
	if at := slices.Index(order, "small.md"); at < 0 || at > 20 {
		t.Errorf("the small import's turn was number %d", at)
	}
}

// What no job is for is found again; what failed for a reason that nobody foresaw
// ends after some tries, and says no more than it may.
func TestLostItemsAndBrokenParsers(t *testing.T) {
	t.Parallel()
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	i := must(t, d, c, ops.StartImport, ops.StartImportIn{Files: manuals(2)})
	own := connected(t, db.Own)
	if _, err := own.Exec(t.Context(), "DELETE FROM river.river_job"); err != nil {
		t.Fatal(err)
	}
	working(t, d, 1)
	if v := finished(t, d, c, i.ID); v.Counts[models.ItemDone] != 2 {
		t.Errorf("after the jobs were lost: %v", v.Counts)
	}
	tries := 0
	b := newBrain(t, d, "broken", false)
	d.Settings.Parse = func(context.Context, []byte, ingest.Options) (*ingest.Document, error) {
		tries++
		return nil, fmt.Errorf("a secret of the inside")
	}
	j := must(t, d, b, ops.StartImport, ops.StartImportIn{Files: manuals(1)})
	v := finished(t, d, b, j.ID)
	if it := v.Items[0]; it.State != models.ItemFailed || it.Fault != fault.Internal.String() || strings.Contains(it.Reason, "secret") || tries != 3 {
		t.Errorf("after %d tries: %+v", tries, it)
	}
}
