package approvals

import (
	"github.com/a-h/templ"

	"polaris/views/layout"
)

// Visible draws text with the characters that would not be seen, or that would
// move what stands beside them.
func Visible(s string) templ.Component { return layout.Visible(s) }

// Paragraph draws text of several lines likewise.
func Paragraph(s string) templ.Component { return layout.Paragraph(s) }
