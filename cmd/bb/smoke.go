package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"polaris/models/fault"
)

// smokeCmd checks a deployment from outside, as an agent would meet it. It needs
// no database, data folder or setting of the server.
type smokeCmd struct {
	URL      string `required:"" help:"The server's address, or its MCP endpoint's." placeholder:"URL"`
	APIKey   string `name:"api-key" env:"POLARIS_API_KEY" help:"Better given in POLARIS_API_KEY: other users of this machine see arguments." placeholder:"KEY"`
	Question string `help:"What to ask. Default: a citation that the brain itself names." placeholder:"TEXT"`
}

// A finding is the outcome of one check.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, failed or skipped
	Detail string `json:"detail"` // what was found, and what to do where it is not as it should be
}

// A smokeReport is what all checks found.
type smokeReport struct {
	URL    string    `json:"url"`
	OK     bool      `json:"ok"` // every check was made and holds
	Checks []finding `json:"checks"`
}

// Run makes the checks, in order, and fails unless all hold.
func (s *smokeCmd) Run(ctx context.Context, c *console) error {
	e, err := newEndpoint(s.URL, s.APIKey)
	if err != nil {
		return err
	}
	if e.clear() && e.key != "" {
		c.notice("bb: the key goes over http:// to another machine, and can be read on the way.")
	}
	p := &probe{at: e, question: s.Question}
	report := smokeReport{URL: e.mcp, Checks: []finding{}}
	for _, k := range smokeChecks {
		f := p.make(ctx, k)
		report.Checks = append(report.Checks, f)
		if !c.root.JSON { // one after the other: a check may take its ten seconds
			fmt.Fprintf(c.out, "%-8s%-15s%s\n", f.Status, f.Check, f.Detail)
		}
	}
	n := map[string]int{}
	for _, f := range report.Checks {
		n[f.Status]++
	}
	report.OK = n["ok"] == len(report.Checks)
	if c.root.JSON {
		if err := c.print(report, func(io.Writer) {}); err != nil {
			return err
		}
	}
	switch all := len(report.Checks); {
	case n["failed"] > 0 && n["skipped"] > 0:
		return fault.New(fault.Unavailable, "%d of %d checks failed, and %d could not be made.", n["failed"], all, n["skipped"])
	case n["failed"] > 0:
		return fault.New(fault.Unavailable, "%d of %d checks failed.", n["failed"], all)
	case n["skipped"] > 0:
		return fault.New(fault.Unavailable, "%d of %d checks were not made: there is no API key. Set POLARIS_API_KEY.", n["skipped"], all)
	}
	return nil
}

// A smokeCheck is one thing that must hold.
type smokeCheck struct {
	name  string
	needs string // the check without which this one would only fail again
	keyed bool
	run   func(ctx context.Context, p *probe) (string, error)
}

// make makes one check.
func (p *probe) make(ctx context.Context, k smokeCheck) finding {
	f := finding{Check: k.name, Status: "skipped"}
	switch {
	case k.keyed && p.at.key == "":
		f.Detail = "there is no API key: set POLARIS_API_KEY, or give --api-key"
		return f
	case p.failed[k.needs]:
		f.Detail = "not checked, because " + k.needs + " does not hold"
	default:
		detail, err := k.run(ctx, p)
		f.Status, f.Detail = "ok", detail
		if err != nil {
			f.Status, f.Detail = "failed", err.Error()
		}
	}
	if f.Status != "ok" {
		if p.failed == nil {
			p.failed = map[string]bool{}
		}
		p.failed[k.name] = true
	}
	if p.at.key != "" { // nothing that others said gets this far; but be sure
		f.Detail = strings.ReplaceAll(f.Detail, p.at.key, "…")
	}
	f.Detail = oneLine(cmp.Or(f.Detail, "as it should be"))
	return f
}
