package ops

import (
	"regexp"
	"slices"
	"strings"

	"polaris/advisor"
	"polaris/advisor/cite"
	"polaris/models"
	"polaris/models/store"
)

// lackingAnchors returns those anchors that the draft cannot supply, as an engine of it
// would find. Keys that are there as they stand are looked up by an index; for
// others only those keys are read that they could mean.
func lackingAnchors(tx *store.Tx, anchors []string) ([]string, error) {
	there, err := tx.KeysThere(distinct(anchors))
	if err != nil {
		return nil, err
	}
	exact := make(map[string]bool, len(there))
	for _, k := range there {
		exact[k] = true
	}
	var open []string
	for _, a := range anchors {
		if !exact[a] {
			open = append(open, a)
		}
	}
	if len(open) == 0 {
		return []string{}, nil
	}
	c, err := candidates(tx, open)
	if err != nil {
		return nil, err
	}
	return advisor.Lacking(c, open), nil
}

// candidates returns the keys of the draft that one of the references could mean.
func candidates(tx *store.Tx, refs []string) (*models.Corpus, error) {
	var texts []string
	for _, a := range refs {
		if r, err := cite.Parse(a); err == nil {
			texts = append(texts, inKeys(r))
		}
	}
	return tx.KeysWith(distinct(texts))
}

var plainRun = regexp.MustCompile(`[0-9A-Za-z]+`)

// inKeys returns a text that every key has in it which the reference can mean,
// however either is punctuated: its longest plain run. "" is in any.
func inKeys(r cite.Ref) string {
	for _, part := range []string{r.Heading, r.Page, r.Number, r.Letter} {
		best := ""
		for _, run := range plainRun.FindAllString(part, -1) {
			if len(run) > len(best) {
				best = run
			}
		}
		if best != "" {
			return strings.ToLower(best)
		}
	}
	return ""
}

// distinct returns the texts, each once, sorted.
func distinct(texts []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(texts)))
}

// sharedAnchors returns for each card the ids of the others that are anchored on
// one of its anchors.
func sharedAnchors(tx *store.Tx, cards []models.TopicCard) (map[string][]string, error) {
	var anchors []string
	for _, c := range cards {
		anchors = append(anchors, c.Anchors...)
	}
	all, err := tx.CardsWithAnchors(distinct(anchors))
	if err != nil {
		return nil, err
	}
	on := map[string][]string{} // anchor -> ids
	for _, c := range all {
		for _, a := range distinct(c.Anchors) {
			on[a] = append(on[a], c.ID)
		}
	}
	shared := map[string][]string{}
	for _, c := range cards {
		var others []string
		for _, a := range c.Anchors {
			for _, id := range on[a] {
				if id != c.ID {
					others = append(others, id)
				}
			}
		}
		if others = distinct(others); len(others) > 0 {
			shared[c.ID] = others
		}
	}
	return shared, nil
}
