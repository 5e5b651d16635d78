package ingest

import (
	"polaris/advisor/ingest/form"
	"polaris/advisor/ingest/markup"
	"polaris/advisor/ingest/office"
	"polaris/advisor/ingest/pdf"
	"polaris/models/fault"
)

// Archive is the code of the fault which says that the bytes hold documents and
// are none.
const Archive = "archive"

// readBinary calls the reader of a format that is not text.
func readBinary(f format, data []byte, o Options) (*form.Document, error) {
	if f == pdfFormat {
		po := pdf.Options{Cache: o.Cache, Languages: o.Languages}
		if o.Inside {
			po.Tesseract = "-"
		}
		return pdf.Read(data, o.Limits, po)
	}
	if markup.IsEPUB(data) {
		return markup.EPUB(data, o.Limits)
	}
	media, ok := office.Sniff(data)
	if !ok {
		return nil, fault.New(fault.Unsupported, "This is a ZIP archive. The documents in it are imported one by one.").WithCode(Archive)
	}
	return office.Read(media, data, o.Limits, o.Inside)
}
