package bench

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"polaris/advisor/index"
	"polaris/models/fault"
)

// A Chosen holds how well the sentence is chosen that carries a claim.
type Chosen struct {
	Claims int     `json:"claims"`
	Hit1   float64 `json:"hit_1"` // share whose best sentence is one of those that carry it
	Hit3   float64 `json:"hit_3"` // that has one among the best three
}

// A Chooser orders the sentences of one text for a question, the best first, as
// places among them. The index holds all texts of the set.
type Chooser func(x *index.Index, question string, sentences []string) []int

// A sentenceRow is a line of the file.
type sentenceRow struct {
	Claim     string   `json:"claim"`
	Sentences []string `json:"sentences"`
	Gold      []int    `json:"gold"` // places of those that carry the claim
}

// Sentences measures a choice of sentences on a file of JSON lines {claim,
// sentences, gold}. A file that is none is an Invalid fault. The hits of each
// claim, at 1 and at 3, are what a paired comparison needs.
func Sentences(path string, choose Chooser) (Chosen, [][2]float64, error) {
	rows, err := sentenceRows(path)
	if err != nil {
		return Chosen{}, nil, err
	}
	docs := make([]index.Doc, len(rows))
	for i, r := range rows {
		docs[i] = index.Doc{Text: strings.Join(r.Sentences, " "), English: true}
	}
	x := index.Build(docs)
	out := Chosen{Claims: len(rows)}
	hits := make([][2]float64, len(rows))
	for i, r := range rows {
		rank := slices.IndexFunc(choose(x, r.Claim, r.Sentences), func(s int) bool { return slices.Contains(r.Gold, s) })
		if rank == 0 {
			hits[i][0] = 1
		}
		if rank >= 0 && rank < 3 {
			hits[i][1] = 1
		}
		out.Hit1 += hits[i][0] / float64(len(rows))
		out.Hit3 += hits[i][1] / float64(len(rows))
	}
	return out, hits, nil
}

func sentenceRows(path string) ([]sentenceRow, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Field("file", "A file of claims and sentences is needed; %s cannot be read.", path).Because(err)
	}
	defer f.Close()
	var rows []sentenceRow
	for d := json.NewDecoder(f); ; {
		var r sentenceRow
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil || r.Claim == "" || len(r.Sentences) == 0 {
			return nil, fault.Field("file", "%s, record %d: not a JSON object with claim, sentences and gold.", path, len(rows)+1).Because(err)
		}
		for _, g := range r.Gold {
			if g < 0 || g >= len(r.Sentences) {
				return nil, fault.Field("file", "%s, record %d: there is no sentence %d.", path, len(rows)+1, g)
			}
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, fault.Field("file", "%s has no claims.", path)
	}
	return rows, nil
}
