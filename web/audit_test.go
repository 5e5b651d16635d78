package web

import (
	"slices"
	"testing"

	"polaris/models"
)

func TestAuditLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row  models.Detail
		want []string
	}{
		"an undo":    {models.Detail{Applies: "sources.restore", Undoes: 44}, []string{"Restore a source", "takes back the row with the id 44"}},
		"a decision": {models.Detail{Applies: "sources.purge", Subject: "source HB", Verdict: "approve"}, []string{"Purge a source: source HB", "verdict: approve"}},
	} {
		if got := auditLines(c.row); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
