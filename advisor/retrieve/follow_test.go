package retrieve_test

import (
	"strings"
	"testing"

	"polaris/advisor/retrieve"
	"polaris/models"
)

func shelf() *models.Corpus {
	doc := func(code, title string, keys ...string) models.Doc {
		d := models.Doc{Source: models.Source{ID: code, Code: code, Title: title}}
		for i, k := range keys {
			d.Passages = append(d.Passages, models.Passage{Ordinal: i, Key: k})
		}
		return d
	}
	return &models.Corpus{Docs: []models.Doc{
		doc("HB", "Handbook", "HB 4.1", "HB 4.2(a)", "HB 4.2(b)", "HB 5"),
		doc("REGB", "Equal Credit Opportunity", "12 CFR 1002.2(l)", "12 CFR 1002.6(a)", "12 CFR 1002.60", "12 CFR 1002 comment 9(a)-1"),
		doc("CA", "The Companies Act 2006", "CA 4.1", "CA 9(2)", "CA 702.6a"),
		doc("FCRA", "Fair Credit Reporting Act", "15 U.S.C. 1681a(d)", "15 U.S.C. 1681m"),
	}}
}

// Where a reference leads depends on what it says of its document: this one
// first, where it says nothing.
func TestFollow(t *testing.T) {
	t.Parallel()
	c := shelf()
	keys := retrieve.NewKeys(c)
	for _, tt := range []struct {
		from    int
		key, of string
		want    string // keys; "broken", or "" for outside
	}{
		{0, "HB 4.1", "", "HB 4.1"},
		{0, "4.1", "", "HB 4.1"}, // and not CA 4.1
		{2, "4.1", "", "CA 4.1"},
		{0, "4.2", "", "HB 4.2(a)"}, // the first of what lies below it
		{0, "HB 4.2", "", "HB 4.2(a)"},
		{0, "4.2(c)", "", "broken"},
		{0, "9", "", "broken"}, // CA 9(2) is another's
		{0, "9", "Companies Act 2006", "CA 9(2)"},
		{0, "9", "the companies  act 2006", "CA 9(2)"},
		{0, "10", "Companies Act 2006", "broken"},
		{0, "9", "Insolvency Act 1986", ""},
		{0, "1002.2(l)", "", "12 CFR 1002.2(l)"},
		{0, "1002.6", "", ""}, // of another law only what it says exactly
		{1, "1002.6", "", "12 CFR 1002.6(a)"},
		{1, "12 CFR 1002.6", "", "12 CFR 1002.6(a)"},
		{1, "12 CFR 1002.6(b)", "", "broken"},
		{1, "12 CFR 1002", "", "12 CFR 1002.2(l)"},
		{1, "comment 9(a)-1", "", "12 CFR 1002 comment 9(a)-1"},
		{1, "12 CFR 1003.2", "", ""},
		{1, "702.6", "", ""},
		{2, "702.7", "", "broken"},
		{2, "CA 702.6", "", "CA 702.6a"},
		{0, "NOPE 4.1", "", ""},
		{0, "FCRA 1681m", "", "15 U.S.C. 1681m"},
		{0, "1681m", "", "15 U.S.C. 1681m"},
		{0, "15 U.S.C. 1681a", "", "15 U.S.C. 1681a(d)"},
		{0, "15 U.S.C. 1681z", "", "broken"},
		{0, "15 U.S.C. 1601", "", ""},
	} {
		to, broken := keys.Follow(tt.from, &models.Reference{Key: tt.key, Of: tt.of})
		var got []string
		for _, r := range to {
			got = append(got, c.Docs[r.Doc].Passages[r.Passage].Key)
		}
		if broken {
			got = append(got, "broken")
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: %q of %q leads to %q, want %q", c.Docs[tt.from].Source.Code, tt.key, tt.of, s, tt.want)
		}
	}
}
