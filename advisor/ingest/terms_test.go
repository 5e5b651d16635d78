package ingest

import (
	"strings"
	"testing"
)

func TestTermsOfTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"**Applicant** means a person.", "Applicant"},
		{"- **Applicant:** a person.", "Applicant"},
		{"(a) “Applicant” means a person.", "Applicant"},
		{"The term “applicant” means a person.", "applicant"},
		{"As used here, the term \"applicant\", in any form, means a person.", "applicant"},
		{"The terms “account” and “transfer” have the same meanings as there.", "account, transfer"},
		{"The term “veteran’s medical debt”", "veteran’s medical debt"},
		{"## Definitions\n\nApplicant means a person.\n\nLate fee: what is charged.", "Applicant, Late fee"},
		{"## Fees\n\nApplicant means a person.\n\nNote: none.", ""},
		{"## Definitions\n\nIn this part, unless the context says otherwise, it means that.", ""},
		{"**Important** note that follows.", ""},
		{"The term “consumer report” does not include a letter.", ""},
		{"He said “yes” and that means something.", ""},
	} {
		d := parse(t, []byte(tt.in), Options{Code: "X"})
		var got []string
		for _, term := range d.Terms {
			got = append(got, term.Name)
		}
		if g := strings.Join(got, ", "); g != tt.want {
			t.Errorf("%q defines %q, want %q", tt.in, g, tt.want)
		}
	}
}

func TestLocators(t *testing.T) {
	t.Parallel()
	d := parse(t, []byte("# Handbook\n\n## 4.2 Declining\n\n(a) Tell.\n\n## Lending\n\n### Fees\n\nOne.\n"), Options{Code: "HB"})
	for key, want := range map[string][2]string{
		"HB 4.2":                 {"4.2", ""},
		"HB 4.2(a)":              {"4.2(a)", "4.2 Declining"},
		"HB § Lending › Fees ¶1": {"Lending › Fees ¶1", "Lending › Fees"},
	} {
		p := byKey(d)[key]
		if p.Locator != want[0] || strings.Join(p.Heading, " › ") != want[1] {
			t.Errorf("%s: locator %q, heading %q", key, p.Locator, p.Heading)
		}
	}
}

// TestLong holds that a long paragraph is split between words, and loses nothing.
func TestLong(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("wörter und ", 4000))
	d := parse(t, []byte("## 4.2 A\n\n(a) "+long+"\n\n(b) x.\n"), Options{Code: "HB"})
	keys := byKey(d)
	a := keys["HB 4.2(a)"]
	if got := d.Text[a.Start:a.SpanEnd]; got != "(a) "+long {
		t.Errorf("(a) spans %d bytes, want %d", len(got), len(long)+4)
	}
	n := 0
	for _, p := range d.Passages {
		if p.Parent == a.Ordinal {
			n++
			if strings.HasPrefix(d.Text[p.Start:p.End], " ") || p.End-p.Start > MaxPassage {
				t.Errorf("%s is %.30q, %d bytes", p.Key, d.Text[p.Start:p.End], p.End-p.Start)
			}
		}
	}
	if n == 0 || keys["HB 4.2(b)"].Key == "" {
		t.Errorf("%d further pieces; (b): %+v", n, keys["HB 4.2(b)"])
	}
}
