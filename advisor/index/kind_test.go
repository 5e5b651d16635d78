package index

import "testing"

func TestKinds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Kind{
		"Decide within 20 days of receiving it":                      Duration,
		"within 3 working days":                                      Duration,
		"the 30-day period":                                          Duration,
		"by the end of the 15th day":                                 Duration,
		"within five years after the violation":                      Duration,
		"no later than the third business day":                       Duration,
		"credited on December 31":                                    Duration,
		"decide whether the period in HB 4.1(a) begins":              0,
		"as paragraph (a)(2) of § 1002.9 and 15 U.S.C. 1681 require": 0,
		"(2) Section 706 of the Act of 1974":                         0,
		"4.1 The time":                                               0,
		"1. Number of reasons":                                       0,
		"State no more than four, the weightiest first":              Number,
		"the lower of $35 and 4 percent":                             Amount,
		"at most 6% a year":                                          Amount,
		"tests the score every 6 months":                             Duration | Repeated,
		"reports to the board each quarter":                          Repeated,
		"once in every 12 months":                                    Duration | Moment | Repeated,
		"one or more factors of a third party":                       0,
		"within one year":                                            Duration,
		"no more than four days after one of two events":             Duration | Number,
		"Send it before completion":                                  Moment,
		"each person who asks":                                       0,
		"":                                                           0,
	} {
		if got := Kinds(text); got != want {
			t.Errorf("%q has %05b, want %05b", text, got, want)
		}
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	x := Build(nil)
	for question, want := range map[string]Kind{
		"How long do we have to decide?":                     Duration,
		"By when must we decide?":                            Duration | Moment,
		"When is a payment late?":                            Duration | Moment,
		"When we decline, what must we say?":                 0,
		"Within how many days must a creditor notify?":       Duration,
		"How many business days do we have?":                 Duration,
		"How many principal reasons may the notice state?":   Number,
		"How much is the late payment fee?":                  Amount,
		"How much notice must we give?":                      Duration,
		"How often is the model tested?":                     Repeated,
		"What is the late payment fee?":                      Amount,
		"What is the cap on late payment fees in a year?":    Amount | Number,
		"What is the fee schedule?":                          0,
		"What age is elderly?":                               Amount | Number,
		"What is the deadline for filing?":                   Duration,
		"What must we tell them, and by when?":               0,
		"What notice is owed when credit is denied?":         0,
		"May a creditor ask how long somebody was employed?": 0,
		"Who decides?":                                       0,
		"How does a consumer place a fraud alert?":           0,
		"late payment fee":                                   0,
	} {
		if got := x.Query(question).Wants(); got != want {
			t.Errorf("%q wants %05b, want %05b", question, got, want)
		}
	}
}

// Forms that share no stem meet in their root, and roots stay what they are.
func TestStemsMeetInRoots(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"kept", "keep"}, {"kept", "keeping"}, {"denial", "denied"}, {"withdrawn", "withdraws"}, {"complaints", "complained"}} {
		if a, b := Stem(pair[0]), Stem(pair[1]); a != b {
			t.Errorf("%s is %s, %s is %s", pair[0], a, pair[1], b)
		}
	}
	for form, root := range rootOf {
		if rootOf[root] != "" || form == root {
			t.Errorf("%s leads to %s, which is no root", form, root)
		}
	}
}
