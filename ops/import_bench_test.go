package ops_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// thousands is a document with so many numbered paragraphs, under headings of a
// hundred each.
func thousands(doc, passages int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Compendium %d\n", doc)
	for n := range passages {
		if n%100 == 0 {
			fmt.Fprintf(&b, "\n## %d Part %d\n", n/100+1, n/100+1)
		}
		fmt.Fprintf(&b, "\n(%d) In case %d of part %d the fee is %d euros, and it is paid within %d days of the notice.\n", n%100+1, n, n/100+1, n%97, n%30+1)
	}
	return []byte(b.String())
}

// compendia stages documents of so many passages in all, and reads them.
func compendia(tb testing.TB, d *ops.Desk, c ops.Call, docs, passages int) time.Duration {
	tb.Helper()
	in := ops.StartImportIn{}
	for i := range docs {
		in.Files = append(in.Files, ops.ImportFile{Name: fmt.Sprintf("compendium-%d.md", i), Data: thousands(i, passages/docs)})
	}
	began := time.Now()
	i := must(tb, d, c, ops.StartImport, in)
	w, err := d.Work(context.Background(), 2)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() {
		if err := w.Stop(context.Background()); err != nil {
			tb.Error(err)
		}
	}()
	for {
		v := must(tb, d, c, ops.GetImport, ops.ImportIDIn{ID: i.ID})
		if !v.Running() {
			if v.Counts["done"] != docs {
				tb.Fatalf("%v %+v", v.Counts, v.Items[0])
			}
			return time.Since(began)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Documents with thousands of passages are in the draft with all of them.
func TestThousandsOfPassages(t *testing.T) {
	t.Parallel()
	passages := 10_000
	if os.Getenv("POLARIS_TEST_LONG") != "" {
		passages = 100_000
	}
	d, db := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	took := compendia(t, d, c, 2, passages)
	own := connected(t, db.Own)
	if _, err := own.Exec(t.Context(), "SELECT set_config('app.brain_id', 'calliope', false)"); err != nil {
		t.Fatal(err)
	}
	var n, keys, last int
	err := own.QueryRow(t.Context(), "SELECT count(*), count(DISTINCT (source_id, key)), max(ordinal) FROM passages WHERE kind <> 'section'").Scan(&n, &keys, &last)
	if err != nil || n != passages || keys != n || last < passages/2 {
		t.Errorf("%d passages with %d keys, the last %d (%v); want %d", n, keys, last, err, passages)
	}
	if took > 5*time.Minute {
		t.Errorf("%d passages took %v", passages, took)
	}
	t.Logf("%d passages in %v", passages, took.Round(time.Millisecond))
}

// BenchmarkImport100000Passages imports them in ten documents, with two workers.
func BenchmarkImport100000Passages(b *testing.B) {
	n := 0
	d, _ := newDesk(b, store.Options{})
	for b.Loop() {
		n++
		c := newBrain(b, d, models.BrainID(fmt.Sprintf("big-%d", n)), false)
		b.ReportMetric(compendia(b, d, c, 10, 100_000).Seconds(), "s/100k")
	}
}
