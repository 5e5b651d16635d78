package schema

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestWithoutNulls(t *testing.T) {
	t.Parallel()
	type inner struct {
		L []int `json:"l"`
		P *int  `json:"p"`
	}
	type out struct {
		A []inner          `json:"a"`
		B []inner          `json:"b"`
		M map[string]inner `json:"m"`
		S string           `json:"s"`
		N float64          `json:"n"`
	}
	s, err := Output(reflect.TypeFor[*out]())
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(out{A: []inner{{}, {L: []int{1}}}, M: map[string]inner{"x": {}}, S: "a:null", N: 12345678901234567})
	got, err := s.WithoutNulls(raw)
	if want := `{"a":[{"l":[]},{"l":[1]}],"b":[],"m":{"x":{"l":[]}},"n":12345678901234568,"s":"a:null"}`; err != nil || string(got) != want {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
	if _, err := s.WithoutNulls([]byte("null")); err == nil {
		t.Error("an output that is null was taken")
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	long := ""
	for range 60 {
		long += "é"
	}
	for in, want := range map[string]string{"": "", "short": "short", long: long[:100] + "…", "x" + long: ("x" + long)[:99] + "…"} {
		if got := Clip(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
