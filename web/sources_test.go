package web

import (
	"net/http"
	"testing"

	"polaris/models"
	"polaris/ops"
)

// What is suspended is marked in the list and on the source's page, with who
// suspended it and why.
func TestSuspendedSourcesAreMarked(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	b.get("/brains/calliope/sources").lacks("suspended</span>")
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: "calliope", Via: ops.CLI}
	run(s, c, ops.SuspendSource, ops.SuspendIn{Source: "HB", Key: "HB 4.2(a)", Reason: "A <b>wrong</b> figure."})
	b.get("/brains/calliope/sources").want(http.StatusOK, "1\u00a0passage suspended")
	b.get("/brains/calliope/sources/HB").want(http.StatusOK, "HB 4.2(a) is suspended and not served, in any version.", "By "+owner, "A &lt;b&gt;wrong&lt;/b&gt; figure.")
	run(s, c, ops.SuspendSource, ops.SuspendIn{Source: "HB", Reason: "Withdrawn."})
	b.get("/brains/calliope/sources/HB").want(http.StatusOK, "This source is suspended and not served, in any version.", "By "+owner)
	a := b.get("/brains/calliope/sources").want(http.StatusOK, "suspended</span>")
	a.lacks("passage suspended", "1\u00a0passage")
}

// What a passage cites leads to it, and it says what cites it; what leads
// nowhere is said to, and listed.
func TestReferencesAreLinks(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: "calliope", Via: ops.CLI}
	const text = "# Cross Rules\n\n## 1 First\n\n(a) See section 2(b), § 7.7 and HB 4.2(a).\n\n(b) <i>Nothing</i>: section 5 of the Companies Act 2006.\n\n## 2 Second\n\n(a) None.\n\n(b) By XR 2(a).\n"
	run(s, c, ops.ImportSource, ops.ImportSourceIn{Name: "x.md", Code: "XR", Data: []byte(text)})
	b.get("/brains/calliope/sources").want(http.StatusOK, `href="/brains/calliope/sources/references"`, "English")
	b.get("/brains/calliope/sources/XR").want(http.StatusOK, `<a href="/brains/calliope/sources/XR?key=XR+2%28b%29">XR 2(b)</a>`, `<a href="/brains/calliope/sources/HB?key=HB+4.2%28a%29">HB 4.2(a)</a>`,
		"7.7 (broken: there is no such passage)", "5 of Companies Act 2006 (not in this brain)", "Cited by", `<a href="/brains/calliope/sources/XR?key=XR+1%28a%29">XR 1(a)</a>`,
		"<dd>5 found: 3 lead to a passage, 1 broken, 1 to documents that are not in this brain</dd>", "<dd>English</dd>")
	b.get("/brains/calliope/sources/HB").want(http.StatusOK, `<a href="/brains/calliope/sources/XR?key=XR+1%28a%29">XR 1(a)</a>`)
	b.get("/brains/calliope/sources/XR?key=XR+2%28b%29").want(http.StatusSeeOther)
	list := b.get("/brains/calliope/sources/references?source=XR").want(http.StatusOK, `<a href="/brains/calliope/sources/XR?key=XR+1%28a%29">XR 1(a)</a>`, "7.7")
	list.lacks("Companies Act")
	b.get("/brains/calliope/sources/references?source=XR&outside=true").want(http.StatusOK, "of Companies Act 2006")
	b.get("/v1/brains/calliope/references/broken?source=XR").want(http.StatusOK, `"references":[{"code":"XR","from":"XR 1(a)","key":"7.7"`)
	b.get("/v1/brains/calliope/sources/XR").want(http.StatusOK, `"references":{"found":5,"resolved":3,"broken":1,"outside":1}`, `"to":[{"code":"HB","key":"HB 4.2(a)"}]`, `"referred_by":{"count":1,"from":[{"code":"XR","key":"XR 1(a)"}]}`, `"language":"en"`)
	b.get("/v1/brains/calliope/passages?key=XR+1%28a%29").want(http.StatusOK, `"state":"broken"`, `"language":"en"`)
	b.get("/v1/brains/calliope/sources").want(http.StatusOK, `"languages":{`)
}

// Who vouches for a revision is said with it, and whether that was verified.
func TestCertificationIsShown(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	b.get("/brains/calliope/sources/HB").lacks("Certified")
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: "calliope", Via: ops.CLI, ApprovedBy: owner}
	run(s, c, ops.CertifySource, ops.CertifyIn{Source: "HB", Note: "Read <all> of it."})
	b.get("/brains/calliope/sources/HB").want(http.StatusOK, "Certified", "by "+owner+" on ", ", named at a terminal, imported by ", ": Read &lt;all&gt; of it.")
}
