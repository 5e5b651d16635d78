package retrieve_test

import (
	"testing"

	"polaris/advisor/ingest"
	"polaris/advisor/retrieve"
	"polaris/models"
)

// Of passages that have the same words of a question, the one that has the kind
// of answer asked for scores higher, and higher still where it has it in one
// sentence with them.
func TestTheKindOfAnswerScores(t *testing.T) {
	t.Parallel()
	const rules = "# Rules\n\n## 1 Parcels\n\n" +
		"(a) A damaged parcel is reported to the depot.\n\n" +
		"(b) A damaged parcel is photographed. The depot is told within 3 days.\n\n" +
		"(c) A damaged parcel is told to the depot within 3 days.\n"
	d, err := ingest.Parse([]byte(rules), ingest.Options{Name: "rules.md", Code: "R"})
	if err != nil {
		t.Fatal(err)
	}
	f := retrieve.New(&models.Corpus{Docs: []models.Doc{{Source: models.Source{Code: "R"}, Revision: models.Revision{Text: d.Text}, Passages: d.Passages}}})
	score := map[string]float64{}
	for _, r := range f.Ranked(f.Index().Query("How soon must the depot hear of a damaged parcel?"), 10) {
		score[f.Passage(r.Ref).Key] = r.Score
	}
	for _, r := range f.Ranked(f.Index().Query("How soon is a damaged parcel told to the depot?"), 10) {
		score["told "+f.Passage(r.Ref).Key] = r.Score
	}
	if score["R 1(a)"] >= score["R 1(b)"] || score["told R 1(b)"] >= score["told R 1(c)"] || score["R 1(a)"] == 0 {
		t.Errorf("scores %v", score)
	}
}
