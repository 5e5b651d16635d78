package web

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/wiki"
)

// rest makes the routes of the catalog: every operation that has one and is
// offered to programs, or to a signed-in browser. Its input is made of the
// path's parameters and, by the method, of the query or the JSON body.
func (s *Server) rest() {
	for _, o := range ops.All() {
		if o.Route == "" || o.Offered&(ops.REST|ops.Web) == 0 {
			continue
		}
		method, path, _ := strings.Cut(o.Route, " ")
		h := s.operation(o)
		if o.Name == ops.ReadWiki.Name {
			// The index is the same operation without its parameter.
			s.echo.Add(method, echoPath(strings.TrimSuffix(path, "/{entity}")), s.orPage(h))
			h = s.orPage(h)
		}
		s.echo.Add(method, echoPath(path), h)
	}
}

// echoPath turns {entity} into :entity.
func echoPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// operation serves one operation of the catalog.
func (s *Server) operation(o *ops.Entry) echo.HandlerFunc {
	return func(c echo.Context) error {
		call, err := s.caller(c)
		if err != nil {
			return err
		}
		in, err := input(c, o)
		if err != nil {
			return err
		}
		out, err := s.desk.Invoke(c.Request().Context(), call, o, in)
		if err != nil {
			return err
		}
		c.Response().Header().Set("Cache-Control", never)
		return c.JSON(http.StatusOK, out)
	}
}

// orPage leads a browser from a link into the wiki to the page of it.
func (s *Server) orPage(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Add("Vary", "Accept")
		accept := c.Request().Header.Get("Accept")
		if !strings.Contains(accept, "text/html") || strings.Contains(accept, "application/json") {
			return next(c)
		}
		brain, err := param(c, "brain_id")
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

// input returns an operation's input as JSON.
func input(c echo.Context, o *ops.Entry) (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if c.Request().Method == http.MethodGet {
		for name, values := range c.QueryParams() {
			fields[name] = asField(o.In, name, values)
		}
	} else {
		var err error
		if fields, err = readBody(c.Request()); err != nil {
			return nil, err
		}
	}
	for _, name := range c.ParamNames() {
		if name == "brain_id" {
			continue
		}
		v, err := param(c, name)
		if err != nil {
			return nil, err
		}
		fields[name] = asField(o.In, name, []string{v})
	}
	return json.Marshal(fields)
}

func readBody(r *http.Request) (map[string]json.RawMessage, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, fault.New(fault.Unsupported, "Send JSON, with Content-Type: application/json.").WithCode("unsupported_media_type")
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	return ops.ReadObject(raw)
}

// asField returns what an address says of a field, as JSON of the field's type.
// What does not fit the type stays a string, and the operation says so.
func asField(in reflect.Type, name string, values []string) json.RawMessage {
	var v any = values
	if len(values) == 1 {
		v = values[0]
	}
	if f, ok := fieldOf(in, name); ok {
		switch f.Kind() {
		case reflect.Slice:
			v = values
		case reflect.Int:
			if n, err := strconv.Atoi(values[0]); err == nil && len(values) == 1 {
				v = n
			}
		case reflect.Bool:
			if b, err := strconv.ParseBool(values[0]); err == nil && len(values) == 1 {
				v = b
			}
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic("rest: " + err.Error()) // strings, numbers and lists of strings always marshal
	}
	return b
}

// fieldOf returns the type of the field that JSON calls name.
func fieldOf(in reflect.Type, name string) (reflect.Type, bool) {
	for f := range in.Fields() {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return f.Type, true
		}
	}
	return nil, false
}
