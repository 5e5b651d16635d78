package ingest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"polaris/models/fault"
)

const regml = `<?xml version="1.0"?><regulation xmlns="eregs"><fdsys><cfrTitleNum>12</cfrTitleNum></fdsys><part label="1002"><content>%</content></part></regulation>`

// TestRefused holds what is not read, and that it is a fault which says why.
func TestRefused(t *testing.T) {
	t.Parallel()
	section := `<section label="1002-1"><subject>§ 1002.1 A.</subject></section>`
	whole := strings.Replace(regml, "%", section, 1)
	for _, tt := range []struct {
		name, in string
		kind     fault.Kind
		says     string
	}{
		{"no bytes", "", fault.Unreadable, "empty"},
		{"white space", " \n\t\u00a0\r\n", fault.Unreadable, "empty"},
		{"byte order mark only", "\ufeff", fault.Unreadable, "empty"},
		{"NUL", "text\x00text", fault.Unsupported, "NUL"},
		{"controls", strings.Repeat("\x01\x02 a", 20), fault.Unsupported, "control"},
		{"ZIP", "PK\x03\x04rest", fault.Unsupported, "archive"},
		{"PNG", "\x89PNG\r\n", fault.Unsupported, "PNG"},
		{"HTML", "<!DOCTYPE html><html></html>", fault.Unreadable, "no text"},
		{"half UTF-8", "gr\xc3\xbc\xc3\x9fe \xc3\xa4 \xc3\xb6 \xff", fault.Unreadable, "damaged"},
		{"unassigned byte", "text \x81 text", fault.Unreadable, "UTF-8"},
		{"mostly high bytes", strings.Repeat("\xe0\xe1 ", 50), fault.Unreadable, "no other encoding"},
		{"odd UTF-16", "\xff\xfea\x00b", fault.Unreadable, "UTF-16"},
		{"front matter only", "---\na: b\n---\n", fault.Unreadable, "no text"},
		{"comment only", "<!-- nothing -->", fault.Unreadable, "no text"},
		{"rules only", "***\n\n---\n", fault.Unreadable, "no text"},
		{"truncated XML", whole[:len(whole)-30], fault.Unreadable, "XML"},
		{"truncated tag", whole[:len(whole)-3], fault.Unreadable, "XML"},
		{"crossed tags", `<?xml version="1.0"?><a><b></a></b>`, fault.Unreadable, "closes nothing"},
		{"DOCTYPE", strings.Replace(whole, "<regulation", "<!DOCTYPE regulation><regulation", 1), fault.Unreadable, "entities"},
		{"billion laughs", `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>`, fault.Unreadable, "entities"},
		{"undeclared entity", strings.Replace(whole, "A.", "&lol;", 1), fault.Unreadable, "entity"},
		{"other XML", `<?xml version="1.0"?><feed><entry/></feed>`, fault.Unsupported, "RegML"},
		{"XML declaration only", `<?xml version="1.0"?>`, fault.Unreadable, "no element"},
		{"RegML without text", strings.Replace(regml, "%", "", 1), fault.Unreadable, "no text"},
		{"deep XML", `<?xml version="1.0"?>` + strings.Repeat("<a>", 100_000), fault.Unreadable, "deep"},
	} {
		start := time.Now()
		d, err := Parse([]byte(tt.in), Options{Name: "x.md"})
		if d != nil || !fault.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, %v; want a fault of kind %v that says %q", tt.name, d, err, tt.kind, tt.says)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s took %v", tt.name, took)
		}
	}
	if d, err := Parse([]byte("PK\x03\x04rest"), Options{}); d != nil || fault.Of(err).Code != Archive {
		t.Errorf("an archive: %v", err)
	}
	if _, err := Parse([]byte("x"), Options{Code: "no code"}); !fault.Is(err, fault.Invalid) || fault.Of(err).Field != "code" {
		t.Errorf("a bad code: %v", err)
	}
	if _, err := Parse(make([]byte, MaxBytes+1), Options{}); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too large: %v", err)
	}
}

// TestEncodings holds that a text reads the same however it was saved.
func TestEncodings(t *testing.T) {
	t.Parallel()
	const want = "# Gebühren\n\n## Übersicht\n\nFür „Prüfung“ 35 €.\n"
	le, be := []byte{0xFF, 0xFE}, []byte{0xFE, 0xFF}
	for _, r := range want {
		le = append(le, byte(r), byte(r>>8))
		be = append(be, byte(r>>8), byte(r))
	}
	cp1252 := strings.NewReplacer("ü", "\xfc", "Ü", "\xdc", "„", "\x84", "“", "\x93", "€", "\x80").Replace(want)
	for name, in := range map[string]string{
		"UTF-8": want, "with a mark": "\ufeff" + want, "CRLF": strings.ReplaceAll(want, "\n", "\r\n"),
		"UTF-16LE": string(le), "UTF-16BE": string(be), "Windows-1252": cp1252,
	} {
		d := parse(t, []byte(in), Options{})
		if d.Text != want {
			t.Errorf("%s: %q", name, d.Text)
		}
		if warned := len(d.Warnings) > 0; warned != strings.Contains(name, "6") && !warned || warned != (strings.HasPrefix(name, "UTF-16") || name == "Windows-1252") {
			t.Errorf("%s: warnings %q", name, d.Warnings)
		}
	}
}

// TestHostile holds that no input takes long.
func TestHostile(t *testing.T) {
	t.Parallel()
	const n = 30_000
	for name, in := range map[string]string{
		"one line of 10 MB":    strings.Repeat("a sentence of words. ", 500_000),
		"no space at all":      strings.Repeat("ä", 5_000_000),
		"deep quotes":          strings.Repeat(">", 100_000) + " x\n\n" + strings.Repeat(strings.Repeat("> ", 300)+"x\n", 300),
		"deep lists":           nested(2000),
		"headings":             strings.Repeat("# a\n", n),
		"deep headings":        strings.Repeat("# a\n## b\n### c\n#### d\n##### e\n###### f\n", n/6),
		"numbers":              "## 4.2 A\n\n" + strings.Repeat("(i) x;\n(a) y;\n(1) z;\n", n/3),
		"brackets":             "## 4.2 A\n\n" + strings.Repeat("(", n) + "\n" + strings.Repeat("(a)", n),
		"pipes":                strings.Repeat("|", n) + "\n" + strings.Repeat("|-", n) + "\n" + strings.Repeat("|\n", n),
		"fences":               strings.Repeat("```\n", n),
		"comments":             strings.Repeat("<!-- ", n),
		"blank lines":          strings.Repeat("\n", 10*n) + "x",
		"bullets and blanks":   strings.Repeat("- x\n\n", n),
		"carriage returns":     strings.Repeat("x\r\r", n),
		"definitions":          "## Definitions\n\n" + strings.Repeat("The term “a” “b” “c” ", n),
		"underlines":           strings.Repeat("a\n=\n", n),
		"dots":                 strings.Repeat("1.", n),
		"wide XML":             strings.Replace(regml, "%", strings.Repeat("<section label='1002-1'><subject>a</subject></section>", n/4), 1),
		"one paragraph of XML": strings.Replace(regml, "%", "<section label='1002-1'><paragraph label='1002-1-a' marker='(a)'><content>"+strings.Repeat("<ref>a</ref> ", n)+"</content></paragraph></section>", 1),
	} {
		start := time.Now()
		d, err := Parse([]byte(in), Options{Code: "X"})
		took := time.Since(start)
		if err != nil {
			if fault.Of(err).Kind == fault.Internal {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		holds(t, d)
		t.Logf("%s: %d bytes, %d passages in %v", name, len(in), len(d.Passages), took)
		if took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func nested(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "- x:\n")
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"# A\n\n## 4.2 B\n\n(a) c\n\n1. d\n\n| a |\n|---|\n| b |\n", "---\na\n---\nT\n=\n\nx\ny\n", "A\x00", "\xff\xfea\x00", "gr\xfc\xdfe",
		strings.Replace(regml, "%", `<section label="1002-1"><subject>§ 1002.1 A.</subject><paragraph label="1002-1-a" marker="(a)"><title>T.</title><content>x <def term="y">y</def></content></paragraph></section><appendix appendixLetter="A" label="1002-A"><appendixTitle>A</appendixTitle><appendixSection label="1002-A-1"><subject/><paragraph label="1002-A-1-p1" marker=""><content>1. x</content></paragraph></appendixSection></appendix><interpretations label="1002-Interp"><title>S</title><interpSection label="1002-1-Interp"><title>t</title><interpParagraph label="1002-1-a-Interp-1" marker="1."><content>z</content></interpParagraph></interpSection></interpretations>`, 1),
		"## § 1681m. A\n\n(a) B .\n\nText:\n\n“quoted”\n\n(3)(A) c; or\n\n(i) d\n\nflush\n", "## Definitions\n\n**A** means b.\n- (a) C: d\n", "> a\n> - b\n```\nc",
	} {
		f.Add([]byte(s), "15 U.S.C.")
		f.Add([]byte(s), "")
	}
	f.Fuzz(func(t *testing.T, data []byte, cites string) {
		d, err := Parse(data, Options{Cites: cites})
		if err != nil {
			if d != nil || fault.Of(err).Kind == fault.Internal {
				t.Fatalf("%v, %v", d, err)
			}
			return
		}
		holds(t, d)
	})
}

// TestRealMarkdown reads another rendering of the regulation, and the texts that
// lie beside it.
func TestRealMarkdown(t *testing.T) {
	t.Parallel()
	d := parse(t, load(t, "reg-b-12cfr1002.md"), Options{Name: "reg-b-12cfr1002.md"})
	t.Logf("%s %s: %d passages, %d warnings", d.Code, d.Title, len(d.Passages), len(d.Warnings))
	files, err := filepath.Glob("../../*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(bytes.TrimSpace(data)) > 0 {
			parse(t, data, Options{Name: name})
		}
	}
}
