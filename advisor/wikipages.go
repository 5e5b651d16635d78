package advisor

import "polaris/models"

// Wiki returns the titles of the published articles, by category.
func (e *Engine) Wiki() []models.WikiCategory { return e.wiki.Index() }

// Article returns the article of that title, whatever its case. Where there is
// none it returns a NotFound fault and the nearest titles.
func (e *Engine) Article(title string) (*models.Article, []string, error) {
	return e.wiki.Article(title)
}
