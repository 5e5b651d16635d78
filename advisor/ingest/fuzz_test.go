package ingest

import (
	"strings"
	"testing"

	"polaris/models/fault"
)

// FuzzLaws feeds each of the three XML formats of laws, in a frame that makes it
// one.
func FuzzLaws(f *testing.F) {
	for _, s := range []string{
		`<section label="1002-1"><subject>§ 1002.1 A.</subject><paragraph label="1002-1-a" marker="(a)"><title>T.</title><content>x <def term="y">y</def></content></paragraph></section>`,
		`<DIV8 N="§ 1002.9" TYPE="SECTION"><HEAD>§ 1002.9 Notice.</HEAD><P>(a) <I>When.</I> (1) A creditor.</P><TABLE><TR><TH>a</TH></TR><TR><TD>b</TD></TR></TABLE></DIV8>`,
		`<section identifier="/us/usc/t15/s1681"><num value="1681">§ 1681.</num><heading>Findings</heading><subsection><num value="a">(a)</num><chapeau>c</chapeau><paragraph><num value="1">(1)</num><content>d</content></paragraph><continuation>e</continuation></subsection></section>`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, frame := range []string{
			regml,
			`<?xml version="1.0"?><DIV5 N="1002" TYPE="PART"><HEAD>PART 1002—EQUAL CREDIT</HEAD>%</DIV5>`,
			`<?xml version="1.0"?><uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0" identifier="/us/usc/t15"><main><title><num value="15">Title 15</num>%</title></main></uscDoc>`,
		} {
			d, err := Parse([]byte(strings.Replace(frame, "%", s, 1)), Options{})
			if err != nil {
				if d != nil || fault.Of(err).Kind == fault.Internal {
					t.Fatalf("%v, %v", d, err)
				}
				continue
			}
			holds(t, d)
		}
	})
}
