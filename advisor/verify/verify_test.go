package verify

import (
	"testing"

	"polaris/models"
)

func TestLexical(t *testing.T) {
	t.Parallel()
	const quote = "A creditor shall notify an applicant of action taken within 30 days after receiving a completed application, at a rate of 5.25 percent."
	for _, c := range []struct {
		claim  string
		passes bool
		exact  bool
	}{
		{"A creditor shall notify an applicant of action taken within 30 days", true, true},
		{"a  creditor SHALL notify\nan applicant", true, true},
		{"within 30 days after receiving a completed application", true, true},
		{"within 60 days after receiving a completed application", false, false},
		{"A creditor shall not notify an applicant of action taken within 30 days", false, false},
		{"A creditor may notify an applicant of action taken within 30 days", false, false},
		{"at a rate of 5", false, false},
		{"tor shall notify", false, false},
		{"Bananas are yellow", false, false},
		{"Within 30 days after a completed application a creditor shall notify an applicant", true, false},
		{"", false, false},
	} {
		v := Lexical(c.claim, quote, nil)
		if got := v.Score >= Threshold; got != c.passes || (v.Score == 1) != c.exact || v.Score < 0 || v.Score > 1 {
			t.Errorf("Lexical(%q) = %+v, want passes %v, exact %v", c.claim, v, c.passes, c.exact)
		}
	}
	if v := Lexical(" . ", quote, nil); v.Method != models.Unverified {
		t.Errorf("an empty claim is %+v", v)
	}
	// A rare word that the quote lacks weighs more than a common one.
	weigh := func(w string) float64 {
		if w == "lender" {
			return 10
		}
		return 1
	}
	claim := "A lender shall notify an applicant of action taken within 30 days"
	if a, b := Lexical(claim, quote, nil), Lexical(claim, quote, weigh); b.Score >= a.Score {
		t.Errorf("weighed %g, unweighed %g", b.Score, a.Score)
	}
}
