package web

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"polaris/models/fault"
	"polaris/ops"
	"polaris/ops/door"
)

// How long a body may take to arrive: a message, and a document.
const (
	bodyWithin   = 20 * time.Second
	uploadWithin = 45 * time.Second
)

// document is the field that holds an upload's bytes.
const document = "data"

// documents is the field that holds several uploads.
const documents = "files"

// takesFiles reports whether the operation reads several documents at once.
func (r route) takesFiles() bool {
	return r.op.HTTP.Upload && kindOf(r.op.In, documents) == reflect.Slice
}

// input returns an operation's input as JSON, which fits its schema, and fills in
// what the caller says beside it.
func (s *Server) input(c echo.Context, r route, call *ops.Call) (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	var err error
	if r.hasBody() {
		fields, err = s.body(c, r)
		if err == nil && len(c.QueryParams()) > 0 {
			err = unknownQuery(c)
		}
	} else {
		err = r.query(c, fields)
	}
	if err != nil {
		return nil, err
	}
	if err := r.reasons(fields, call); err != nil {
		return nil, err
	}
	if err := r.pathFields(c, fields); err != nil {
		return nil, err
	}
	return r.checked(fields)
}

// unknownQuery refuses the parameters of a query that takes none.
func unknownQuery(c echo.Context) error {
	return fault.Field(slices.Sorted(maps.Keys(c.QueryParams()))[0], "This address takes no query parameters.")
}

// hasBody reports whether the input comes in the body, and not in the query.
func (r route) hasBody() bool {
	return r.method != http.MethodGet && r.method != http.MethodDelete
}

// checked holds the fields against the operation's schema and returns them as
// one object.
func (r route) checked(fields map[string]json.RawMessage) (json.RawMessage, error) {
	small := fields
	if r.op.HTTP.Upload && strings.HasPrefix(string(fields[document]), `"`) {
		small = maps.Clone(fields) // a string is all that it has to be, and it may be long
		small[document] = json.RawMessage(`""`)
	}
	raw, err := json.Marshal(small)
	if err != nil {
		return nil, err
	}
	misfits, err := r.in.Check(raw)
	if err != nil {
		return nil, fault.New(fault.Invalid, "The body cannot be read.").WithCode("invalid_json").Because(err)
	}
	if len(misfits) > 0 {
		m := misfits[0]
		return nil, fault.Field(m.Field, "%s %s.", cmp.Or(m.Field, "The input"), m.Why)
	}
	if small[document] == nil {
		return raw, nil
	}
	return json.Marshal(fields)
}

// query reads the fields of an address's query. Each is there once, unless it
// is a list.
func (r route) query(c echo.Context, fields map[string]json.RawMessage) error {
	if c.Request().ContentLength != 0 {
		return fault.New(fault.Invalid, "%s reads no body. Send the fields as query parameters.", c.Request().Method).WithCode("body_not_expected")
	}
	sent, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return fault.New(fault.Invalid, "The query cannot be read: %%XX stands for a byte, and & is between parameters.").WithCode("invalid_query")
	}
	for name, values := range sent {
		kind := kindOf(r.op.In, name)
		if len(values) > 1 && kind != reflect.Slice {
			return fault.Field(name, "%s is given twice.", name)
		}
		if fields[name], err = asField(name, kind, values); err != nil {
			return err
		}
	}
	return nil
}

// pathFields adds the parameters of the path. A body may repeat one, as the
// representation that somebody read does, but not contradict it.
func (r route) pathFields(c echo.Context, fields map[string]json.RawMessage) error {
	for _, name := range c.ParamNames() {
		if name == brainParam {
			continue
		}
		v, err := param(c, name)
		if err != nil {
			return err
		}
		field, err := asField(name, kindOf(r.op.In, name), []string{v})
		if err != nil {
			return err
		}
		if sent, twice := fields[name]; twice && (!r.hasBody() || !sameJSON(sent, field)) {
			return fault.Field(name, "%s is in the path already, and says something else.", name)
		}
		fields[name] = field
	}
	return nil
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// body reads the fields of a body. One that is empty has none.
func (s *Server) body(c echo.Context, r route) (map[string]json.RawMessage, error) {
	req := c.Request()
	if req.ContentLength == 0 {
		return map[string]json.RawMessage{}, nil
	}
	most, within := s.conf.MaxBody, bodyWithin
	if r.op.HTTP.Upload {
		most, within = s.mostUploaded(), uploadWithin
		packed := req.Header.Get("Content-Encoding")
		if kind, params, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err == nil && kind == "multipart/form-data" && (packed == "" || strings.EqualFold(packed, "identity")) {
			return r.form(c, most, params["boundary"])
		}
	}
	raw, err := door.ReadJSON(c.Response(), req, most, within)
	if r.op.HTTP.Upload && fault.Is(err, fault.TooLarge) {
		err = fault.New(fault.TooLarge, "The document is over the limit (POLARIS_MAX_UPLOAD_BYTES).").WithCode("body_too_large").Because(err)
	}
	if err != nil {
		return nil, err
	}
	return ops.ReadObject(raw)
}

// mostUploaded is the largest body that holds a document: in base64, with a
// little beside it.
func (s *Server) mostUploaded() int64 {
	return s.desk.Settings.LargestDocument()/3*4 + 1<<20
}

// form reads a document that comes as a file of a form, with what is said about
// it in the form's other fields.
func (r route) form(c echo.Context, most int64, boundary string) (map[string]json.RawMessage, error) {
	rc := http.NewResponseController(c.Response())
	_ = rc.SetReadDeadline(time.Now().Add(uploadWithin)) // a test's connection may have none
	defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	parts := multipart.NewReader(http.MaxBytesReader(c.Response(), c.Request().Body, most), boundary)
	fields := map[string]json.RawMessage{}
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return fields, nil
		}
		if err != nil {
			return nil, unreadForm(err)
		}
		if err := r.part(p, fields); err != nil {
			return nil, err
		}
	}
}

func (r route) part(p *multipart.Part, fields map[string]json.RawMessage) error {
	name := p.FormName()
	if name == documents && r.takesFiles() && p.FileName() != "" {
		return addFile(p, fields)
	}
	if _, twice := fields[name]; twice && (name != "name" || p.FileName() == "") {
		return fault.Field(name, "%s is given twice.", name)
	}
	b, err := io.ReadAll(p)
	if err != nil {
		return unreadForm(err)
	}
	if name != document {
		fields[name], err = asField(name, kindOf(r.op.In, name), []string{string(b)})
		return err
	}
	fields[name] = json.RawMessage(`"` + base64.StdEncoding.EncodeToString(b) + `"`)
	if _, said := fields["name"]; !said && p.FileName() != "" {
		fields["name"], err = asField("name", reflect.String, []string{p.FileName()})
	}
	return err
}

// addFile adds a file to those that came before it.
func addFile(p *multipart.Part, fields map[string]json.RawMessage) error {
	b, err := io.ReadAll(p)
	if err != nil {
		return unreadForm(err)
	}
	name, err := asField("name", reflect.String, []string{p.FileName()})
	if err != nil {
		return err
	}
	one := fmt.Appendf(nil, `{"name":%s,"data":"%s"}`, name, base64.StdEncoding.EncodeToString(b))
	if had := fields[documents]; len(had) > 0 {
		one = slices.Concat(had[:len(had)-1], []byte{','}, one, []byte{']'})
	} else {
		one = slices.Concat([]byte{'['}, one, []byte{']'})
	}
	fields[documents] = one
	return nil
}

func unreadForm(err error) error {
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return err
	}
	return fault.New(fault.Invalid, "The form did not arrive whole.").WithCode("body_incomplete").Because(err)
}

// asField returns what an address or a form says of a field, as JSON of the
// field's kind. What does not fit the kind stays a string, and the schema says so.
// Bytes that are no text are refused here: JSON would put other ones in their
// place, and so name something else than what was asked for.
func asField(name string, kind reflect.Kind, values []string) (json.RawMessage, error) {
	if !utf8.ValidString(name) || slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) }) {
		name = strings.ToValidUTF8(name, "�")
		return nil, fault.Field(name, "%s is not valid text: it must be UTF-8.", name)
	}
	var v any = values[0]
	switch kind {
	case reflect.Slice:
		v = values
	case reflect.Int:
		if n, err := strconv.Atoi(values[0]); err == nil && strconv.Itoa(n) == values[0] {
			v = n
		}
	case reflect.Bool:
		if values[0] == "true" || values[0] == "false" {
			v = values[0] == "true"
		}
	}
	return json.Marshal(v)
}

// kindOf returns the kind of the field that JSON calls name; Invalid where there
// is none.
func kindOf(in reflect.Type, name string) reflect.Kind {
	for _, f := range reflect.VisibleFields(in) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			t := f.Type
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			return t.Kind()
		}
	}
	return reflect.Invalid
}
