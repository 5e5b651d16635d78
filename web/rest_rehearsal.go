package web

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/labstack/echo/v4"

	"polaris/models/fault"
	"polaris/ops"
	"polaris/ops/schema"
)

// dryRun is the parameter by which every change is rehearsed: it stands in the
// query whatever the method, because it is no part of the input.
const dryRun = "dry_run"

// rehearses reports whether a change is only to be rehearsed, and takes the
// parameter out of the query. What changes nothing has no such parameter.
func (r route) rehearses(c echo.Context) (dry bool, err error) {
	if r.op.Class < ops.Reversible {
		return false, nil
	}
	u := c.Request().URL
	var kept []string
	said := false
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		if name != dryRun {
			kept = append(kept, part)
			continue
		}
		if said || value != "true" && value != "false" {
			return false, fault.Field(dryRun, "dry_run is true or false, and is given once.")
		}
		said, dry = true, value == "true"
	}
	if said {
		u.RawQuery = strings.Join(kept, "&")
		c.QueryParams().Del(dryRun)
	}
	return dry, nil
}

// rehearse answers with what the change would do.
func (s *Server) rehearse(c echo.Context, call ops.Call, r route, in []byte) error {
	out, err := s.desk.Rehearse(c.Request().Context(), call, r.op, in)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", never)
	return c.JSON(http.StatusOK, out)
}

// rehearsalSchema describes what is answered to a rehearsal.
func rehearsalSchema() any {
	s, err := schema.Output(reflect.TypeFor[ops.Rehearsal]())
	if err != nil {
		panic("rest: " + err.Error()) // a mistake in the type, which a test would find
	}
	return s.JSON()
}

// rehearsed adds the answer to a rehearsal to an operation's.
func (r route) rehearsed(all, headers object) {
	if !r.op.Rehearsable() {
		return
	}
	ref := object{"$ref": "#/components/schemas/Rehearsal"}
	ok, there := all["200"].(object)
	if !there {
		all["200"] = object{"description": "With dry_run: what the change would do.", "headers": headers, "content": object{"application/json": object{"schema": ref}}}
		return
	}
	media := ok["content"].(object)["application/json"].(object)
	all["200"] = object{"description": ok["description"].(string) + " With dry_run: what the change would do.", "headers": ok["headers"], "content": object{"application/json": object{"schema": object{"anyOf": []any{media["schema"], ref}}}}}
}
