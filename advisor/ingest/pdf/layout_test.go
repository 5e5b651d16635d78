package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
)

// The lines of a column of running text, long enough to fill it.
func column20(word string) []string {
	var out []string
	for i := range 20 {
		out = append(out, fmt.Sprintf("%s line %d has words enough to fill it", word, i+1))
	}
	return out
}

func TestColumnsAreReadOneAfterTheOther(t *testing.T) {
	t.Parallel()
	left, right := column20("left"), column20("right")
	var b strings.Builder
	b.WriteString(putIn("F2", 150, 740, 18, "A Title Across Both Columns"))
	for i := range left { // the file writes line by line across the page
		b.WriteString(put(60, 700-12*float64(i), 10, left[i]))
		b.WriteString(put(320, 700-12*float64(i), 10, right[i]))
	}
	d := read(t, file{pages: []string{b.String()}}.bytes())
	got := text(d)
	want := "A Title Across Both Columns\n" + strings.Join(left, " ") + " " + strings.Join(right, " ") + "\n"
	if strings.ReplaceAll(got, "\n", " ") != strings.ReplaceAll(want, "\n", " ") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if d.Blocks[0].Kind != form.Heading || d.Title != "A Title Across Both Columns" {
		t.Errorf("got %v, title %q", d.Blocks[0], d.Title)
	}
}

func TestWhatRepeatsIsMargin(t *testing.T) {
	t.Parallel()
	var pages []string
	for i := range 4 {
		pages = append(pages, put(60, 760, 9, "Lending Policy of the Bank")+
			lines(60, 700, 11, fmt.Sprintf("Page %s begins with a line of its own, which goes on and on", []string{"one", "two", "three", "four"}[i]), "and ends here.")+
			put(280, 30, 9, fmt.Sprintf("Page %d of 4", i+1)))
	}
	d := read(t, file{pages: pages}.bytes())
	if want := []string{"Lending Policy of the Bank", "Page 1 of 4"}; !slices.Equal(d.Margins, want) {
		t.Errorf("margins %q, want %q", d.Margins, want)
	}
	for i, b := range d.Blocks {
		if b.Page != i+1 || !strings.HasSuffix(b.Text, "on and on and ends here.") {
			t.Errorf("block %d is %+v", i, b)
		}
	}
	if len(d.Blocks) != 4 {
		t.Errorf("%d blocks, want 4", len(d.Blocks))
	}
}

// ruled draws a table of three columns from y down, with lines around each cell.
func ruled(y float64, rows ...[]string) string {
	var b strings.Builder
	xs := []float64{60, 200, 340, 480}
	for i, r := range rows {
		font := "F1"
		if r[0] == "Fee" {
			font = "F2"
		}
		for c, s := range r {
			b.WriteString(putIn(font, xs[c]+4, y-20*float64(i)-14, 10, s))
		}
	}
	for i := range len(rows) + 1 {
		b.WriteString(rule(xs[0], y-20*float64(i), xs[3], y-20*float64(i)))
	}
	for _, x := range xs {
		b.WriteString(rule(x, y, x, y-20*float64(len(rows))))
	}
	return b.String()
}

func TestATableOverTwoPagesKeepsItsHeader(t *testing.T) {
	t.Parallel()
	head := []string{"Fee", "Consumer", "Business"}
	d := read(t, file{pages: []string{
		put(60, 700, 11, "The fees are these.") + ruled(680, head, []string{"Wire", "$25", "$40"}, []string{"Stop payment", "$30", "$35"}),
		ruled(740, head, []string{"Overdraft", "$34", "$36"}, []string{"Copy", "", "$5"}) + put(60, 600, 11, "They are in force."),
	}}.bytes())
	want := [][]string{{"Wire", "$25", "$40"}, {"Stop payment", "$30", "$35"}, {"Overdraft", "$34", "$36"}, {"Copy", "", "$5"}}
	var got [][]string
	for _, b := range d.Blocks {
		if b.Kind != form.Row {
			continue
		}
		got = append(got, b.Cells)
		if !slices.Equal(b.Header, head) || b.Table != 1 || b.Line != len(got)+1 || b.Page != (len(got)+1)/2 {
			t.Errorf("row %+v", b)
		}
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q", got, want)
	}
	if s := text(d); !strings.HasPrefix(s, "The fees are these.\n") || !strings.HasSuffix(s, "They are in force.\n") {
		t.Errorf("got %q", s)
	}
}

func TestATableWithoutLines(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(put(60, 740, 10, "The limits of the branches are set out below, and they hold until they are changed by the board."))
	for i, r := range [][]string{{"Branch", "Limit", "Approver"}, {"North", "10,000", "Manager"}, {"South", "25,000", "Director"}, {"East", "5,500", "Manager"}, {"West", "90,000", "Board"}} {
		for c, s := range r {
			b.WriteString(put([]float64{60, 220, 380}[c], 700-14*float64(i), 10, s))
		}
	}
	d := read(t, file{pages: []string{b.String()}}.bytes())
	var rows []form.Block
	for _, x := range d.Blocks {
		if x.Kind == form.Row {
			rows = append(rows, x)
		}
	}
	if len(rows) != 4 || !slices.Equal(rows[1].Cells, []string{"South", "25,000", "Director"}) || !slices.Equal(rows[1].Header, []string{"Branch", "Limit", "Approver"}) {
		t.Errorf("got %+v", d.Blocks)
	}
}

func TestMergedCells(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, w := range []struct {
		x, y float64
		s    string
	}{{64, 666, "Product"}, {250, 686, "Rate in percent"}, {204, 666, "Fixed"}, {344, 666, "Variable"}, {64, 646, "Loan"}, {204, 646, "4.5"}, {344, 646, "3.9"}, {64, 626, "Card"}, {204, 626, "19.9"}, {344, 626, "18.0"}} {
		b.WriteString(put(w.x, w.y, 10, w.s))
	}
	for _, r := range [][4]float64{
		{60, 700, 480, 700},
		{200, 680, 480, 680},
		{60, 660, 480, 660},
		{60, 640, 480, 640},
		{60, 620, 480, 620},
		{60, 620, 60, 700},
		{200, 620, 200, 700},
		{340, 620, 340, 680},
		{480, 620, 480, 700},
	} {
		b.WriteString(rule(r[0], r[1], r[2], r[3]))
	}
	d := read(t, file{pages: []string{b.String()}}.bytes())
	if len(d.Blocks) != 2 || !slices.Equal(d.Blocks[0].Header, []string{"Product", "Rate in percent / Fixed", "Rate in percent / Variable"}) || !slices.Equal(d.Blocks[1].Cells, []string{"Card", "19.9", "18.0"}) {
		t.Errorf("got %+v", d.Blocks)
	}
}

func TestHeadingsListsAndNotes(t *testing.T) {
	t.Parallel()
	page := putIn("F2", 60, 740, 16, "1 Scope of the Policy") +
		lines(60, 710, 10, "This policy covers every loan that the bank makes to a consumer, and it com-", "plements the general terms, which are in force from the first of the month.") +
		putIn("F2", 60, 670, 10, "1.1 Who decides") +
		put(60, 650, 10, "A loan is decided on by the following people, in this order, and by no others at all:") +
		put(70, 636, 10, "(a) the branch manager, where the sum is small enough for the manager to decide,") +
		put(88, 622, 10, "(i) alone, or") +
		put(88, 608, 10, "(ii) with a second signature,") +
		put(70, 594, 10, "(b) the board.") +
		put(60, 560, 10, "The board meets weekly") + put(162, 564, 6, "3") + put(169, 560, 10, "and keeps minutes of what it has decided on, by whom and why.") +
		put(60, 80, 8, "3 Its meetings are on Mondays.")
	d := read(t, file{pages: []string{page}}.bytes())
	want := []form.Block{
		{Kind: form.Heading, Level: 1, Page: 1, Text: "1 Scope of the Policy"},
		{Page: 1, Text: "This policy covers every loan that the bank makes to a consumer, and it complements the general terms, which are in force from the first of the month."},
		{Kind: form.Heading, Level: 2, Page: 1, Text: "1.1 Who decides"},
		{Page: 1, Text: "A loan is decided on by the following people, in this order, and by no others at all:"},
		{Kind: form.Item, Level: 1, Page: 1, Number: "(a)", Text: "the branch manager, where the sum is small enough for the manager to decide,"},
		{Kind: form.Item, Level: 2, Page: 1, Number: "(i)", Text: "alone, or"},
		{Kind: form.Item, Level: 2, Page: 1, Number: "(ii)", Text: "with a second signature,"},
		{Kind: form.Item, Level: 1, Page: 1, Number: "(b)", Text: "the board."},
		{Page: 1, Text: "The board meets weekly³ and keeps minutes of what it has decided on, by whom and why."},
		{Kind: form.Note, Page: 1, Number: "3", Text: "Its meetings are on Mondays."},
	}
	for i := range max(len(want), len(d.Blocks)) {
		if i >= len(d.Blocks) || i >= len(want) || fmt.Sprintf("%+v", d.Blocks[i]) != fmt.Sprintf("%+v", want[i]) {
			t.Errorf("block %d: got %+v", i, d.Blocks[min(i, len(d.Blocks)-1)])
		}
	}
}

func TestAParagraphGoesOnOnTheNextPage(t *testing.T) {
	t.Parallel()
	d := read(t, file{pages: []string{
		lines(60, 700, 10, "The bank keeps the records of a loan for seven years after the loan has been repaid, and it"),
		lines(60, 740, 10, "destroys them in the year that follows. Nothing is kept for longer than that."),
	}}.bytes())
	if len(d.Blocks) != 1 || d.Blocks[0].Page != 1 || !strings.Contains(d.Blocks[0].Text, "and it destroys them") {
		t.Errorf("got %+v", d.Blocks)
	}
}

func TestTextAcrossThePageIsKept(t *testing.T) {
	t.Parallel()
	page := lines(100, 700, 10, "The text of the page is level, as it should be.", "It has a second line.") +
		"BT /F1 9 Tf 0 1 -1 0 40 200 Tm (Stamped on the side) Tj ET\n"
	got := text(read(t, file{pages: []string{page}}.bytes()))
	if !strings.Contains(got, "Stamped on the side\n") || !strings.HasPrefix(got, "The text of the page is level, as it should be. It has a second line.") {
		t.Errorf("got %q", got)
	}
	turned := file{pages: []string{"BT /F1 10 Tf 0 1 -1 0 100 100 Tm (First line of a page on its side) Tj ET\nBT /F1 10 Tf 0 1 -1 0 112 100 Tm (and its second.) Tj ET\n"}, page: "/Rotate 90"}
	if got := text(read(t, turned.bytes())); got != "First line of a page on its side and its second.\n" {
		t.Errorf("turned page: got %q", got)
	}
}
