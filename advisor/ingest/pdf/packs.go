package pdf

import (
	"cmp"
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// english is what scans are read as where nothing else is said or there.
const english = "eng"

// languages returns those of which Tesseract has a pack, as it takes them. Those
// of which it has none are told in a warning: with one of them it would read
// nothing at all.
func (r *reading) languages(ctx context.Context, program string) string {
	if r.packs == "" {
		var missing []string
		r.packs, missing = choose(cmp.Or(r.options.Languages, english), packs(ctx, program))
		if len(missing) > 0 {
			r.warn("Scans were read as %s: of %s no language pack is installed (tesseract-ocr-%s; POLARIS_OCR_LANGUAGES).", r.packs, strings.Join(missing, ", "), strings.ReplaceAll(missing[0], "_", "-"))
		}
	}
	return r.packs
}

// choose returns those of the languages wanted that are there, and the others.
// Where it is not known what is there, all of them are taken to be.
func choose(wanted string, there []string) (takes string, missing []string) {
	var found []string
	for l := range strings.SplitSeq(wanted, "+") {
		if len(there) == 0 || slices.Contains(there, l) {
			found = append(found, l)
		} else {
			missing = append(missing, l)
		}
	}
	return cmp.Or(strings.Join(found, "+"), english), missing
}

// packs returns the languages that the program can read; none: it does not say.
func packs(ctx context.Context, program string) []string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--list-langs") //nolint:gosec // the program is a setting of the operator
	cmd.Env = []string{"OMP_THREAD_LIMIT=1", "PATH=/usr/local/bin:/usr/bin:/bin"}
	var out capped
	cmd.Stdout, cmd.Stderr = &out, &out // where it says so differs between versions
	cmd.WaitDelay = time.Second
	if cmd.Run() != nil {
		return nil
	}
	head, list, found := strings.Cut(out.String(), "\n")
	if !found || !strings.HasPrefix(head, "List of available languages") {
		return nil
	}
	return strings.Fields(list)
}
