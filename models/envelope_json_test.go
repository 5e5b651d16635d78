package models

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// The envelope's own encoder writes what encoding/json writes, whatever the
// fields hold: the record of an answer must not depend on who wrote it.
func TestEnvelopeEncodesAsTheLibraryDoes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f<>&", "§ 1002.9(a) “quoted” — é 漢 😀", "\u2028\u2029", "a\xffb\xc3", "\ufffd"} {
		for _, f := range []float64{0, 1, 0.5, 0.123, -3, 1e-7, 1.5e-10, 1e21, 1e20, math.MaxFloat64, math.SmallestNonzeroFloat64} {
			sameEncoding(t, filled(s, f, 2))
		}
	}
	sameEncoding(t, &Envelope{})
	sameEncoding(t, &Envelope{Citations: []Citation{}, Notices: []string{}, Guardrail: Guardrail{Reasons: []string{}}})
}

func FuzzEnvelopeEncoding(f *testing.F) {
	f.Add("x\x80<", 0.25, 3)
	f.Fuzz(func(t *testing.T, s string, x float64, n int) {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			sameEncoding(t, filled(s, x, n&3))
		}
	})
}

// filled returns an envelope each of whose fields is set, whichever there are:
// a field that the encoder does not know is found missing.
func filled(s string, f float64, n int) *Envelope {
	e := &Envelope{}
	fill(reflect.ValueOf(e).Elem(), s, f, n)
	return e
}

func fill(v reflect.Value, s string, f float64, n int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Float64:
		v.SetFloat(f)
	case reflect.Int:
		v.SetInt(int64(n) - 1)
	case reflect.Bool:
		v.SetBool(n > 1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(v.Index(i), s, f, n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), s, f, n)
			}
		}
	}
}

func sameEncoding(t *testing.T, e *Envelope) {
	t.Helper()
	want, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e.Text())
	if err != nil {
		t.Fatal(err)
	}
	e.Encode()
	if got, said := e.Encoded(); got != string(want) || said != string(text) || e.BodyHash() != (&Answer{Body: got}).BodyHash() {
		t.Fatalf("encoded\n%s\nwant\n%s\ntext %s, want %s", got, want, said, text)
	}
}
