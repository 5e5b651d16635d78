package static

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"
)

var token = regexp.MustCompile(`--([a-z-]+):light-dark\((#[0-9a-f]+),(#[0-9a-f]+)\)`)

// Text needs 4.5:1 against what it stands on, the edge of a field 3:1 (WCAG
// 2.2 AA). The pairs are those that the style sheet puts together.
func TestContrast(t *testing.T) {
	t.Parallel()
	themes := [2]map[string]string{{}, {}}
	for _, m := range token.FindAllStringSubmatch(string(assets["polaris.css"].body), -1) {
		themes[0][m[1]], themes[1][m[1]] = m[2], m[3]
	}
	type pair struct {
		ink, ground string
		least       float64
	}
	var pairs []pair
	for _, ground := range []string{"background", "card", "faint", "muted"} {
		for _, ink := range []string{"foreground", "muted-foreground", "primary", "success", "warning", "danger"} {
			pairs = append(pairs, pair{ink, ground, 4.5})
		}
	}
	pairs = append(pairs,
		pair{"primary-foreground", "primary", 4.5}, pair{"danger-foreground", "danger", 4.5},
		pair{"mark-foreground", "mark", 4.5}, pair{"foreground", "mark", 4.5},
		pair{"input", "background", 3}, pair{"ring", "background", 3}, pair{"star", "card", 3})
	for i, theme := range themes {
		for _, p := range pairs {
			if got := contrast(t, theme[p.ink], theme[p.ground]); got < p.least {
				t.Errorf("%s: %s on %s has %.2f:1, want %.1f:1", []string{"light", "dark"}[i], p.ink, p.ground, got, p.least)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (math.Max(x, y) + .05) / (math.Min(x, y) + .05)
}

// luminance of "#rgb" or "#rrggbb" as WCAG defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 4 {
		hex = fmt.Sprintf("#%c%c%c%c%c%c", hex[1], hex[1], hex[2], hex[2], hex[3], hex[3])
	}
	if len(hex) != 7 {
		t.Fatalf("token has the colour %q", hex)
	}
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
