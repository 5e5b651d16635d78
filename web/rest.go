package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"polaris/models"
	"polaris/ops"
	"polaris/ops/door"
	"polaris/ops/schema"
	"polaris/views/wiki"
)

// A route is one way to an operation over REST.
type route struct {
	op           *ops.Entry
	method, path string // "/v1/brains/{brain_id}/wiki"
	in, out      *schema.Schema
}

// restRoutes returns the routes of the catalog: every operation that has one
// and is offered to programs, or to a signed-in browser.
func restRoutes() []route {
	var all []route
	for _, o := range ops.All() {
		if o.Route == "" || o.Offered&(ops.REST|ops.Web) == 0 {
			continue
		}
		in, err := schema.Input(o.In)
		if err != nil {
			panic("rest: " + o.Name + ": " + err.Error()) // a mistake in its types, which a test would find
		}
		out, err := schema.Output(o.Out)
		if err != nil {
			panic("rest: " + o.Name + ": " + err.Error())
		}
		all = append(all, route{o, o.Method(), o.Path(), in, out})
		if o.Name == ops.ReadWiki.Name {
			// The index is the same operation without its parameter.
			all = append(all, route{o, o.Method(), strings.TrimSuffix(o.Path(), "/{entity}"), in, out})
		}
	}
	return all
}

// uploads are the routes whose body may be as large as a document.
var uploads = func() map[string]bool {
	all := map[string]bool{"POST /brains/:brain/imports": true}
	for _, o := range ops.All() {
		if o.HTTP.Upload {
			all[o.Method()+" "+echoPath(o.Path())] = true
		}
	}
	return all
}()

// rest makes the routes of the catalog.
func (s *Server) rest() {
	s.echo.Use(s.allowsHead)
	for _, r := range restRoutes() {
		h := s.operation(r)
		if r.op.Name == ops.ReadWiki.Name {
			h = s.orPage(h)
		}
		s.echo.Add(r.method, echoPath(r.path), h)
	}
	s.echo.GET(openAPIPath, s.openAPI())
}

// echoPath turns {entity} into :entity.
func echoPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// operation serves one operation of the catalog. Its input is made of the
// path's parameters and, by the method, of the query or the body.
func (s *Server) operation(r route) echo.HandlerFunc {
	return func(c echo.Context) error {
		call, err := s.caller(c)
		if err != nil {
			return err
		}
		if ops.Allowed(call, r.op) != nil {
			return s.refuseUnread(c, call, r)
		}
		if err := conditions(c.Request(), r, &call); err != nil {
			return err
		}
		dry, err := r.rehearses(c)
		if err != nil {
			return err
		}
		in, err := s.input(c, r, &call)
		if err != nil {
			return err
		}
		if dry {
			return s.rehearse(c, call, r, in)
		}
		out, err := s.desk.Invoke(c.Request().Context(), call, r.op, in)
		if q, waits := ops.AsWaiting(err); waits {
			c.Response().Header().Set("Cache-Control", never)
			return c.JSON(http.StatusAccepted, q)
		}
		if err != nil {
			return err
		}
		if x, ok := out.(ops.Streamed); ok {
			return s.stream(c, x)
		}
		return r.reply(c, out)
	}
}

// refuseUnread refuses a call whose body nobody needs to see: it may be as large
// as a document. The gate does it, because it records refusals.
func (s *Server) refuseUnread(c echo.Context, call ops.Call, r route) error {
	if c.Request().ContentLength != 0 {
		door.Refusing(c.Response())
	}
	_, err := s.desk.Invoke(c.Request().Context(), call, r.op, nil)
	if err == nil {
		panic("rest: the gate let through what it refuses: " + r.op.Name)
	}
	return err
}

// orPage leads a browser from a link into the wiki to the page of it.
func (s *Server) orPage(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Add("Vary", "Accept")
		accept := c.Request().Header.Get("Accept")
		if !strings.Contains(accept, "text/html") || strings.Contains(accept, "application/json") {
			return next(c)
		}
		brain, err := param(c, brainParam)
		if err != nil {
			return err
		}
		entity, err := param(c, "entity")
		if err != nil {
			return err
		}
		to := brainURL(models.BrainID(url.PathEscape(brain)))
		if entity == "" {
			return c.Redirect(http.StatusSeeOther, to+wiki.Path)
		}
		return c.Redirect(http.StatusSeeOther, to+wiki.ArticlePath(entity))
	}
}

// allowsHead names HEAD beside GET wherever an answer says which methods an
// address takes: the router knows of no HEAD, because it is served as GET.
func (s *Server) allowsHead(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Before(func() {
			h := c.Response().Header()
			if allow := h.Get("Allow"); strings.Contains(allow, http.MethodGet) {
				h.Set("Allow", strings.Replace(allow, http.MethodGet, "GET, HEAD", 1))
			}
		})
		return next(c)
	}
}
