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
	b.get("/brains/calliope/sources").lacks("suspended")
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: "calliope", Via: ops.CLI}
	run(s, c, ops.SuspendSource, ops.SuspendIn{Source: "HB", Key: "HB 4.2(a)", Reason: "A <b>wrong</b> figure."})
	b.get("/brains/calliope/sources").want(http.StatusOK, "1\u00a0passage suspended")
	b.get("/brains/calliope/sources/HB").want(http.StatusOK, "HB 4.2(a) is suspended and not served, in any version.", "By "+owner, "A &lt;b&gt;wrong&lt;/b&gt; figure.")
	run(s, c, ops.SuspendSource, ops.SuspendIn{Source: "HB", Reason: "Withdrawn."})
	b.get("/brains/calliope/sources/HB").want(http.StatusOK, "This source is suspended and not served, in any version.", "By "+owner)
	a := b.get("/brains/calliope/sources").want(http.StatusOK, "suspended")
	a.lacks("passage suspended", "1\u00a0passage")
}

// Who vouches for a revision is said with it, and whether that was verified.
func TestCertificationIsShown(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	b.get("/brains/calliope/sources/HB").lacks("Certified")
	c := ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner}, Brain: "calliope", Via: ops.CLI, ApprovedBy: owner}
	run(s, c, ops.CertifySource, ops.CertifyIn{Source: "HB", Note: "Read <all> of it."})
	b.get("/brains/calliope/sources/HB").want(http.StatusOK, "Certified", "by "+owner+" on ", ", named at a terminal: Read &lt;all&gt; of it.")
}
