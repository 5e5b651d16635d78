// Package bench measures how well and how fast passages are found, on a
// retrieval set: a folder with corpus.jsonl {id, title, text}, queries.jsonl
// {id, text} and qrels.tsv (a header line; then query, document, grade).
//
// It measures the ranking alone, without keys, cards or refusal, so that its
// numbers can be compared with those published for such sets.
package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"polaris/advisor/index"
	"polaris/models/fault"
)

// A Report holds the measures of one retrieval set, each averaged over the
// questions that have a relevant document.
type Report struct {
	Queries    int     `json:"queries"`
	Documents  int     `json:"documents"`
	NDCG10     float64 `json:"ndcg_10"`
	Recall10   float64 `json:"recall_10"`
	Recall20   float64 `json:"recall_20"`
	Recall100  float64 `json:"recall_100"`
	MAP10      float64 `json:"map_10"`
	P50ms      float64 `json:"p50_ms"` // of one search, in milliseconds
	P99ms      float64 `json:"p99_ms"`
	BuildMs    float64 `json:"build_ms"`
	IndexBytes int64   `json:"index_bytes"`
}

// depth is how far down a ranking is read.
const depth = 100

// Retrieval measures the set in the folder dir. A folder that is none is an
// Invalid fault that says which file is at fault.
func Retrieval(dir string) (Report, error) {
	set, err := Load(dir)
	if err != nil {
		return Report{}, err
	}
	docs := make([]index.Doc, len(set.Docs))
	for i, d := range set.Docs {
		docs[i] = index.Doc{Title: d.Title, Text: d.Text, English: true}
	}
	start := time.Now()
	x := index.Build(docs)
	r := Report{Documents: len(docs), BuildMs: ms(time.Since(start)), IndexBytes: x.Bytes()}
	var took []time.Duration
	for _, q := range set.Queries {
		rel := set.Grades[q.ID]
		if len(rel) == 0 {
			continue
		}
		start := time.Now()
		hits := x.Search(x.Query(q.Text), depth)
		took = append(took, time.Since(start))
		ids := make([]string, len(hits))
		for i, h := range hits {
			ids[i] = set.Docs[h.Doc].ID
		}
		r.add(ids, rel)
	}
	r.Queries = len(took)
	if r.Queries == 0 {
		return r, fault.Field("dir", "%s has no question with a relevant document.", dir)
	}
	n := float64(r.Queries)
	for _, m := range []*float64{&r.NDCG10, &r.Recall10, &r.Recall20, &r.Recall100, &r.MAP10} {
		*m /= n
	}
	slices.Sort(took)
	r.P50ms, r.P99ms = ms(took[len(took)/2]), ms(took[len(took)*99/100])
	return r, nil
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// add scores one ranking against the grades of the documents that are relevant.
func (r *Report) add(ranking []string, grades map[string]int) {
	var dcg, ideal, ap float64
	found, in10, in20 := 0, 0, 0
	for i, id := range ranking {
		g := grades[id]
		if g <= 0 {
			continue
		}
		found++
		if i < 20 {
			in20++
		}
		if i < 10 {
			in10++
			dcg += float64(g) / math.Log2(float64(i+2))
			ap += float64(found) / float64(i+1)
		}
	}
	var best []int
	for _, g := range grades {
		best = append(best, g)
	}
	slices.SortFunc(best, func(a, b int) int { return b - a })
	for i, g := range best[:min(10, len(best))] {
		ideal += float64(g) / math.Log2(float64(i+2))
	}
	n := float64(len(grades))
	r.NDCG10 += dcg / ideal
	r.Recall10 += float64(in10) / n
	r.Recall20 += float64(in20) / n
	r.Recall100 += float64(found) / n
	r.MAP10 += ap / n
}

// A Set is a retrieval set in memory.
type Set struct {
	Docs    []Text
	Queries []Text
	Grades  map[string]map[string]int // question -> document -> grade above 0
}

// A Text is a document or a question.
type Text struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Load reads the set in the folder dir.
func Load(dir string) (*Set, error) {
	s := &Set{Grades: map[string]map[string]int{}}
	var err error
	if s.Docs, err = texts(filepath.Join(dir, "corpus.jsonl")); err != nil {
		return nil, err
	}
	if s.Queries, err = texts(filepath.Join(dir, "queries.jsonl")); err != nil {
		return nil, err
	}
	return s, s.readGrades(filepath.Join(dir, "qrels.tsv"))
}

func texts(path string) ([]Text, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Field("dir", "A retrieval set needs a readable file %s.", path).Because(err)
	}
	defer f.Close()
	var out []Text
	for d := json.NewDecoder(f); ; {
		var t Text
		if err := d.Decode(&t); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fault.Field("dir", "%s, record %d: not a JSON object with id and text.", path, len(out)+1).Because(err)
		}
		out = append(out, t)
	}
}

func (s *Set) readGrades(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fault.Field("dir", "A retrieval set needs a readable file %s.", path).Because(err)
	}
	for i, line := range strings.Split(string(text), "\n")[1:] {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		col := strings.Split(line, "\t")
		g, err := strconv.Atoi(col[len(col)-1])
		if len(col) != 3 || err != nil {
			return fault.Field("dir", "%s, line %d: want query, document and grade, parted by tabs.", path, i+2)
		}
		if g <= 0 {
			continue
		}
		if s.Grades[col[0]] == nil {
			s.Grades[col[0]] = map[string]int{}
		}
		s.Grades[col[0]][col[1]] = g
	}
	return nil
}

// String is the report as one line of a table.
func (r Report) String() string {
	return fmt.Sprintf("nDCG@10 %.3f  R@10 %.3f  R@20 %.3f  R@100 %.3f  MAP@10 %.3f  p50 %.3f ms  p99 %.3f ms  build %.0f ms  index %.1f MB  (%d questions, %d documents)",
		r.NDCG10, r.Recall10, r.Recall20, r.Recall100, r.MAP10, r.P50ms, r.P99ms, r.BuildMs, float64(r.IndexBytes)/1e6, r.Queries, r.Documents)
}
