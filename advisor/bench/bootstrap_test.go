package bench

import "testing"

func TestPaired(t *testing.T) {
	t.Parallel()
	before, after := make([]float64, 200), make([]float64, 200)
	for i := range before {
		before[i], after[i] = float64(i%2), float64(i%2)
		if i%4 == 0 {
			after[i] = 1
		}
	}
	g := Paired(before, after, 2000)
	if g.Mean < .249 || g.Mean > .251 || g.Low < .15 || g.Low > .24 || g.High > .35 || g.High < .26 || g.Worse != 0 {
		t.Errorf("a clear gain: %+v", g)
	}
	if g != Paired(before, after, 2000) {
		t.Error("two runs differ")
	}
	if g := Paired(before, before, 500); g.Mean != 0 || g.Low != 0 || g.High != 0 || g.Worse < .99 {
		t.Errorf("no gain: %+v", g)
	}
	if g := Paired(nil, nil, 10); g != (Gain{}) {
		t.Errorf("nothing: %+v", g)
	}
}
