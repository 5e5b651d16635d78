package cite

import (
	"cmp"
	"strconv"
	"strings"
)

// Compare puts citations in the order of their documents: sources by name, then
// 1002.2 before 1002.10, (b) before (aa), (v) before (ix) where the level is
// numbered in Roman numerals, appendices after sections, comments last.
func Compare(a, b Ref) int {
	ap, as := a.split()
	bp, bs := b.split()
	return cmp.Or(
		strings.Compare(a.Code, b.Code),
		natural(a.Title, b.Title),
		strings.Compare(a.System, b.System),
		natural(ap, bp),
		cmp.Compare(a.rank(), b.rank()),
		natural(as, bs),
		natural(a.Letter, b.Letter),
		strings.Compare(a.Unit, b.Unit),
		levels(strings.Split(a.Item, "."), strings.Split(b.Item, ".")),
		levels(paras(a.Paras), paras(b.Paras)),
		levels(pathLevels(a.Path), pathLevels(b.Path)),
		strings.Compare(a.Heading, b.Heading),
		natural(a.Page, b.Page),
		cmp.Compare(a.Block, b.Block),
		cmp.Compare(a.Nth, b.Nth),
		strings.Compare(a.String(), b.String()),
	)
}

// rank orders the kinds within a part. Comments on the introduction come before
// those on sections, and those on appendices after.
func (r Ref) rank() int {
	switch {
	case r.Kind == Part:
		return 0
	case r.Kind == Provision:
		return 1
	case r.Kind == Appendix:
		return 2
	case r.Kind == Supplement:
		return 3
	case r.Letter == intro:
		return 4
	case r.Letter == "":
		return 5
	}
	return 6
}

// natural compares numbers as numbers and what is between them as letters:
// 2 < 10, 1681 < 1681a < 1681c < 1681c-1 < 1681aa.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := run(a), run(b)
		if c := compareRuns(x, y); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(len(a), len(b))
}

// run returns the leading digits of s, or what stands before its first digit.
func run(s string) string {
	digits := isDigit(s[0])
	for i := 1; i < len(s); i++ {
		if isDigit(s[i]) != digits {
			return s[:i]
		}
	}
	return s
}

func compareRuns(x, y string) int {
	if isDigit(x[0]) && isDigit(y[0]) {
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
	}
	if isLetter(x[0]) && isLetter(y[0]) { // "c-" sorts with "c", "aa" after "z"
		lx, ly := strings.TrimRight(x, "-"), strings.TrimRight(y, "-")
		return cmp.Or(cmp.Compare(len(lx), len(ly)), strings.Compare(strings.ToLower(x), strings.ToLower(y)))
	}
	return strings.Compare(x, y)
}

// paras splits "(a)(1)" into "a" and "1".
func paras(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s[1:], ")"), ")(")
}

// pathLevels splits "1.iii". The empty level in front makes its letters stand
// where those of paragraphs do: the second level of a comment is Roman.
func pathLevels(s string) []string {
	if s == "" {
		return nil
	}
	return append([]string{""}, strings.Split(s, ".")...)
}

// levels compares two paths of enumerators; a path sorts before what continues
// it.
func levels(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if c := cmp.Or(cmp.Compare(ordinal(a, i), ordinal(b, i)), strings.Compare(a[i], b[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// ordinal returns the place of the enumerator at level i of its list. Whether i,
// v and x are letters or numerals follows from what stands above: regulations
// count (a)(1)(i)(A), statutes (a)(1)(A)(i)(I), so small letters are numerals
// from the third level on, or right below small letters, and capitals are
// numerals where capitals stand above.
func ordinal(path []string, i int) int {
	e := path[i]
	if e == "" {
		return 0
	}
	if isDigit(e[0]) {
		n, _ := strconv.Atoi(e)
		return n
	}
	roman := i >= 2
	if i == 1 {
		roman = path[0] != "" && isLower(path[0][0])
	}
	if isUpper(e[0]) {
		roman = false
		for _, above := range path[:i] {
			roman = roman || above != "" && isUpper(above[0])
		}
	}
	if n := Roman(e); roman && n > 0 {
		return n
	}
	return letterValue(e)
}
