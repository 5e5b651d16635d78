package tabular

import (
	"fmt"
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

func outline(d *form.Document) string {
	var b strings.Builder
	for _, k := range d.Blocks {
		if k.Kind == form.Row {
			fmt.Fprintf(&b, "%d.%d %q %q\n", k.Table, k.Line, k.Header, k.Cells)
			continue
		}
		fmt.Fprintf(&b, "%s|%s|%s\n", k.Key, k.Number, k.Text)
	}
	return b.String()
}

func TestCSV(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"commas", "Fee,Amount,Due\nLate,\"1,000\",\"on \n the 1st\"\n\nWire,5,\n", `1.2 ["Fee" "Amount" "Due"] ["Late" "1,000" "on the 1st"]` + "\n" + `1.5 ["Fee" "Amount" "Due"] ["Wire" "5" ""]` + "\n"},
		{"semicolons", "Art;Betrag\nVerzug;1,50\nPost;2,00\nKarte;3,00\n", `1.2 ["Art" "Betrag"] ["Verzug" "1,50"]` + "\n" + `1.3 ["Art" "Betrag"] ["Post" "2,00"]` + "\n" + `1.4 ["Art" "Betrag"] ["Karte" "3,00"]` + "\n"},
		{"tabs", "a\tb\n1\t2\n", `1.2 ["a" "b"] ["1" "2"]` + "\n"},
		{"no header", "1,2,3\n4,5,6\n", "1.1 [] [\"1\" \"2\" \"3\"]\n1.2 [] [\"4\" \"5\" \"6\"]\n"},
		{"pipes", "a|b\n1|2\n3|4\n5|6\n", "1.2 [\"a\" \"b\"] [\"1\" \"2\"]\n1.3 [\"a\" \"b\"] [\"3\" \"4\"]\n1.4 [\"a\" \"b\"] [\"5\" \"6\"]\n"},
	} {
		d, err := CSV(tt.in, Delimiter(tt.in), form.Limits{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := outline(d); got != tt.want {
			t.Errorf("%s:\ngot\n%swant\n%s", tt.name, got, tt.want)
		}
	}
	for _, in := range []string{
		"Dear all,\nthe fee is none, as said.\nRegards,\nus\n", "Yes, we do.\nNo, we do not.\nWell, perhaps.\nNow, then.\n", "one line, two cells", "", "a\nb\nc\n",
		"| a | b |\n|---|---|\n| 1 | 2 |\n", "First, second, third.\nFourth, fifth.\n", "One; two; three\nis a line; of prose.\n",
	} {
		if d := Delimiter(in); d != 0 {
			t.Errorf("%q is a table by %q", in, d)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{
			"nodes", `{"key":"","title":"","text":""}` + "\n" + `{"key":"12 CFR 1002.1","title":"§ 1002.1 Scope.","text":""}` + "\n" + `{"key":"12 CFR 1002.1(a)","title":"In general.","marker":"(a)","text":"All."}`,
			"12 CFR 1002.1||§ 1002.1 Scope.\n12 CFR 1002.1(a)|(a)|In general. All.\n",
		},
		{"array", `[{"citation":"HB 4.2","text":"x"},{"citation":"HB 4.2(a)","text":"y"}]`, "HB 4.2||x\nHB 4.2(a)||y\n"},
		{
			"records", `[{"fee":"Late","amount":5,"on":["a","b"]},{"fee":"Wire","extra":{"z":1,"a":true},"amount":null}]`,
			`1.1 ["fee" "amount" "on" "extra"] ["Late" "5" "a; b" ""]` + "\n" + `1.2 ["fee" "amount" "on" "extra"] ["Wire" "" "" "a: true, z: 1"]` + "\n",
		},
		{"in an object", `{"title":"Fees","meta":[1],"items":[{"a":1.50},{"a":2}]}`, "1.1 [\"a\"] [\"1.50\"]\n1.2 [\"a\"] [\"2\"]\n"},
		{"one object", `{"a":"x"}`, "1.1 [\"a\"] [\"x\"]\n"},
	} {
		d, err := JSON(tt.in, form.Limits{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := outline(d); got != tt.want {
			t.Errorf("%s:\ngot\n%swant\n%s", tt.name, got, tt.want)
		}
	}
	for in, want := range map[string]bool{`{"a":1}`: true, `[{"a":1}]`: true, `[1,2]`: false, `[x]: y`: false, `{curly}`: false, `[]`: false} {
		if IsJSON(in) != want {
			t.Errorf("%q: %v", in, !want)
		}
	}
	for _, in := range []string{`[]`, `{"a":1}{`, `[{"a":1}`} {
		if d, err := JSON(in, form.Limits{}); d != nil || !fault.Is(err, fault.Unreadable) {
			t.Errorf("%q: %v, %v", in, d, err)
		}
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a;b;c\n\"1\n;2\";3\n", "\"", "a\tb\n\"x\"y\t\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d := Delimiter(s); d != 0 {
			if doc, err := CSV(s, d, form.Limits{}); err == nil {
				checkRows(t, doc)
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `[{"key":"HB 4.2","text":"x"}]`, `{"a":[{"b":{"c":[null,true]}}]}`, "{\"a\":1}\n{\"a\":2}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		IsJSON(s)
		if doc, err := JSON(s, form.Limits{}); err == nil {
			checkRows(t, doc)
		} else if fault.Of(err).Kind == fault.Internal {
			t.Fatal(err)
		}
	})
}

func checkRows(t *testing.T, d *form.Document) {
	t.Helper()
	for _, b := range d.Blocks {
		if b.Kind == form.Row && (b.Table < 1 || b.Line < 1 || b.Text != "") {
			t.Fatalf("%+v", b)
		}
	}
}
