package ingest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"polaris/advisor/cite"
)

func TestRefs(t *testing.T) {
	t.Parallel()
	const in = "# Handbook\n\n## 4 Decisions\n\n### 4.1 Granting\n\nSee 4.2(a), HB 4.2, FEES 2.1(b) and 12 CFR 1002.9(a)(1).\n\n### 4.2 Declining\n\n(a) As in HB 4.2(a) and § 1002.9; it costs $4.20 or ISO 9001.\n\n(b) As § 4.1 says, and § 9.9.\n"
	d := parse(t, []byte(in), Options{Code: "HB"})
	var got []string
	for _, r := range d.Refs {
		got = append(got, d.Passages[r.From].Key+" -> "+r.Key)
	}
	want := []string{
		"HB 4.1 ¶1 -> HB 4.2(a)", "HB 4.1 ¶1 -> HB 4.2", "HB 4.1 ¶1 -> FEES 2.1(b)", "HB 4.1 ¶1 -> 12 CFR 1002.9(a)(1)", "HB 4.2(a) -> 1002.9", "HB 4.2(b) -> HB 4.1", "HB 4.2(b) -> 9.9",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestRefsOfARegulation holds that what a regulation cites of itself is linked,
// and that each key is one.
func TestRefsOfARegulation(t *testing.T) {
	t.Parallel()
	d := regB(t)
	own, keys := 0, byKey(d)
	for _, r := range d.Refs {
		if k, err := cite.Parse(r.Key); err != nil || k.String() != r.Key {
			t.Errorf("%+v", r)
		}
		if _, here := keys[r.Key]; here {
			own++
		}
	}
	t.Logf("%d references, %d of them to the regulation itself", len(d.Refs), own)
	if own < 200 || len(d.Refs) < own+30 {
		t.Errorf("%d references, %d to itself", len(d.Refs), own)
	}
	has := map[string]bool{}
	for _, r := range d.Refs {
		has[fmt.Sprint(d.Passages[r.From].Key, " -> ", r.Key)] = true
	}
	for _, want := range []string{"12 CFR 1002.1(a) -> 12 CFR 1002.2(l)", "12 CFR 1002.1(a) -> 15 U.S.C. 1601"} {
		if !has[want] {
			t.Errorf("no %s", want)
		}
	}
}

// TestOwners holds which document the words behind a citation say it is of.
func TestOwners(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"section 9 of the Companies Act 2006 applies", "Companies Act 2006"},
		{"section 9, of that act", "act"},
		{"sections 1 and 2(a) of the Fair Credit Reporting Act (15 U.S.C. 1681)", "Fair Credit Reporting Act|Fair Credit Reporting Act|"},
		{"§§ 5.1, 5.2 and 5.4 of the 2010 Regulations.", "2010 Regulations|2010 Regulations|2010 Regulations"},
		{"section 5 of the Companies Act 2006 and the Insolvency Act 1986", "Companies Act 2006"},
		{"section 12 of the Dodd-Frank Wall Street Reform and Consumer Protection Act", "Dodd-Frank Wall Street Reform and Consumer Protection Act"},
		{"§ 1026.2 of Regulation Z", "Regulation Z"},
		{"section 4.2 of this Policy", ""},
		{"sections 4.2 of this Act and 4.3 of the Fee Policy", "|Fee Policy"},
		{"section 4.2 of the handbook; the Act", ""},
		{"section 4.2. Of the Act more", ""},
	} {
		found := cite.Find(tt.in)
		if got := strings.Join(owners(tt.in, found), "|"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestRelatives holds what is cited by its place in a section.
func TestRelatives(t *testing.T) {
	t.Parallel()
	const key = "12 CFR 1002.5(b)(1)"
	for _, tt := range []struct{ in, want string }{
		{"paragraph (a)(2) of this section", "1002.5(a)(2)!"},
		{"Paragraphs (a) through (c) of this section", "1002.5(a)! 1002.5(b)! 1002.5(c)!"},
		{"paragraphs (a)(1) and (2), or (c) of this section", "1002.5(a)(1)! 1002.5(a)(2)! 1002.5(c)!"},
		{"subsections (a) and (c) apply", "1002.5(a) 1002.5(c)"},
		{"paragraph (2) of this subsection", "1002.5(b)(2)!"},
		{"subsection (2) of section 9", ""},
		{"paragraph (2) applies", ""},
		{"paragraph (a) of the schedule", ""},
		{"this section", ""},
	} {
		own, err := cite.Parse(key)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range relatives(tt.in, own) {
			s := strings.TrimPrefix(m.Ref.String(), "12 CFR ")
			if m.Strength == cite.Named {
				s += "!"
			}
			if m.Start < 0 || m.End > len(tt.in) || m.End <= m.Start {
				t.Errorf("%q: %d to %d", tt.in, m.Start, m.End)
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q: %s, want %s", tt.in, s, tt.want)
		}
	}
}
