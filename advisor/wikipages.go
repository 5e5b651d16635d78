package advisor

import (
	"slices"

	"polaris/models"
)

// Wiki returns the titles of the published articles, by category.
func (e *Engine) Wiki() []models.WikiCategory { return e.wiki.Index() }

// Article returns the article of that title, whatever its case. Where there is
// none it returns a NotFound fault and the nearest titles.
func (e *Engine) Article(title string) (*models.Article, []string, error) {
	return e.wiki.Article(title)
}

// Wiki returns the titles of the articles that may be shown, by category.
func (s *Shown) Wiki() []models.WikiCategory { return s.wiki.Index() }

// Article is Engine.Article, of what may be shown.
func (s *Shown) Article(title string) (*models.Article, []string, error) {
	return s.wiki.Article(title)
}

// Topics is Engine.Topics; anchors on what is suspended count as those that the
// version cannot supply.
func (s *Shown) Topics() []models.Topic {
	out := slices.Clone(s.topics)
	for i := range out {
		out[i].Anchors = slices.Clone(out[i].Anchors)
	}
	if out == nil {
		out = []models.Topic{}
	}
	return out
}

// Partial reports whether anything of the version is not shown.
func (s *Shown) Partial() bool { return len(s.spans) > 0 }
