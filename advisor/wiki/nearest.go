package wiki

import (
	"cmp"
	"slices"
	"strings"
)

// nearest returns the titles most like what was asked for, at most five, by the
// three-letter pieces that they share.
func (w *Wiki) nearest(title string) []string {
	asked := pieces(title)
	type near struct {
		title string
		share float64
	}
	var all []near
	for _, e := range w.entries {
		p := pieces(e.title)
		common := 0
		for x := range asked {
			if p[x] {
				common++
			}
		}
		if s := 2 * float64(common) / float64(len(asked)+len(p)); s >= 0.15 {
			all = append(all, near{e.title, s})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(b.share, a.share) })
	out := []string{}
	for _, n := range all[:min(5, len(all))] {
		out = append(out, n.title)
	}
	return out
}

// pieces cuts a title, of which only the beginning counts, into overlapping
// runs of three characters, its edges marked by spaces.
func pieces(s string) map[string]bool {
	r := []rune("  " + strings.ToLower(line(s)) + " ")
	r = r[:min(len(r), 200)]
	m := map[string]bool{}
	for i := 0; i+3 <= len(r); i++ {
		m[string(r[i:i+3])] = true
	}
	return m
}
