package ops_test

import (
	"strings"
	"testing"
	"time"

	"polaris/internal/craft"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// endedImport waits for the end of an import.
func endedImport(t *testing.T, d *ops.Desk, c ops.Call, id string) ops.ImportView {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		if v := must(t, d, c, ops.GetImport, ops.ImportIDIn{ID: id}); !v.Running() {
			return v
		}
	}
	t.Fatal("it does not end")
	return ops.ImportView{}
}

// An archive in which there is no document fails, and says what is in it instead.
func TestArchiveWithoutDocuments(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	works := must(t, d, c, ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{
		{Name: "nested.zip", Data: craft.ZIP("inner.zip", string(craft.ZIP("a.md", rules)), "deeper/second.zip", string(craft.ZIP("b.md", rules)))},
	}})
	w, err := d.Work(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Stop(t.Context()) })
	v := endedImport(t, d, c, works.ID)
	if len(v.Items) != 1 || v.Items[0].State != models.ItemFailed || v.Items[0].Fault != "no_documents" || !strings.Contains(v.Items[0].Reason, "inner.zip: ") {
		t.Errorf("%+v", v.Items)
	}

	// What has ended is not cancelled, and stays what it was.
	_, err = ops.Do(t.Context(), d, c, ops.CancelImport, ops.ImportIDIn{ID: works.ID})
	if f := fault.Of(err); f.Code != "import_ended" {
		t.Errorf("%v", err)
	}
	if v := must(t, d, c, ops.GetImport, ops.ImportIDIn{ID: works.ID}); v.State != "finished" {
		t.Errorf("%+v", v)
	}
}
