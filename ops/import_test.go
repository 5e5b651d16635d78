package ops_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// atOnce runs n imports at the same time.
func atOnce(d *ops.Desk, c ops.Call, n int, in func(i int) ops.ImportSourceIn) (outs []ops.ImportedSource, errs []error) {
	outs, errs = make([]ops.ImportedSource, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { outs[i], errs[i] = ops.Do(context.Background(), d, c, ops.ImportSource, in(i)) })
	}
	all.Wait()
	return outs, errs
}

func TestTheSameDocumentImportedAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	outs, errs := atOnce(d, c, 8, func(int) ops.ImportSourceIn { return ops.ImportSourceIn{Name: "rules.md", Data: []byte(rules)} })
	status := map[string]int{}
	for i, out := range outs {
		if errs[i] != nil || out.Revision != 1 || out.Code != outs[0].Code || out.SourceID != outs[0].SourceID {
			t.Errorf("%+v, %v", out, errs[i])
		}
		status[out.Status]++
	}
	if status[ops.ImportNew] != 1 || status[ops.ImportUnchanged] != 7 {
		t.Errorf("eight imports of the same bytes: %v", status)
	}
}

// Documents that would be given the same code do not become revisions of one
// another because they came at the same moment.
func TestOtherDocumentsOfOneCodeImportedAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	outs, errs := atOnce(d, c, 8, func(i int) ops.ImportSourceIn {
		return ops.ImportSourceIn{Name: "x.md", Data: []byte(strings.Replace(rules, "House Rules", fmt.Sprintf("House Rules%c", 'a'+i), 1))}
	})
	codes := map[string]bool{}
	for i, out := range outs {
		switch f := fault.Of(errs[i]); {
		case errs[i] == nil && (out.Status != ops.ImportNew || out.Revision != 1 || codes[out.Code]):
			t.Errorf("document %d became %+v", i, out)
		case errs[i] != nil && (f.Kind != fault.Conflict || f.Code != "code_taken"):
			t.Errorf("document %d: %v", i, errs[i])
		case errs[i] == nil:
			codes[out.Code] = true
		}
	}
	if len(codes) == 0 {
		t.Error("none was imported")
	}
}

// Revisions of one code that come at once follow one another.
func TestRevisionsImportedAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	outs, errs := atOnce(d, c, 6, func(i int) ops.ImportSourceIn {
		return ops.ImportSourceIn{Name: "x.md", Code: "HR", Data: []byte(rules + fmt.Sprintf("\n\n## 9 More\n\nSentence number %d.\n", i))}
	})
	seen := map[int]bool{}
	for i, out := range outs {
		if errs[i] != nil || seen[out.Revision] {
			t.Errorf("%+v, %v", out, errs[i])
		}
		seen[out.Revision] = true
	}
}

// A program's import waits for a second person, and is refused before the
// document is read: reading may take seconds.
func TestAProgramsImportIsNotRead(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	newBrain(t, d, "calliope", false)
	unfit := ops.ImportSourceIn{Name: "rules.md", OriginURL: "nowhere", Data: []byte(rules)} // found while it is read
	for via, want := range map[ops.Surface]string{ops.Web: "invalid", ops.REST: "four_eyes_required"} {
		c := signedIn(t, d, "calliope", "ada@example.org")
		c.Via = via
		_, err := ops.Do(t.Context(), d, c, ops.ImportSource, unfit)
		if f := fault.Of(err); err == nil || f.Code != want {
			t.Errorf("%s: %v, want %s", via, err, want)
		}
	}
}
