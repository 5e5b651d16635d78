package web

import (
	"net/http"
	"net/netip"

	"github.com/labstack/echo/v4"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/ops/door"
)

// caller returns who calls, for the brain of the path: by key or, without one,
// by the session of a browser.
func (s *Server) caller(c echo.Context) (ops.Call, error) {
	by, via, err := s.credential(c)
	if err != nil {
		return ops.Call{}, err
	}
	if err := s.door.Take(c.Request().Context(), c.Response().Header(), by); err != nil {
		return ops.Call{}, err
	}
	brain := models.BrainID(c.Param("brain_id"))
	if by.Brain != brain {
		return ops.Call{}, fault.New(fault.NotFound, "No such brain.").WithCode("no_such_brain")
	}
	return ops.Call{By: by, Brain: brain, Via: via, RequestID: requestID(c), Started: s.desk.Now()}, nil
}

// credential returns who asks: a program by its key or token, else the browser's
// visitor by the session.
func (s *Server) credential(c echo.Context) (models.Principal, ops.Surface, error) {
	r, h := c.Request(), c.Response().Header()
	credential, err := door.CredentialOf(r)
	if err != nil {
		return models.Principal{}, 0, err
	}
	if credential != "" {
		p, err := s.door.Principal(r.Context(), h, r, credential, requestID(c))
		if err == nil {
			err = door.SameTenant(r, p)
		}
		return p, ops.REST, err
	}
	v, err := s.visit(c)
	if fault.Is(err, fault.Unauthenticated) {
		err = door.Missing(h)
	}
	if err != nil {
		return models.Principal{}, 0, err
	}
	p, err := v.Principal(models.BrainID(c.Param("brain_id")))
	return p, ops.Web, err
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
