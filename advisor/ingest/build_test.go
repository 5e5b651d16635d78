package ingest

import (
	"reflect"
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models"
	"polaris/models/fault"
)

func head(level int, number, text string) form.Block {
	return form.Block{Kind: form.Heading, Level: level, Number: number, Text: text}
}

func item(level int, number, text string) form.Block {
	return form.Block{Kind: form.Item, Level: level, Number: number, Text: text}
}

func para(text string) form.Block { return form.Block{Text: text} }

func tableRowOf(table, line int, title string, header []string, cells ...string) form.Block {
	return form.Block{Kind: form.Row, Table: table, Line: line, Title: title, Header: header, Cells: cells}
}

func onPage(n int, b form.Block) form.Block { b.Page = n; return b }

// built builds a document and checks what is true of every one.
func built(tb testing.TB, f *form.Document, o Options) *Document {
	tb.Helper()
	d, err := build(f, o)
	if err != nil {
		tb.Fatal(err)
	}
	holds(tb, d)
	return d
}

// TestNumbersOfTheFile holds that the numbers that a format keeps apart from
// the text stand in the text and in the keys.
func TestNumbersOfTheFile(t *testing.T) {
	t.Parallel()
	fees := []string{"Fee", "Amount"}
	for _, tt := range []struct {
		name   string
		blocks []form.Block
		want   string
	}{
		{"three levels", []form.Block{
			head(1, "", "Lending Handbook"), head(2, "4", "Decisions"), head(3, "4.2", "Declining"),
			item(3, "(a)", "Tell the applicant."), item(4, "(i)", "in writing; or"), item(4, "(ii)", "by telephone."), item(3, "(b)", "Say why."),
		}, `
LH 4 | 4 Decisions
LH 4.2 | 4.2 Declining
LH 4.2(a) | (a) Tell the applicant.
LH 4.2(a)(i) | (i) in writing; or
LH 4.2(a)(ii) | (ii) by telephone.
LH 4.2(b) | (b) Say why.
`},
		{"the ninth letter", []form.Block{
			head(1, "4.2", "Steps"), item(2, "(h)", "Eighth."), item(2, "(i)", "Ninth."), item(3, "(i)", "One."), item(2, "(j)", "Tenth."),
		}, `
LH 4.2 | 4.2 Steps
LH 4.2(h) | (h) Eighth.
LH 4.2(i) | (i) Ninth.
LH 4.2(i)(i) | (i) One.
LH 4.2(j) | (j) Tenth.
`},
		{"items only", []form.Block{
			item(1, "4.", "Decisions"), item(2, "4.1", "Granting"), item(2, "4.2", "Declining"), item(3, "(a)", "Tell."), para("Always."), item(3, "(b)", "Say."), item(1, "5.", "Fees"),
		}, `
LH 4 | 4. Decisions
LH 4.1 | 4.1 Granting
LH 4.2 | 4.2 Declining
LH 4.2(a) | (a) Tell.
LH 4.2 ¶1 | Always.
LH 4.2(b) | (b) Say.
LH 5 | 5. Fees
`},
		{"the whole number", []form.Block{
			item(1, "4.2", "Declining"), item(2, "4.2(a)", "Tell."), item(3, "(i)", "now."), item(2, "4.2(b)", "Say."),
		}, `
LH 4.2 | 4.2 Declining
LH 4.2(a) | 4.2(a) Tell.
LH 4.2(a)(i) | (i) now.
LH 4.2(b) | 4.2(b) Say.
`},
		{"one count", []form.Block{
			head(1, "", "Scope"), item(1, "1.", "Who."), item(2, "(a)", "Us."), head(1, "", "Duties"), item(1, "2.", "What."), para("More."), item(2, "a)", "This."),
		}, `
LH § Scope | Scope
LH 1 | 1. Who.
LH 1(a) | (a) Us.
LH § Duties | Duties
LH 2 | 2. What.
LH 2 ¶1 | More.
LH 2(a) | a) This.
`},
		{"lists", []form.Block{
			head(1, "", "Steps"), item(1, "1.", "First."), item(1, "2.", "Second."), head(1, "", "More"), item(1, "1.", "Again."), item(1, "•", "So."), item(2, "o", "And so."), para("End."),
		}, `
LH § Steps | Steps
LH § Steps ¶1 | 1. First.⏎2. Second.
LH § More | More
LH § More ¶1 | 1. Again.
LH § More ¶2 | • So.⏎  • And so.
LH § More ¶3 | End.
`},
		{"numbers that are typed", []form.Block{
			head(1, "", "4.2 Declining"), para("(a) Tell."), para("(b) Say."), para("4.3 The rest."),
		}, `
LH 4.2 | 4.2 Declining
LH 4.2(a) | (a) Tell.
LH 4.2(b) | (b) Say.
LH 4.3 | 4.3 The rest.
`},
		{"words before numbers", []form.Block{
			head(1, "Section 4", "Decisions"), para("A."), head(1, "Article IV", "Roman"), para("B."), head(1, "§ 7", "Sign"),
		}, `
LH 4 | Section 4 Decisions
LH 4 ¶1 | A.
LH § Article IV Roman | Article IV Roman
LH § Article IV Roman ¶1 | B.
LH 7 | § 7 Sign
`},
		{"tables", []form.Block{
			head(1, "4.2", "Fees"), tableRowOf(1, 2, "", fees, "Late", "$35"), tableRowOf(1, 4, "", fees, "Wire", ""), tableRowOf(1, 5, "", fees, "", ""), para("All of them."),
			tableRowOf(2, 1, "Rates", nil, "Prime", "4 %"),
		}, `
LH 4.2 | 4.2 Fees
LH 4.2 ¶1 #1 | Fee | Amount
LH 4.2 ¶1 #2 | Fee: Late | Amount: $35
LH 4.2 ¶1 #3 | Fee: Wire
LH 4.2 ¶2 | All of them.
LH 4.2 ¶3 #1 | Rates
LH 4.2 ¶3 #2 | Prime | 4 %
`},
		{"pages", []form.Block{
			onPage(1, para("One.")), onPage(2, para("Two.")), onPage(2, para("Three.")), onPage(3, tableRowOf(1, 2, "", fees, "Late", "$35")), onPage(4, tableRowOf(1, 3, "", fees, "Wire", "$5")), onPage(4, head(1, "", "Fees")), onPage(5, para("None.")),
		}, `
LH p. 1 ¶1 | One.
LH p. 2 ¶1 | Two.
LH p. 2 ¶2 | Three.
LH p. 3 ¶1 #1 | Fee | Amount
LH p. 3 ¶1 #2 | Fee: Late | Amount: $35
LH p. 3 ¶1 #3 | Fee: Wire | Amount: $5
LH § Fees | Fees
LH § Fees ¶1 | None.
`},
		{"notes and code", []form.Block{
			head(1, "4.2", "Fees"), item(2, "(a)", "None."), {Kind: form.Note, Number: "1", Text: "Not one."}, {Kind: form.Code, Text: "a\n  b\n"}, {Text: " odd\r\nlines\x01 \xff"}, {},
		}, `
LH 4.2 | 4.2 Fees
LH 4.2(a) | (a) None.
LH 4.2 ¶1 | 1 Not one.
LH 4.2 ¶2 | a⏎  b
LH 4.2 ¶3 | odd lines ` + "\uFFFD" + `
`},
	} {
		d := built(t, &form.Document{MediaType: "x", Blocks: tt.blocks}, Options{Code: "LH"})
		if got := "\n" + outline(d); got != tt.want {
			t.Errorf("%s:\ngot %swant %s", tt.name, got, tt.want)
		}
	}
}

// TestWhereRowsStand holds the locators of rows, their pages, and that they hang
// below their table.
func TestWhereRowsStand(t *testing.T) {
	t.Parallel()
	h := []string{"Fee", "Amount"}
	d := built(t, &form.Document{Pages: 3, MediaType: "x", Blocks: []form.Block{
		onPage(1, para("One.")), onPage(2, tableRowOf(1, 2, "", h, "Late", "$35")), onPage(3, tableRowOf(1, 3, "", h, "Wire", "$5")),
		onPage(3, tableRowOf(2, 7, "Rates", h, "Prime", "4 %")),
	}}, Options{Code: "LH", Title: "Fees"})
	var got []string
	for _, p := range d.Passages {
		got = append(got, strings.Join(append([]string{p.Locator, string(p.Kind)}, p.Heading...), " / "))
	}
	want := []string{"p. 1 / paragraph", "p. 2, table 1 / table", "p. 2, table 1, row 2 / table", "p. 3, table 1, row 3 / table", "p. 3, Rates / table", "p. 3, Rates, row 7 / table / Rates"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if p := d.Passages[3]; p.Parent != 1 || p.Page != 3 || d.Passages[1].SpanEnd != p.End {
		t.Errorf("the row on page 3: %+v", p)
	}
}

// TestBesideTheText holds what a document carries that is not its text.
func TestBesideTheText(t *testing.T) {
	t.Parallel()
	f := &form.Document{
		MediaType: "x", Title: "Microsoft Word - draft.doc", Language: "sv", Found: 12, Margins: []string{"Confidential"},
		Comments: []form.Comment{{By: "A", Text: "Really?"}}, Warnings: []string{"p. 3: no text."},
		Flags: []models.Flag{{Kind: models.HiddenText, Text: "psst"}}, Blocks: []form.Block{para("Ett två."), tableRowOf(1, 2, "", []string{"A"}, "b"), tableRowOf(1, 3, "", []string{"A"}, "c")},
	}
	d := built(t, f, Options{Name: "the-fees.docx"})
	if d.Title != "The fees" || d.Language != "sv" || d.Report.Found != 12 || d.Report.Kept != 10 || len(d.Margins) != 1 || len(d.Comments) != 1 || len(d.Warnings) != 1 || len(d.Flags) != 1 {
		t.Errorf("%+v", d)
	}
}

// FuzzBuild gives the builder blocks that no reader should, and holds what is
// true of every document.
func FuzzBuild(f *testing.F) {
	f.Add("h1:4.2:Fees|i2:(a):None|r::Fee~Late~$5|p::x", 3)
	f.Add("i1:1.:a|i2:(i)(A):b|n:1:c|c::d\ne|i1:2.:f|r::~~|h9:§ 4:g", 0)
	f.Add("k:HB 4.2:a|k:HB 4.2(a):b|k:HB 4.2:c|k:no key:d|r::x~y", 2)
	f.Add("h1::4.2 A|p::(a) b (b) c|i0:•:d|i0:o:e|r:T:x|r:T:y", 1)
	f.Fuzz(func(t *testing.T, in string, pages int) {
		d := &form.Document{MediaType: "x", Pages: pages}
		for k, part := range strings.Split(in, "|") {
			fields := strings.SplitN(part, ":", 3)
			if len(fields) < 3 || fields[0] == "" {
				continue
			}
			b := form.Block{Number: fields[1], Text: fields[2], Page: k % (max(pages, 0)%50 + 1)}
			switch fields[0][0] {
			case 'h':
				b.Kind = form.Heading
			case 'i':
				b.Kind = form.Item
			case 'r':
				cells := strings.Split(fields[2], "~")
				b = form.Block{Kind: form.Row, Table: len(fields[1]), Line: k, Title: fields[1], Header: cells[:len(cells)/2], Cells: cells[len(cells)/2:], Page: b.Page}
			case 'c':
				b.Kind = form.Code
			case 'n':
				b.Kind = form.Note
			case 'k':
				b.Key = fields[1]
			}
			if len(fields[0]) > 1 {
				b.Level = int(fields[0][1]) - '0'
			}
			d.Blocks = append(d.Blocks, b)
		}
		doc, err := build(d, Options{Code: "LH"})
		if err != nil {
			if fault.Of(err).Kind == fault.Internal {
				t.Fatal(err)
			}
			return
		}
		holds(t, doc)
	})
}
