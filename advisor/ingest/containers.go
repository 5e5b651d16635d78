package ingest

import (
	"polaris/advisor/ingest/form"
	"polaris/advisor/ingest/markup"
	"polaris/advisor/ingest/office"
	"polaris/advisor/ingest/pdf"
	"polaris/models/fault"
)

// The limits on one document where the options have none.
const (
	DefaultPages    = 2000
	DefaultUnpacked = 512 << 20
	DefaultRatio    = 200
	DefaultEntries  = 10_000
)

// withDefaults fills in the limits that are not set.
func withDefaults(l form.Limits) form.Limits {
	if l.Pages == 0 {
		l.Pages = DefaultPages
	}
	if l.Unpacked == 0 {
		l.Unpacked = DefaultUnpacked
	}
	if l.Ratio == 0 {
		l.Ratio = DefaultRatio
	}
	if l.Entries == 0 {
		l.Entries = DefaultEntries
	}
	return l
}

// Archive is the code of the fault which says that the bytes hold documents and
// are none.
const Archive = "archive"

// readBinary calls the reader of a format that is not text.
func readBinary(f format, data []byte, o Options) (*form.Document, error) {
	if f == pdfFormat {
		po := pdf.Options{Cache: o.Cache}
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
