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
		{"Within 30 days after receiving a completed application, a creditor shall notify an applicant of action taken, at a rate of 5.25 percent", true, false},
		{"Within 30 days after a completed application a creditor shall notify an applicant", false, false}, // moved and shortened: not certain
		{"", false, false},
		{"A creditor shall notify", true, true},
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

// What is denied just before is not said; what is denied in the sentence before
// it, or at one of several places, is.
func TestVerbatimButDenied(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		claim, quote string
		exact        bool
	}{
		{"creditor may ask about children", "No creditor may ask about children.", false},
		{"The creditor may ask about children.", "Nobody else may not. The creditor may ask about children.", true},
		{"creditor may ask", "No creditor may ask. A creditor may ask.", true},
		{"(a) ask about income", "The creditor shall not:\n(a) ask about income", false},
		{"ask about income", "The creditor shall not: (a) ask about age; or (b) ask about income.", false},
		{"(b) ask about income", "The creditor shall not—\n\n(a) ask about age; or\n\n(b) ask about income.", false},
		{"(a) the score", "Where the decision rests on a score, the notice gives:\n(a) the score", false},
		{"(b) with consent", "A file is closed only:\n(a) by the owner; or\n(b) with consent", false},
		{"(1) ask about income", "Unless the law demands it, the creditor does none of these:\n(a) in a branch:\n(1) ask about income", false},
		{"(a) the score", "The notice gives:\n(a) the score", true},
		{"The creditor shall not:\n(a) ask about income", "The creditor shall not:\n(a) ask about income; or\n(b) ask about age", true},
		{"Records are kept for 5 years.", "The creditor shall not:\n(a) ask about income.\n\nRecords are kept for 5 years.", true},
	} {
		if v := Lexical(c.claim, c.quote, nil); (v.Score == 1) != c.exact {
			t.Errorf("%q of %q: %.2f, want exact %v", c.claim, c.quote, v.Score, c.exact)
		}
	}
}

// Each row changes one thing that a count of words would overlook.
func TestAlteredClaims(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, quote, faithful, altered string }{
		{"number", "A creditor shall keep the records for 25 months after the notice.", "A creditor shall keep records for 25 months after notice.", "A creditor shall keep records for 12 months after notice."},
		{"number in words", "The consumer has sixty days to object to the entry.", "Consumer has sixty days to object to entry.", "Consumer has ninety days to object to entry."},
		{"the same number otherwise", "The consumer has sixty days to object to the entry.", "Consumer has 60 days to object to entry.", "Consumer has 61 days to object to entry."},
		{"negation", "A lender does not charge a fee for the copy.", "Lender does not charge fee for copy.", "Lender charges fee for copy."},
		{"negation of a part", "No creditor may ask about the marital status of an applicant.", "No creditor may ask about marital status of applicant.", "creditor may ask about the marital status of an applicant"},
		{"contraction", "A lender doesn't charge a fee for the copy.", "A lender does not charge a fee for the copy.", "A lender does charge a fee for the copy."},
		{"duty", "A servicer may send the statement by electronic mail.", "Servicer may send statement by electronic mail.", "Servicer must send statement by electronic mail."},
		{"scope", "All applicants receive a copy of the report.", "All applicants receive copy of report.", "Some applicants receive copy of report."},
		{"only", "A court may order the report to be released.", "Court may order report to be released.", "Only a court may order the report to be released."},
		{"time", "The notice is sent before the account is closed.", "Notice is sent before account is closed.", "Notice is sent after account is closed."},
		{"bound", "The fee is at least 10 dollars for each request.", "Fee is at least 10 dollars for each request.", "Fee is at most 10 dollars for each request."},
		{"exception", "The fee is due unless the member objects in writing.", "Fee is due unless member objects in writing.", "Fee is due if member objects in writing."},
		{"parties", "The creditor notifies the applicant that the insurer declined the cover.", "Creditor notifies applicant that insurer declined cover.", "The applicant notifies the creditor that the insurer declined the cover."},
		{"opposite", "The committee approved the request of the branch in March.", "Committee approved request of branch in March.", "Committee denied request of branch in March."},
		{"name", "The rule applies to branches in Oregon and to their agents.", "Rule applies to branches in Oregon and to their agents.", "Rule applies to branches in Nevada and to their agents."},
	} {
		if v := Lexical(c.faithful, c.quote, nil); v.Score < Threshold {
			t.Errorf("%s: %q is not verified by %q: %.2f", c.what, c.faithful, c.quote, v.Score)
		}
		if v := Lexical(c.altered, c.quote, nil); v.Score >= Threshold {
			t.Errorf("%s: %q is verified by %q: %.2f", c.what, c.altered, c.quote, v.Score)
		}
	}
}

func FuzzLexical(f *testing.F) {
	f.Add("Creditor shall not notify", "A creditor shall notify 30 applicants.")
	f.Add("", "")
	f.Add("½ n’t ﬁ 1st 2nd.5", "Ⅷ 10,000.5 不可 can't")
	f.Fuzz(func(t *testing.T, claim, quote string) {
		if len(claim) > 2000 || len(quote) > 8000 {
			return
		}
		v := Lexical(claim, quote, nil)
		if v.Score < 0 || v.Score > 1 {
			t.Errorf("score %g", v.Score)
		}
		if again := Lexical(claim, quote, nil); again != v {
			t.Errorf("%v, then %v", v, again)
		}
	})
}
