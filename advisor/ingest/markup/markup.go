// Package markup reads what is written in HTML: pages, books (EPUB) and mails
// (EML). It finds the node that holds the document among what a page has around
// it, and returns its headings, paragraphs, lists with the numbers that a browser
// shows, tables with their headers, and code.
//
// What a browser does not show is no text. Where it is worded like text, it is
// reported as hidden, and the source waits for a curator.
package markup

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"polaris/advisor/ingest/form"
)

// The media types of what the package reads.
const (
	MediaHTML = "text/html"
	MediaEPUB = "application/epub+zip"
	MediaEML  = "message/rfc822"
)

// tidy returns words as a block holds them: NFC, on one line, without what stands
// for line breaks that may be.
func tidy(s string) string {
	return norm.NFC.String(strings.Join(strings.Fields(strings.ReplaceAll(s, "\u00ad", "")), " "))
}

// Paragraphs makes blocks of plain text: what stands between blank lines.
func Paragraphs(text string) []form.Block {
	var out []form.Block
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if part = tidy(part); part != "" {
			out = append(out, form.Block{Text: part})
		}
	}
	return out
}
