package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// A tabular writes aligned columns.
type tabular struct{ *tabwriter.Writer }

func table(w io.Writer, head ...string) tabular {
	t := tabular{tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)}
	fmt.Fprintln(t, strings.Join(head, "\t"))
	return t
}

func (t tabular) row(cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(t, "\t")
		}
		fmt.Fprint(t, c)
	}
	fmt.Fprintln(t)
}

func join[T ~string](xs []T) string {
	ss := make([]string, len(xs))
	for i, x := range xs {
		ss[i] = string(x)
	}
	return strings.Join(ss, ", ")
}

// date returns a day of UTC, as all times in tables are.
func date(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format(time.DateOnly)
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func versionName(n int) string {
	if n == 0 {
		return "nothing yet"
	}
	return fmt.Sprintf("version %d", n)
}
