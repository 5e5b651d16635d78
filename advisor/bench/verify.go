package bench

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"slices"

	"polaris/advisor/index"
	"polaris/advisor/verify"
	"polaris/models/fault"
)

// A Verified holds how well claims are told apart that their evidence supports
// and that it does not.
type Verified struct {
	Claims    int                `json:"claims"`
	Supported int                `json:"supported"`
	AUC       float64            `json:"auc"` // that a supported claim scores above another
	F1        float64            `json:"f1"`  // at the threshold of the product
	Precision float64            `json:"precision"`
	Recall    float64            `json:"recall"`
	ByKind    map[string]float64 `json:"accepted_by_kind,omitempty"` // share that passes, where the file names kinds
}

// A claimRow is a line of the file: any label but "supported" counts as not.
type claimRow struct {
	Claim    string `json:"claim"`
	Evidence string `json:"evidence"`
	Context  string `json:"context"` // such as the title of the document
	Label    string `json:"label"`
	Kind     string `json:"kind"`
}

// Verification measures the verifier on a file of JSON lines {claim, evidence,
// label, context?, kind?}. Words weigh by how rare they are in its evidence. A
// file that is none is an Invalid fault.
func Verification(path string) (Verified, error) {
	rows, err := claimRows(path)
	if err != nil {
		return Verified{}, err
	}
	weigh := rareness(rows)
	out := Verified{Claims: len(rows), ByKind: map[string]float64{}}
	scores, kinds := make([]float64, len(rows)), map[string]int{}
	right, passed := 0, 0
	for i, r := range rows {
		evidence := r.Evidence
		if r.Context != "" {
			evidence = r.Context + ".\n" + evidence
		}
		scores[i] = verify.Lexical(r.Claim, evidence, weigh).Score
		supported := r.Label == "supported"
		if supported {
			out.Supported++
		}
		kinds[r.Kind]++
		if scores[i] < verify.Threshold {
			continue
		}
		out.ByKind[r.Kind]++
		passed++
		if supported {
			right++
		}
	}
	for k, n := range kinds {
		out.ByKind[k] /= float64(n)
	}
	if len(kinds) == 1 {
		out.ByKind = nil
	}
	if passed > 0 {
		out.Precision = float64(right) / float64(passed)
	}
	if out.Supported > 0 {
		out.Recall = float64(right) / float64(out.Supported)
	}
	if right > 0 {
		out.F1 = 2 * out.Precision * out.Recall / (out.Precision + out.Recall)
	}
	out.AUC = auc(rows, scores)
	return out, nil
}

func claimRows(path string) ([]claimRow, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Field("file", "A file of claims is needed; %s cannot be read.", path).Because(err)
	}
	defer f.Close()
	var rows []claimRow
	for d := json.NewDecoder(f); ; {
		var r claimRow
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil || r.Claim == "" || r.Label == "" {
			return nil, fault.Field("file", "%s, record %d: not a JSON object with claim, evidence and label.", path, len(rows)+1).Because(err)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, fault.Field("file", "%s has no claims.", path)
	}
	return rows, nil
}

// rareness weighs a word by its inverse document frequency in the evidence.
func rareness(rows []claimRow) verify.Weigher {
	with := map[string]int{}
	for _, r := range rows {
		seen := map[string]bool{}
		index.Words(r.Evidence, func(w []byte, _, _ int) { seen[index.Stem(string(w))] = true })
		for s := range seen {
			with[s]++
		}
	}
	n := float64(len(rows))
	return func(word string) float64 {
		df := float64(with[index.Stem(word)])
		return math.Log(1 + (n-df+0.5)/(df+0.5))
	}
}

// auc is the area under the curve: the share of pairs of a supported claim and
// another in which the supported one scores higher, equals counting half.
func auc(rows []claimRow, scores []float64) float64 {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case scores[a] < scores[b]:
			return -1
		case scores[a] > scores[b]:
			return 1
		}
		return a - b
	})
	ranks, supported := 0.0, 0.0
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && scores[order[j]] == scores[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			if rows[k].Label == "supported" {
				ranks += float64(i+j+1) / 2
				supported++
			}
		}
		i = j
	}
	others := float64(len(rows)) - supported
	if supported == 0 || others == 0 {
		return 0
	}
	return (ranks - supported*(supported+1)/2) / (supported * others)
}
