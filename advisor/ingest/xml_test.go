package ingest

import "testing"

const uslm = `<?xml version="1.0" encoding="UTF-8"?><uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0" identifier="/us/usc/t15"><meta><title>Title 15</title></meta><main><title identifier="/us/usc/t15"><num value="15">Title 15—</num><heading>COMMERCE AND TRADE</heading>
<chapter identifier="/us/usc/t15/ch41"><num value="41">CHAPTER 41—</num><heading>CONSUMER CREDIT</heading>
<section identifier="/us/usc/t15/s1681m"><num value="1681m">§ 1681m.</num><heading> Requirements on users</heading>
<subsection identifier="/us/usc/t15/s1681m/a"><num value="a">(a)</num><heading> Duties</heading><chapeau>If any person takes adverse action, the person shall—</chapeau>
<paragraph><num value="1">(1)</num><content> provide notice; and</content></paragraph><paragraph><num value="2">(2)</num><chapeau> provide</chapeau><subparagraph><num value="A">(A)</num><content> a score</content></subparagraph><continuation> in writing.</continuation></paragraph>
<continuation>The notice is free.</continuation></subsection>
<subsection><num value="b">(b)</num><content><p>Second.</p></content></subsection><sourceCredit>(Pub. L. 90–321.)</sourceCredit><notes><note>History.</note></notes></section>
<section identifier="/us/usc/t15/s1681n–1"><num value="1681n–1">§ 1681n–1.</num><heading> Civil liability</heading><content>Any person is liable.</content></section></chapter></title></main></uscDoc>`

const ecfr = `<?xml version="1.0" encoding="UTF-8" ?><DLPSTEXTCLASS><HEADER><TITLE>x</TITLE></HEADER><TEXT><BODY><ECFRBRWS><DIV5 N="1002" NODE="12:8.0.2.14.1" TYPE="PART"><HEAD>PART 1002—EQUAL CREDIT OPPORTUNITY ACT (REGULATION B)</HEAD><AUTH><HED>Authority:</HED><PSPACE>12 U.S.C. 5512.</PSPACE></AUTH>
<DIV6 N="A" TYPE="SUBPART"><HEAD>Subpart A—General</HEAD><DIV8 N="§ 1002.9" NODE="12:8.0.2.14.1.0.1.9" TYPE="SECTION"><HEAD>§ 1002.9   Notifications.</HEAD><P>(a) <I>Notification of action taken</I>—(1) <I>When.</I> A creditor shall notify:</P><P>(i) Within 30 days; or</P><P>(ii) 90 days.</P><P>(2) <I>Content.</I> In writing.</P><TABLE><TR><TH>Fee</TH><TH>Due</TH></TR><TR><TD>none</TD><TD>never</TD></TR></TABLE><P>(b) <I>Form.</I> Any.</P></DIV8></DIV6>
<DIV9 N="Appendix A" TYPE="APPENDIX"><HEAD>Appendix A to Part 1002—Federal Agencies</HEAD><P>The following list.</P></DIV9></DIV5></ECFRBRWS></BODY></TEXT></DLPSTEXTCLASS>`

// TestLawsInXML reads laws as the House and the eCFR give them out, by their
// structure.
func TestLawsInXML(t *testing.T) {
	t.Parallel()
	d := parse(t, []byte(uslm), Options{Code: "FCRA"})
	const want = `
FCRA ¶1 | Title 15— COMMERCE AND TRADE
FCRA ¶2 | CHAPTER 41— CONSUMER CREDIT
15 U.S.C. 1681m | § 1681m. Requirements on users
15 U.S.C. 1681m(a) | (a) Duties If any person takes adverse action, the person shall—
15 U.S.C. 1681m(a)(1) | (1) provide notice; and
15 U.S.C. 1681m(a)(2) | (2) provide
15 U.S.C. 1681m(a)(2)(A) | (A) a score
15 U.S.C. 1681m(a)(2) ¶1 | in writing.
15 U.S.C. 1681m(a) ¶1 | The notice is free.
15 U.S.C. 1681m(b) | (b) Second.
15 U.S.C. 1681m ¶1 | (Pub. L. 90–321.)
15 U.S.C. 1681n-1 | § 1681n–1. Civil liability
15 U.S.C. 1681n-1 ¶1 | Any person is liable.
`
	if got := "\n" + outline(d); got != want || len(d.Warnings) != 1 {
		t.Errorf("%q\ngot %swant %s", d.Warnings, got, want)
	}
	if p := byKey(d)["15 U.S.C. 1681m(a)(2)(A)"]; p.Parent < 0 || d.Passages[p.Parent].Key != "15 U.S.C. 1681m(a)(2)" {
		t.Errorf("%+v", p)
	}
	d = parse(t, []byte(ecfr), Options{})
	const wantCFR = `
REG-B ¶1 | Authority:
REG-B ¶2 | 12 U.S.C. 5512.
REG-B § Subpart A—General | Subpart A—General
12 CFR 1002.9 | § 1002.9 Notifications.
12 CFR 1002.9(a) | (a) Notification of action taken—
12 CFR 1002.9(a)(1) | (1) When. A creditor shall notify:
12 CFR 1002.9(a)(1)(i) | (i) Within 30 days; or
12 CFR 1002.9(a)(1)(ii) | (ii) 90 days.
12 CFR 1002.9(a)(2) | (2) Content. In writing.
12 CFR 1002.9(a) ¶1 #1 | Fee | Due
12 CFR 1002.9(a) ¶1 #2 | Fee: none | Due: never
12 CFR 1002.9(b) | (b) Form. Any.
REG-B § Appendix A to Part 1002—Federal Agencies | Appendix A to Part 1002—Federal Agencies
REG-B § Appendix A to Part 1002—Federal Agencies ¶1 | The following list.
`
	if got := "\n" + outline(d); got != wantCFR || d.Title != "Regulation B (12 CFR Part 1002): Equal Credit Opportunity Act" {
		t.Errorf("%q\ngot %swant %s", d.Title, got, wantCFR)
	}
}
