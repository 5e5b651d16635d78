package wiki

import (
	"cmp"
	"slices"
	"strings"

	"polaris/advisor/index"
)

// mentions finds the names of defined terms in text: the words of a name in
// order, the last one also in the plural. Where names overlap the longest wins,
// as "consumer report" does over "consumer".
type mentions map[string][]name // first word -> names, longest first

type name struct {
	words []string
	title string
}

func newMentions(entries []entry) mentions {
	m := mentions{}
	for _, e := range entries {
		if e.category != Terms {
			continue
		}
		var ws []string
		index.Words(e.title, func(w []byte, _, _ int) { ws = append(ws, string(w)) })
		if len(ws) == 0 || len(ws) == 1 && len(ws[0]) < 3 {
			continue
		}
		firsts := []string{ws[0]}
		if len(ws) == 1 {
			firsts = append(firsts, plural(ws[0])...)
		}
		for _, f := range firsts {
			m[f] = append(m[f], name{ws, e.title})
		}
	}
	for f := range m {
		slices.SortStableFunc(m[f], func(a, b name) int { return cmp.Compare(len(b.words), len(a.words)) })
	}
	return m
}

func plural(w string) []string {
	if y, ok := strings.CutSuffix(w, "y"); ok {
		return []string{y + "ies", w + "s"}
	}
	return []string{w + "s", w + "es"}
}

// Mentioned returns the defined terms that a text mentions, in the order in
// which it does, at most n, or all of them where n is 0.
func (w *Wiki) Mentioned(text string, n int) (out []string) {
	if len(w.mentions) == 0 {
		return nil
	}
	var ws []string
	index.Words(text, func(b []byte, _, _ int) { ws = append(ws, string(b)) })
	for i := 0; i < len(ws); i++ {
		for _, cand := range w.mentions[ws[i]] {
			if !cand.at(ws[i:]) {
				continue
			}
			if !slices.Contains(out, cand.title) {
				out = append(out, cand.title)
			}
			i += len(cand.words) - 1
			break
		}
		if n > 0 && len(out) == n {
			break
		}
	}
	return out
}

// at reports whether ws begins with the name.
func (n name) at(ws []string) bool {
	if len(ws) < len(n.words) {
		return false
	}
	last := len(n.words) - 1
	if !slices.Equal(ws[:last], n.words[:last]) {
		return false
	}
	return ws[last] == n.words[last] || slices.Contains(plural(n.words[last]), ws[last])
}
