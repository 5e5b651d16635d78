package ingest

import (
	"fmt"
	"strconv"
	"strings"

	"polaris/advisor/cite"
	"polaris/models"
	"polaris/models/fault"
)

// A node is a passage in the making.
type node struct {
	ref        cite.Ref
	kind       models.PassageKind
	title      string // what it adds to the heading path of those below it
	parent     int    // -1 at the top
	start, end int
	page       int
	locator    string // where the ref does not say it best
}

// A tree collects passages in document order. Each is added below one that is
// still open: the last one, or one above that.
type tree struct {
	nodes  []node
	blocks map[cite.Ref]int // how many unnumbered blocks were given out under a ref
	terms  []models.Term
	warn   []string
}

func newTree() *tree { return &tree{blocks: map[cite.Ref]int{}} }

func (t *tree) add(n node) int {
	t.nodes = append(t.nodes, n)
	return len(t.nodes) - 1
}

// block returns the ref of the next unnumbered block under r.
func (t *tree) block(r cite.Ref) cite.Ref {
	r.Block = 0
	t.blocks[r]++
	r.Block = t.blocks[r]
	return r
}

func (t *tree) warning(format string, args ...any) {
	t.warn = append(t.warn, fmt.Sprintf(format, args...))
}

// passages closes the tree.
func (t *tree) passages() ([]models.Passage, error) {
	if len(t.nodes) == 0 {
		return nil, fault.New(fault.Unreadable, "The document has no text that could be cited.")
	}
	if len(t.nodes) > MaxPassages {
		return nil, fault.New(fault.TooLarge, "The document has more than %d passages. Split it and import the parts.", MaxPassages)
	}
	t.number()
	out := make([]models.Passage, len(t.nodes))
	headings := make([][]string, len(t.nodes)) // of those below each
	for i, n := range t.nodes {
		var above []string
		if n.parent >= 0 {
			above = headings[n.parent]
		}
		headings[i] = above
		if n.title != "" {
			headings[i] = append(above[:len(above):len(above)], n.title)
		}
		if above == nil {
			above = []string{}
		}
		out[i] = models.Passage{
			Ordinal: i, Parent: n.parent, Kind: n.kind, Key: n.ref.String(), Locator: n.locator,
			Heading: above, Start: n.start, End: n.end, SpanEnd: n.end, Page: n.page,
		}
		if n.locator == "" {
			out[i].Locator = n.ref.Locator()
		}
	}
	for i := len(out) - 1; i >= 0; i-- {
		if p := out[i].Parent; p >= 0 {
			out[p].SpanEnd = max(out[p].SpanEnd, out[i].SpanEnd)
		}
	}
	return out, nil
}

// number tells passages apart to which the document gives the same number. All
// of them get an #n, so that the number alone still names every one.
func (t *tree) number() {
	seen := make(map[string]int, len(t.nodes))
	for i := range t.nodes {
		seen[t.nodes[i].ref.String()]++
	}
	next := map[string]int{}
	for i := range t.nodes {
		key := t.nodes[i].ref.String()
		if seen[key] < 2 {
			continue
		}
		if next[key]++; next[key] == 1 {
			t.warning("%s stands for %d different passages; they are told apart as %s #1 to #%d.", key, seen[key], key, seen[key])
		}
		t.nodes[i].ref.Nth = next[key]
	}
}

// heading returns the ref of an unnumbered heading, by its path. It takes what
// package cite reads back, so that the key is canonical.
func heading(code string, path []string) cite.Ref {
	levels := make([]string, 0, len(path))
	for _, p := range path {
		if l := clip(cite.CleanHeading(p), 80); l != "" {
			levels = append(levels, l)
		}
	}
	for len(levels) > 0 {
		h := strings.Join(levels, cite.Separator)
		r, err := cite.Parse(code + " § " + h)
		if err == nil && r.Code == code && len(h) < 400 {
			return r
		}
		levels = levels[1:] // too long, or of a kind that would not be read back
	}
	return cite.Ref{Code: code}
}

// clip cuts s after a word, at most n bytes in.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	if k := strings.LastIndexByte(s[:n], ' '); k > n/2 {
		n = k
	}
	return cite.CleanHeading(s[:n])
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + "."
	}
	return strconv.Itoa(n) + " " + noun + "s."
}
