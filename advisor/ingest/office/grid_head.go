package office

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// head returns how many rows at the top are no rows of the body, and how many of
// them are the table's title: a first row that is one cell over the whole width.
func (g *grid) head(rows [][]cell) (top, title int) {
	top = min(g.header, len(rows), maxHeads)
	for _, r := range rows[:min(max(top, 1), len(rows))] {
		for _, c := range r {
			if len(c.text) > maxHead {
				return 0, 0
			}
		}
	}
	if g.marked {
		return under(rows, top), 0
	}
	if top == 1 && form2(rows) {
		top = 0
	}
	switch {
	case len(rows) > 2 && titled(rows) && (top == 1 || g.guess):
		top, title = 1, 1
		if named(rows[1:]) {
			top = 2
		}
	case top == 0 && g.guess && named(rows):
		top = 1
	}
	if top == 1 && title == 0 && grouped(rows) {
		top = 2
	}
	if under(rows, top) == 0 {
		return 0, 0
	}
	return top, title
}

// under returns top, or nothing where there is no body under the header: it is
// the table then.
func under(rows [][]cell, top int) int {
	for _, r := range rows[top:] {
		if len(texts(r)) > 0 {
			return top
		}
	}
	return 0
}

func titled(rows [][]cell) bool {
	first := rows[0]
	return len(first) > 1 && len(first) >= len(rows[1]) && first[0].text != "" && alone(first)
}

// alone reports whether the first cell of a row covers all others.
func alone(row []cell) bool {
	for _, c := range row[1:] {
		if c.cols >= 0 {
			return false
		}
	}
	return true
}

// maxName is how many characters a column's name has at most.
const maxName = 60

// named reports whether the first of the rows may name the columns: each has a
// short name that no other has and that is no value, but for the corner. A form
// of two columns has labels on the left instead.
func named(rows [][]cell) bool {
	if len(rows) < 2 || len(rows[0]) < 2 || form2(rows) {
		return false
	}
	seen := map[string]bool{}
	for i, c := range rows[0] {
		if c.cols < 0 || c.text == "" && i == 0 {
			continue
		}
		if c.text == "" || seen[c.text] || value(c.text) && !year.MatchString(c.text) || utf8.RuneCountInString(c.text) > maxName {
			return false
		}
		seen[c.text] = true
	}
	return len(rows[0]) >= len(rows[1]) && len(seen) > 0
}

// year is a number that names a column more often than not.
var year = regexp.MustCompile(`^(?:19|20)[0-9]{2}$`)

// grouped reports whether the first row names groups of columns, each over names
// of its own, and nothing else is in the second row.
func grouped(rows [][]cell) bool {
	if len(rows) < 3 {
		return false
	}
	under := false
	for i, c := range rows[0] {
		if c.cols >= 0 && (i+1 == len(rows[0]) || rows[0][i+1].cols >= 0) { // a column of its own
			if i < len(rows[1]) && !rows[1][i].below && rows[1][i].text != "" {
				return false
			}
			continue
		}
		if i >= len(rows[1]) || rows[1][i].cols < 0 || rows[1][i].text == "" || value(rows[1][i].text) && !year.MatchString(rows[1][i].text) {
			return false
		}
		under = true
	}
	return under
}

// form2 reports whether a table of two columns is a form: most of its first
// column are labels that end with a colon.
func form2(rows [][]cell) bool {
	labels := 0
	for _, r := range rows {
		if len(r) > 2 {
			return false
		}
		if len(r) > 0 && strings.HasSuffix(r[0].text, ":") {
			labels++
		}
	}
	return 2*labels > len(rows)
}

// value reports whether a cell holds a number, a date or an amount.
func value(s string) bool {
	digits, letters := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > 0 && letters <= max(3, digits)
}

// names returns the columns' names: those of several header rows one after the
// other.
func names(rows [][]cell) []string {
	var out []string
	for _, r := range rows {
		over := ""
		for i, c := range r {
			if i == len(out) {
				out = append(out, "")
			}
			if c.cols >= 0 {
				over = c.text
			}
			switch {
			case over == "" || out[i] == over || strings.HasSuffix(out[i], " / "+over):
			case out[i] == "":
				out[i] = over
			default:
				out[i] += " / " + over
			}
		}
	}
	for _, name := range out {
		if name != "" {
			return out
		}
	}
	return nil
}
