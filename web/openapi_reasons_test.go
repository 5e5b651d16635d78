package web

import (
	"net/http"
	"strings"
	"testing"

	"polaris/ops"
)

// withoutRoute are the operations that REST does not have, each with its reason.
var withoutRoute = map[string]string{
	"answers.expire":            "does what a setting says, hourly by itself; at the terminal for whoever does not wait",
	"imports.survey":            "asks a site while a person waits; a program starts the import, and cancels it",
	"research.submit":           "answers with an id that opens the job, for MCP alone; REST is to name jobs by their refs, which it does not yet",
	"research.poll":             "takes the id that submit_query told an agent, which belongs in no address",
	"research.report":           "takes the id that submit_query told an agent, which belongs in no address",
	"brains.create":             "makes a tenant: at a page or the terminal, by an instance admin",
	"users.create":              "gives roles, which is governed, and may hand out a one-time link, which belongs in no program's log",
	"users.list":                "of the instance, not of a brain",
	"users.disable":             "of the instance, not of a brain",
	"persons.link":              "of the instance, not of a brain",
	"persons.unlink":            "of the instance, not of a brain",
	"persons.forget":            "of the instance, not of a brain",
	"users.enable":              "of the instance, not of a brain",
	"instance.set_up":           "happens once, at a page",
	"session.start":             "is how a browser signs in; programs have auth/token",
	"session.link":              "is how a browser signs in by a link",
	"tokens.create":             "auth/token, by hand: who asks is what it finds out",
	"tokens.sign_in":            "part of auth/token",
	"tokens.refresh":            "part of auth/token",
	"tokens.revoke":             "DELETE auth/token, by hand",
	"tokens.revoke_all":         "DELETE auth/sessions, by hand",
	"tokens.rotate_signing_key": "of the instance, at the terminal",
}

func TestEveryOperationHasARouteOrAReason(t *testing.T) {
	t.Parallel()
	for _, o := range ops.All() {
		why, listed := withoutRoute[o.Name]
		switch {
		case o.Route == "" && !listed:
			t.Errorf("%s has neither a route nor a reason", o.Name)
		case o.Route != "" && listed:
			t.Errorf("%s has a route, and is listed as one without", o.Name)
		case o.Route != "" && o.Offered&ops.REST == 0:
			t.Errorf("%s has a route and is not offered there", o.Name)
		case listed:
			t.Logf("no route: %s, because %s", o.Name, why)
		}
		if listed {
			continue
		}
		if o.Method() == "" || !strings.HasPrefix(o.Path(), "/v1/") {
			t.Errorf("%s: %q is no route", o.Name, o.Route)
		}
		for _, name := range inPath(o.Path()) {
			if name != brainParam && kindOf(o.In, name) == 0 {
				t.Errorf("%s: its input has no %s", o.Name, name)
			}
		}
		if o.HTTP.Status == http.StatusNoContent && o.Class == ops.Read {
			t.Errorf("%s reads and sends nothing", o.Name)
		}
	}
	for name := range withoutRoute {
		if ops.All().Find(name) == nil {
			t.Errorf("%s is listed and is no operation", name)
		}
	}
}
