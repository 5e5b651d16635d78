package ingest

import (
	"encoding/json"
	"html"
	"os"
	"strconv"
	"strings"
	"testing"

	"polaris/internal/craft"
	"polaris/models"
)

// TestRedTeam hides orders to a model in documents of several formats, in the
// ways in which that is done. Each document must be flagged, and what its readers
// do not see must not be in its text.
func TestRedTeam(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("suspect/testdata/orders.txt")
	if err != nil {
		t.Fatal(err)
	}
	prose := strings.Repeat("The fee is due on the first day of the month. It is five dollars. ", 5)
	page := func(hidden string) string {
		return "<!DOCTYPE html><html><body><h1>Fees</h1><p>" + prose + "</p>" + hidden + "<p>End.</p></body></html>"
	}
	ways := []struct {
		name   string
		hidden bool // and so not in the text
		write  func(s string) []byte
	}{
		{"markdown", false, func(s string) []byte { return []byte("# Fees\n\n" + prose + "\n\n" + s + "\n\nEnd.\n") }},
		{"a table's cell", false, func(s string) []byte {
			return []byte("Fee,Amount,Note\nLate,$5,\"" + strings.ReplaceAll(s, `"`, `""`) + "\"\nWire,$7,none\nCash,$8,none\n")
		}},
		{"JSON", false, func(s string) []byte {
			data, err := json.Marshal([]map[string]string{{"fee": "Late", "note": s}, {"fee": "Wire", "note": "none"}})
			if err != nil {
				t.Fatal(err)
			}
			return data
		}},
		{"mail", false, func(s string) []byte {
			return []byte("From: a@example.org\nTo: b@example.org\nSubject: Fees\nContent-Type: text/plain; charset=utf-8\n\n" + prose + "\n\n" + s + "\n")
		}},
		{"page", false, func(s string) []byte { return []byte(page("<p>" + html.EscapeString(s) + "</p>")) }},
		{"display:none", true, func(s string) []byte {
			return []byte(page(`<div style="display:none">` + html.EscapeString(s) + "</div>"))
		}},
		{"white text", true, func(s string) []byte {
			return []byte(page(`<p style="color:#ffffff">` + html.EscapeString(s) + "</p>"))
		}},
		{"no size", true, func(s string) []byte {
			return []byte(page(`<span style="font-size:0">` + html.EscapeString(s) + "</span>"))
		}},
		{"out of the window", true, func(s string) []byte {
			return []byte(page(`<div style="position:absolute;left:-10000px">` + html.EscapeString(s) + "</div>"))
		}},
		{"a class", true, func(s string) []byte {
			return []byte(page(`<style>.q{visibility:hidden}</style><p class=q>` + html.EscapeString(s) + "</p>"))
		}},
		{"a comment", true, func(s string) []byte { return []byte(page("<!-- " + strings.ReplaceAll(s, "-->", "") + " -->")) }},
		{"book", true, func(s string) []byte {
			return craft.ZIP("mimetype", "application/epub+zip", "META-INF/container.xml", `<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>`,
				"a.opf", `<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>`, "a.xhtml", page(`<p hidden="hidden">`+html.EscapeString(s)+"</p>"))
		}},
		{"letters nobody sees", false, func(s string) []byte {
			return []byte("# Fees\n\n" + prose + "\n\n" + strings.Join(strings.Split(s, ""), "\u200b") + "\n")
		}},
	}
	tried, missed := 0, 0
	for line := range strings.Lines(string(data)) {
		order, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		order = strings.ReplaceAll(order, "\n\n", "\n")
		for _, w := range ways {
			tried++
			d, err := Parse(w.write(order), Options{Name: "x", Code: "X"})
			if err != nil {
				t.Errorf("%s: %q: %v", w.name, order, err)
				continue
			}
			if len(d.Flags) == 0 {
				missed++
				t.Errorf("%s: %q is not flagged", w.name, order)
			}
			if w.hidden && strings.Contains(d.Text, order) {
				t.Errorf("%s: %q is in the text", w.name, order)
			}
			for _, f := range d.Flags {
				if strings.ContainsAny(f.Text, "\u200b\u202e\n") {
					t.Errorf("%s: the flag shows what nobody sees: %q", w.name, f.Text)
				}
			}
		}
	}
	t.Logf("%d documents, %d not flagged", tried, missed)
	if tried < 13*50 {
		t.Errorf("only %d documents", tried)
	}
	d, err := Parse([]byte("# Fees\n\nSee invoice\u202egpj.exe for the fee.\n"), Options{Code: "X"})
	if err != nil || len(d.Flags) != 1 || d.Flags[0].Kind != models.Direction {
		t.Errorf("%+v, %v", d, err)
	}
}
