package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/labstack/echo/v4"

	"polaris/models/fault"
	"polaris/ops"
)

// A made output says whether its operation made what was not there before.
type made interface{ Made() bool }

// makes reports whether the operation says so.
func (r route) makes() bool { return r.op.Out.Implements(reflect.TypeFor[made]()) }

// reply sends an operation's output.
func (r route) reply(c echo.Context, out any) error {
	h := c.Response().Header()
	h.Set("Cache-Control", never)
	status := cmp.Or(r.op.HTTP.Status, http.StatusOK)
	if status == http.StatusNoContent {
		return c.NoContent(status)
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return err
	}
	if raw, err = r.out.WithoutNulls(raw); err != nil {
		return err
	}
	tag := tagOf(out)
	if m, ok := out.(made); ok && m.Made() {
		status = http.StatusCreated
	}
	if r.method == http.MethodGet {
		// What was read is named by its bytes too: a revision does not count that
		// a key was used, and a reader's copy would be out of date.
		tag += "." + sumOf(raw)
		h.Set("Cache-Control", privately)
		if matches(c.Request().Header.Values("If-None-Match"), tag) {
			h.Set("ETag", quoted(tag))
			return c.NoContent(http.StatusNotModified)
		}
	}
	if tag != "" {
		h.Set("ETag", quoted(tag))
	}
	return c.Blob(status, "application/json", raw)
}

func sumOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// tagOf returns the revision of an output, "" where it has none.
func tagOf(out any) string {
	if t, ok := out.(ops.Tagged); ok {
		return t.ETag()
	}
	return ""
}

func quoted(tag string) string { return `"` + tag + `"` }

// matches reports whether a list of entity tags names tag, weakly or not.
func matches(lists []string, tag string) bool {
	for _, e := range entityTags(lists) {
		if e == "*" || strings.TrimPrefix(e, "W/") == quoted(tag) {
			return true
		}
	}
	return false
}

// entityTags splits lists of entity tags. Ours hold no commas, so one of
// somebody else's that does is only cut into what matches nothing.
func entityTags(lists []string) []string {
	var all []string
	for _, l := range lists {
		for e := range strings.SplitSeq(l, ",") {
			if e = strings.TrimSpace(e); e != "" {
				all = append(all, e)
			}
		}
	}
	return all
}

// conditions reads which revision a change is meant for. Where an operation
// cannot keep such a condition it is not done, because to ignore it would be to
// overwrite what somebody asked not to.
func conditions(req *http.Request, r route, call *ops.Call) error {
	match, none := entityTags(req.Header.Values("If-Match")), entityTags(req.Header.Values("If-None-Match"))
	said := func(name string) bool { return len(req.Header.Values(name)) > 0 }
	if said("If-Match") && len(match) == 0 || r.method != http.MethodGet && said("If-None-Match") && len(none) == 0 {
		return fault.New(fault.Outdated, "If-Match or If-None-Match came without a revision, so nothing was done. Send the ETag that you read, or leave the header out.")
	}
	if r.method == http.MethodGet {
		if len(match) > 0 {
			return fault.New(fault.Outdated, "If-Match is for changes. To read only what is new, send If-None-Match.")
		}
		return nil
	}
	if len(match)+len(none) > 0 && !r.op.HTTP.IfMatch {
		return fault.New(fault.Outdated, "This address keeps no conditions. Leave If-Match and If-None-Match out.")
	}
	for _, e := range match {
		call.IfMatch = append(call.IfMatch, revision(e))
	}
	if len(none) > 0 {
		if call.IfNew = none[0] == "*" && len(none) == 1; !call.IfNew {
			return fault.New(fault.Outdated, "With a change, the only If-None-Match is *: what it makes must not be there yet.")
		}
	}
	return nil
}

// revision returns what an entity tag says of the revision: the tag of a read
// has the sum of its bytes behind it. What is no tag of ours matches nothing.
func revision(entityTag string) string {
	if entityTag == "*" {
		return entityTag
	}
	tag, ok := strings.CutPrefix(entityTag, `"`)
	if !ok {
		return "" // weak, and so no match for a change
	}
	tag, ok = strings.CutSuffix(tag, `"`)
	if !ok || tag == "*" {
		return ""
	}
	rev, _, _ := strings.Cut(tag, ".")
	return rev
}
