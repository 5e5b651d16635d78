package approvals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Line is one line of what a change is about: Sign is '-' where it goes, '+'
// where it comes, and ' ' where it stays.
type Line struct {
	Sign rune
	Text string
}

// mostCells bounds the table by which lines are compared. Beyond it what differs
// is shown as gone and come, which is true and only longer.
const mostCells = 4_000_000

// Diff returns before and after in full, line by line.
func Diff(before, after []string) []Line {
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	var all []Line
	add := func(sign rune, texts ...string) {
		for _, t := range texts {
			all = append(all, Line{sign, t})
		}
	}
	add(' ', before[:start]...)
	b, a := before[start:len(before)-end], after[start:len(after)-end]
	if len(b)*len(a) > mostCells {
		add('-', b...)
		add('+', a...)
	} else {
		all = append(all, compared(b, a)...)
	}
	add(' ', before[len(before)-end:]...)
	return all
}

// compared keeps the longest sequence of lines that both have.
func compared(b, a []string) []Line {
	longest := make([][]int32, len(b)+1)
	for i := range longest {
		longest[i] = make([]int32, len(a)+1)
	}
	for i, line := range slices.Backward(b) {
		for j, other := range slices.Backward(a) {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if line == other {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	var all []Line
	i, j := 0, 0
	for i < len(b) || j < len(a) {
		switch {
		case i < len(b) && j < len(a) && b[i] == a[j]:
			all = append(all, Line{' ', b[i]})
			i, j = i+1, j+1
		case j == len(a) || i < len(b) && longest[i+1][j] >= longest[i][j+1]:
			all = append(all, Line{'-', b[i]})
			i++
		default:
			all = append(all, Line{'+', a[j]})
			j++
		}
	}
	return all
}

// Lines writes JSON out for reading, each value on a line of its own, in the
// order in which it is there. Text is not quoted; what would break its line is a
// character like any other, so that no text looks like another field.
func Lines(raw []byte) []string {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	w := &outline{d: d}
	if err := w.value("", ""); err != nil && !errors.Is(err, io.EOF) {
		return []string{string(raw)} // what cannot be read is shown as it is
	}
	return w.lines
}

// An outline is JSON on its way to lines.
type outline struct {
	d     *json.Decoder
	lines []string
}

// value writes the next value. The first line of it begins with label, all
// others with indent.
func (w *outline) value(label, indent string) error {
	tok, err := w.d.Token()
	if err != nil {
		return err
	}
	open, nested := tok.(json.Delim)
	if !nested {
		w.lines = append(w.lines, label+scalar(tok))
		return nil
	}
	if !w.d.More() {
		w.lines = append(w.lines, label+"(none)")
	} else if err := w.members(open == '{', label, indent); err != nil {
		return err
	}
	_, err = w.d.Token()
	return err
}

func (w *outline) members(object bool, label, indent string) error {
	inList := strings.HasSuffix(label, "• ")
	if label != "" && !inList {
		w.lines = append(w.lines, strings.TrimRight(label, " "))
	}
	for first := true; w.d.More(); first = false {
		lead, deeper := indent, indent+"  "
		if first && inList {
			lead = label
		}
		if object {
			name, err := w.d.Token()
			if err != nil {
				return err
			}
			lead += strings.ReplaceAll(fmt.Sprint(name), "_", " ") + ": "
		} else {
			lead += "• "
		}
		if err := w.value(lead, deeper); err != nil {
			return err
		}
	}
	return nil
}

func scalar(tok json.Token) string {
	switch v := tok.(type) {
	case nil:
		return "(none)"
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		if v == "" {
			return "(empty)"
		}
		return v
	}
	return fmt.Sprint(tok)
}
