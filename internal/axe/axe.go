// Package axe has the rules of accessibility that tests hold pages against:
// axe-core 4.11.0 as its package axe-core on npm has it, under the Mozilla Public
// License 2.0 (the file LICENSE). Only tests import it, so no program carries it.
package axe

import _ "embed" // the script is embedded

// Script is axe-core, to be run in a page before [Findings].
//
//go:embed axe.min.js
var Script string

// Findings is an expression that gives a promise of what is wrong with the page,
// each in a line.
const Findings = `axe.run(document, {resultTypes: ["violations"]}).then(r => r.passes.length < 10 ? ["axe applied hardly a rule"] : r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target + ": " + n.failureSummary)))`
