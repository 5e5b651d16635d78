package advisor

import "testing"

func TestLeans(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]bool{
		`"Score too low" is not, and HB 4.2(d) forbids it.`: true,
		"“Too many accounts” is a reason.":                  true,
		"It binds everyone who decides.":                    true,
		"This, however, is no reason.":                      true,
		"Such words tell the applicant nothing.":            true,
		"and with interest.":                                true,
		"This section applies to creditors.":                false,
		"It is 1 percent.":                                  true,
		"It":                                                true,
		"A score alone is not a reason.":                    false,
		"(b) it does not apply.":                            false, // an item, which has its own opening
		"Items are counted.":                                false,
		"":                                                  false,
	} {
		if got := leans(sentence); got != want {
			t.Errorf("%q: %v, want %v", sentence, got, want)
		}
	}
}
