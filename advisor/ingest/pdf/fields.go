package pdf

import (
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
)

// values notes what the fields of a form on the page were filled in with. The
// engine does not count a field's look to the page's text.
func (r *reading) values(ref requests.Page, p *page) error {
	if !r.form {
		return nil
	}
	f, err := r.GetForm(&requests.GetForm{Page: ref})
	if err != nil {
		return r.ctx.Err() // a page without fields
	}
	for _, field := range f.Fields {
		var value string
		switch field.Type {
		case enums.FPDF_FORMFIELD_TYPE_CHECKBOX, enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON:
			if field.IsChecked == nil || !*field.IsChecked {
				continue
			}
			value = "yes"
			if field.Type == enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON && field.Value != nil {
				value = *field.Value
			}
		default:
			value = strings.Join(field.Values, ", ")
			if value == "" && field.Value != nil {
				value = *field.Value
			}
		}
		name := field.ToolTip
		if name == "" {
			name = field.Name
		}
		value = strings.Join(strings.Fields(value), " ")
		if value != "" {
			p.fields = append(p.fields, strings.TrimSpace(name+": "+value))
		}
	}
	return nil
}
