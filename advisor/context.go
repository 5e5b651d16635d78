package advisor

import (
	"slices"

	"polaris/advisor/index"
)

// inContext returns the question that the last message of a conversation asks,
// and whether it leads back to an earlier one. A message that names anything
// ("And for joint applicants?") is asked as it stands: put together with what
// came before, it would be answered by the earlier question's evidence. One that
// names nothing ("How long?") is read after the nearest earlier question that
// does.
func inContext(text string, earlier []string) (question string, led bool) {
	if len(earlier) == 0 || index.Subject(text) != "" {
		return text, false
	}
	for _, e := range slices.Backward(earlier) {
		if index.Subject(e) != "" {
			return e + "\n" + text, true
		}
	}
	return text, false
}
