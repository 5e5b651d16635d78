package schema

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"polaris/models"
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

// lying writes JSON of its own.
type lying struct{ A int }

// MarshalJSON writes something else than an A.
func (*lying) MarshalJSON() ([]byte, error) { return []byte(`{"A":"one"}`), nil }

// TestSure tells outputs that always fit their schema from those that may not.
func TestSure(t *testing.T) {
	t.Parallel()
	type plainOut struct {
		S    string               `json:"s"`
		T    time.Time            `json:"t"`
		L    []map[string]float64 `json:"l"`
		P    *struct{ N int }     `json:"p"`
		Not  json.RawMessage      `json:"-"`
		skip any
	}
	for want, types := range map[bool][]reflect.Type{
		true: {reflect.TypeFor[plainOut](), reflect.TypeFor[*models.Envelope](), reflect.TypeFor[struct{ B []byte }]()},
		false: {
			reflect.TypeFor[lying](), reflect.TypeFor[struct{ L []lying }](), reflect.TypeFor[struct{ L map[string]*lying }](), reflect.TypeFor[struct{ lying }](),
			reflect.TypeFor[struct{ X json.RawMessage }](), reflect.TypeFor[struct{ X any }](), reflect.TypeFor[struct{ R models.Role }](),
			reflect.TypeFor[struct {
				N int `json:"n" schema:"minimum=1"`
			}](),
			reflect.TypeFor[struct {
				N int `json:"n,string"`
			}](),
		},
	} {
		for _, typ := range types {
			s, err := Output(typ)
			if err != nil || s.Sure() != want {
				t.Errorf("%s: sure %v, want %v; %v", typ, err == nil && s.Sure(), want, err)
			}
		}
	}
	_ = plainOut{}.skip
}

// What WithoutNulls leaves out is not required by the schema.
func TestNoNullIsRequired(t *testing.T) {
	t.Parallel()
	type out struct {
		P *int           `json:"p"`
		M map[string]int `json:"m"`
		B []byte         `json:"b"`
		L []int          `json:"l"`
		S string         `json:"s"`
		I []struct {
			P *int `json:"p"`
		} `json:"i"`
	}
	s, err := Output(reflect.TypeFor[out]())
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(out{I: make([]struct {
		P *int `json:"p"`
	}, 1)})
	got, err := s.WithoutNulls(raw)
	if err != nil {
		t.Fatal(err)
	}
	if bad, err := s.Check(got); err != nil || len(bad) > 0 {
		t.Errorf("%s does not fit: %v %v", got, bad, err)
	}
	if bad, err := s.Check([]byte(`{"l":[],"i":[]}`)); err != nil || len(bad) != 1 || bad[0].Field != "s" {
		t.Errorf("without s: %v %v, want that it is required", bad, err)
	}
}
