package web

import (
	"net/http"
	"net/netip"
	"strconv"

	"github.com/labstack/echo/v4"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

// caller returns who calls, for the brain of the path: by key or, without one,
// by the session of a browser.
func (s *Server) caller(c echo.Context) (ops.Call, error) {
	by, via, err := s.credential(c)
	if err != nil {
		return ops.Call{}, err
	}
	if err := s.within(c, by); err != nil {
		return ops.Call{}, err
	}
	brain := models.BrainID(c.Param("brain_id"))
	if by.Brain != brain {
		return ops.Call{}, fault.New(fault.NotFound, "No such brain.").WithCode("no_such_brain")
	}
	return ops.Call{By: by, Brain: brain, Via: via, RequestID: requestID(c), Started: s.desk.Now()}, nil
}

func (s *Server) credential(c echo.Context) (models.Principal, ops.Surface, error) {
	key, err := ops.CredentialOf(c.Request())
	if err != nil {
		return models.Principal{}, 0, err
	}
	if key != "" {
		p, err := s.byKey(c, key)
		return p, ops.REST, err
	}
	v, err := s.visit(c)
	if fault.Is(err, fault.Unauthenticated) {
		err = fault.New(fault.Unauthenticated, "Send an API key as `Authorization: Bearer sk-polaris-…` or as `X-API-Key`.").WithCode("missing_credential")
	}
	if err != nil {
		return models.Principal{}, 0, err
	}
	p, err := v.Principal(models.BrainID(c.Param("brain_id")))
	return p, ops.Web, err
}

// byKey returns whom the key stands for. Addresses whose keys fail too often
// are refused before the database is asked.
func (s *Server) byKey(c echo.Context, key string) (models.Principal, error) {
	from, now := s.from(c), s.desk.Now()
	if wait := s.desk.BadKeys.Wait(from, now); wait > 0 {
		return models.Principal{}, tooMany(c, wait)
	}
	p, err := s.desk.Principal(c.Request().Context(), key)
	if fault.Is(err, fault.Unauthenticated) {
		s.desk.BadKeys.Add(from, now)
	}
	return p, err
}

// from returns the address that a request counts for.
func (s *Server) from(c echo.Context) netip.Prefix {
	return ops.AddressOf(c.Request(), s.conf.TrustedProxies)
}

// carriesKey reports whether a request brings a key, which no other site can
// make a browser send, so that no cookie acts for it. Basic credentials are no
// key: browsers keep them for a proxy and send them along.
func carriesKey(r *http.Request) bool {
	key, err := ops.CredentialOf(r)
	return key != "" || err != nil
}

// within takes the request from the caller's rate, and says what is left.
func (s *Server) within(c echo.Context, by models.Principal) error {
	t, err := s.desk.Take(c.Request().Context(), by)
	h := c.Response().Header()
	t.Tell(h)
	if err != nil {
		h.Set("Retry-After", strconv.Itoa(ops.Seconds(t.Reset)))
	}
	return err
}
