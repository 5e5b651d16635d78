package layout

import (
	"fmt"
	"strconv"
	"time"
)

// A When is a moment as a page shows it: near in words, exact on hover.
type When struct {
	Text  string // "2 hours ago"; "never" where there is no moment
	Full  string // "30 November 2026, 16:02:11 UTC"
	Stamp string // RFC 3339, for machines; empty where there is no moment
}

// At returns the moment t as someone sees it at now. Within 24 hours it is told
// in hours or minutes, within 30 days in days, beyond that as a date. The zero
// time is "never".
func At(t, now time.Time) When {
	if t.IsZero() {
		return When{Text: "never"}
	}
	t = t.UTC()
	w := When{Full: t.Format("2 January 2006, 15:04:05") + " UTC", Stamp: t.Format(time.RFC3339)}
	d := now.Sub(t)
	ahead := d < 0
	switch n := d.Abs(); {
	case n < time.Minute:
		w.Text = "now"
		return w
	case n < time.Hour:
		w.Text = quantity(int(n/time.Minute), "minute")
	case n < 24*time.Hour:
		w.Text = quantity(int(n/time.Hour), "hour")
	case n < 30*24*time.Hour:
		w.Text = quantity(int(n/(24*time.Hour)), "day")
	default:
		w.Text = t.Format("2 Jan 2006")
		return w
	}
	if ahead {
		w.Text = "in " + w.Text
	} else {
		w.Text += " ago"
	}
	return w
}

// Date returns a day as sentences name it.
func Date(t time.Time) string { return t.UTC().Format("2 January 2006") }

func quantity(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// Number returns n with its thousands set apart by narrow spaces that do not
// break: "1 284".
func Number(n int) string {
	s := strconv.Itoa(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// Took returns how long something took, in whole milliseconds.
func Took(d time.Duration) string {
	if d < time.Millisecond {
		return "less than 1\u00a0ms"
	}
	return Number(int(d.Milliseconds())) + "\u00a0ms"
}

// Plural returns n with its unit: "1 passage", "1 284 passages".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1\u00a0" + one
	}
	return Number(n) + "\u00a0" + many
}
