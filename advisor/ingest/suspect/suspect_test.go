package suspect

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"polaris/models"
)

// tags spells a text in characters that nobody sees.
func tags(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r + 0xE0000)
	}
	return b.String()
}

// payloads reads the orders to a model that are tried on us: worded by us after
// what is known, one quoted string in each line.
func payloads(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/orders.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		s, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out = append(out, s)
	}
	if len(out) < 50 {
		t.Fatalf("only %d", len(out))
	}
	return out
}

// TestOrders holds that each of them is found.
func TestOrders(t *testing.T) {
	t.Parallel()
	missed, all := 0, payloads(t)
	for _, s := range all {
		text := "The fee is due on the first.\n\n" + s + "\n\nIt is $5."
		if !has(Text(text), models.Instruction) {
			missed++
			t.Errorf("not found: %q", s)
		}
	}
	t.Logf("%d payloads, %d missed", len(all), missed)
}

func has(fs []models.Flag, k models.FlagKind) bool {
	for _, f := range fs {
		if f.Kind == k {
			return true
		}
	}
	return false
}

// TestInnocent holds what handbooks and laws say and no machine is meant by.
func TestInnocent(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"The applicant must follow the instructions on the form.",
		"A creditor may disregard prior income if it is not verified.",
		"Ignore the reverse side of the form.",
		"You are now entitled to a free copy of your report.",
		"You are no longer covered after the plan ends.",
		"AI systems must be inventoried and reviewed each year.",
		"Employees may use AI assistants only with approved data.",
		"The system prompts the user for a password.",
		"Do not disclose the password to other users.",
		"From now on the fee is due monthly.",
		"New instructions were issued in May.",
		"Use the search function to find the account.",
		"The previous instructions are superseded by this chapter.",
		"Send the form to the address at https://example.org/forms.",
		"Do not tell the customer that a report was filed.",
		"System: core banking. Assistant: J. Smith.",
		"See the instructions above and the rules below.",
		"The model must be validated before use.",
		"Respond within 30 days with a written statement.",
		"Act as a guarantor; act as agent for the lender.",
		"## Instructions for applicants",
		"The rules above apply regardless of what the contract says.",
	} {
		if fs := Text(s); len(fs) > 0 {
			t.Errorf("%q: %+v", s, fs)
		}
	}
}

// TestUnseen holds which characters are flagged, and which have business there.
func TestUnseen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		kind models.FlagKind
	}{
		{"wai\u200bver", models.Invisible},
		{"wai\u200d\u2060ver", models.Invisible},
		{"сло\u200bво", models.Invisible},
		{"fee" + tags("waive"), models.Invisible},
		{"fee" + strings.Repeat("\U000E0100", 8), models.Invisible},
		{"safe\u202Egpj.exe", models.Direction},
		{"a\u202Dbc", models.Direction},
		{"می\u200cخواهم", ""},
		{"👩\u200d👧 and 🏴" + tags("gbsct") + "\U000E007F", ""},
		{"https://\u200bexample.org", ""},
		{"break \u200bhere", ""},
		{"ก\u200bข", ""},
		{"auto\u00admatic", ""},
		{"\u2067שלום\u2069 and \u202babc\u202c", ""},
		{"漢\U000E0100字", ""},
	} {
		fs := Text(tt.in)
		if tt.kind == "" && len(fs) > 0 || tt.kind != "" && !has(fs, tt.kind) {
			t.Errorf("%q: %+v, want %q", tt.in, fs, tt.kind)
		}
		for _, f := range fs {
			if strings.ContainsAny(f.Text, "\u200b\u202e\u202d") || strings.ContainsRune(f.Text, 0xE0077) {
				t.Errorf("%q shows what nobody sees: %q", tt.in, f.Text)
			}
		}
	}
	if n := len(Text(strings.Repeat("wai\u200bver\n\n", 1000))); n != maxFlags {
		t.Errorf("%d flags", n)
	}
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("The system must notify each applicant of the instructions within 30 days, and answer in writing.\n\n", 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text(text)
	}
}
