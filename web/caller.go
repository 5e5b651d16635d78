package web

import (
	"net/http"
	"net/netip"
	"slices"

	"github.com/labstack/echo/v4"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/ops/door"
)

// caller returns who calls, for the brain of the path or, where the path has
// none, for the credential's own: by key or token or, without one, by the
// session of a browser.
func (s *Server) caller(c echo.Context) (ops.Call, error) {
	call := ops.Call{Via: ops.REST, RequestID: requestID(c), From: s.from(c).String(), Started: s.desk.Now()}
	r, h := c.Request(), c.Response().Header()
	credential, err := door.CredentialOf(r)
	if err != nil {
		return call, err
	}
	if credential != "" {
		call.By, err = s.door.Principal(r.Context(), h, r, credential, call.RequestID)
	} else {
		call.Via = ops.Web
		err = s.asVisitor(c, &call)
	}
	if err != nil {
		return call, err
	}
	if call.Taken, err = s.door.Taken(r.Context(), h, call.By); err != nil {
		return call, err
	}
	if call.Via == ops.REST {
		if err := door.SameTenant(r, call.By); err != nil {
			return call, err
		}
	}
	if call.Brain = call.By.Brain; named(c) && call.Brain != models.BrainID(c.Param(brainParam)) {
		return call, noBrain
	}
	return call, nil
}

// brainParam is the parameter of a path that names a brain.
const brainParam = "brain_id"

var noBrain = fault.New(fault.NotFound, "No such brain.").WithCode("no_such_brain")

// named reports whether the path of a request names a brain.
func named(c echo.Context) bool { return slices.Contains(c.ParamNames(), brainParam) }

// asVisitor fills in who is signed in at the browser that calls. What comes by
// cookie belongs to the brain of the path, or else to none.
func (s *Server) asVisitor(c echo.Context, call *ops.Call) error {
	v, err := s.visit(c)
	if fault.Is(err, fault.Unauthenticated) {
		err = door.Missing(c.Response().Header())
	}
	if err != nil {
		return err
	}
	call.Visit = v
	brain := ops.Instance
	if named(c) {
		if brain = models.BrainID(c.Param(brainParam)); !brain.Valid() {
			return noBrain
		}
	}
	if call.By, err = v.Principal(brain); fault.Is(err, fault.NotFound) {
		err = noBrain
	}
	return err
}

// carriesKey reports whether a request brings a key or a token, which no other
// site can make a browser send, so that no cookie acts for it. Basic credentials
// are no key: browsers keep them for a proxy and send them along.
func carriesKey(r *http.Request) bool {
	key, err := door.CredentialOf(r)
	return key != "" || err != nil
}

// from returns the address that a request counts for.
func (s *Server) from(c echo.Context) netip.Prefix { return s.door.From(c.Request()) }
