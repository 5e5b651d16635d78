package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	codes := map[string]bool{}
	for _, k := range Kinds() {
		if k.String() == "" || codes[k.String()] || k.Status() < 400 || k.Status() > 599 || k.Exit() < 1 || k.Exit() > 2 {
			t.Errorf("kind %d: %q, status %d, exit %d", k, k, k.Status(), k.Exit())
		}
		codes[k.String()] = true
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	secret := errors.New("pq: password authentication failed")
	if Of(nil) != nil {
		t.Error("nil is a fault")
	}
	in := Of(fmt.Errorf("reading: %w", secret))
	if in.Kind != Internal || strings.Contains(in.Message, "password") || !errors.Is(in, secret) {
		t.Errorf("internal: %+v", in)
	}
	f := New(NotFound, "No such %s.", "key").WithCode("no_such_key").Because(secret)
	got := Of(fmt.Errorf("revoking: %w", f))
	if got.Kind != NotFound || got.Code != "no_such_key" || got.Message != "No such key." || !Is(got, NotFound) || Is(got, Invalid) {
		t.Errorf("fault: %+v", got)
	}
	if New(Invalid, "x").WithCode("y").Because(secret); f.Code != "no_such_key" {
		t.Error("the copies share")
	}
}

// A sqlState is an error as the database's driver gives them.
type sqlState string

func (s sqlState) Error() string    { return "secret" }
func (s sqlState) SQLState() string { return string(s) }

func TestTypeOfHoldsNoText(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"conflict":            New(Conflict, "secret"),
		"*errors.errorString": fmt.Errorf("secret: %w", fmt.Errorf("secret: %w", errors.New("secret"))),
		"*url.Error":          New(Unavailable, "secret").Because(&url.Error{Op: "secret"}),
		"*strconv.NumError":   fmt.Errorf("%w %w", &strconv.NumError{Func: "secret"}, io.EOF),
		"*net.AddrError":      errors.Join(&net.AddrError{Err: "secret"}, io.EOF),
		"sqlstate 53100":      fmt.Errorf("secret: %w", sqlState("53100")),
		"*json.SyntaxError":   json.Unmarshal([]byte("{"), &struct{}{}),
		"*http.MaxBytesError": &http.MaxBytesError{},
		"*reflect.ValueError": &reflect.ValueError{},
	} {
		if got := TypeOf(err); got != want {
			t.Errorf("%#v: %q, want %q", err, got, want)
		}
	}
}
