package markup

import (
	"strings"
	"testing"

	"polaris/advisor/ingest/form"
	"polaris/models/fault"
)

const (
	plainMail = "From: =?ISO-8859-1?Q?J=F6rg?= <j@example.org>\r\nTo: a@example.org, \"B, C\" <b@example.org>\r\nDate: Mon, 2 Mar 2026 10:00:00 +0200\r\nSubject: =?UTF-8?B?R2Viw7xocmVu?=\r\n" +
		"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nThe fee f=FCr\r\nthis is =\r\nnone.\r\n\r\nRegards\r\n"
	bothMail = "From: a@example.org\r\nTo: b@example.org\r\nSubject: Fees\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\npreamble\r\n--x\r\nContent-Type: multipart/alternative; boundary=y\r\n\r\n" +
		"--y\r\nContent-Type: text/plain; charset=koi8-r\r\nContent-Transfer-Encoding: base64\r\n\r\n9NXUIM7F1CDQzMHU2S4=\r\n--y\r\nContent-Type: text/html\r\n\r\n<h1>Other</h1><p style='display:none'>The applicant never owes any fee at all to anybody for anything.</p>\r\n--y--\r\n" +
		"--x\r\nContent-Type: application/pdf; name=fees.pdf\r\nContent-Disposition: attachment; filename=\"fees.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n--x\r\nContent-Type: image/png\r\n\r\nx\r\n--x--\r\n"
	pageMail = "From: a@example.org\r\nSubject: Fees\r\nDate: bad\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<table><tr><th>Fee<th>Amount<tr><td>Late<td>$5</table>"
)

func TestEML(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, title, want, warns string }{
		{"plain", plainMail, "Gebühren", "p0 |From: Jörg <j@example.org> · To: a@example.org, B, C <b@example.org> · Date: 2026-03-02 08:00 UTC · Subject: Gebühren\np0 |The fee für this is none.\np0 |Regards\n", ""},
		{"both", bothMail, "Fees", "p0 |From: a@example.org · To: b@example.org · Subject: Fees\np0 |Тут нет платы.\n", "fees.pdf, image/png"},
		{"page", pageMail, "Fees", "p0 |From: a@example.org · Subject: Fees\nr0 |1.2 \"\" [\"Fee\" \"Amount\"] [\"Late\" \"$5\"]\n", ""},
		{"headers only", "From: a@example.org\nTo: b@example.org\nSubject: x\n\n", "x", "p0 |From: a@example.org · To: b@example.org · Subject: x\n", ""},
	} {
		d, err := EML([]byte(tt.in), form.Limits{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := outline(d); got != tt.want || d.Title != tt.title || !strings.Contains(strings.Join(d.Warnings, " "), tt.warns) || tt.warns == "" && len(d.Warnings) > 0 {
			t.Errorf("%s: %q %q\ngot\n%swant\n%s", tt.name, d.Title, d.Warnings, got, tt.want)
		}
		if hidden := len(d.Flags) > 0; hidden != (tt.name == "both") {
			t.Errorf("%s: flags %+v", tt.name, d.Flags)
		}
	}
	d, err := EML([]byte(bothMail[:strings.Index(bothMail, "9NXU")+8]), form.Limits{})
	if err != nil || len(d.Warnings) == 0 {
		t.Errorf("cut off: %+v, %v", d, err)
	}
}

func FuzzEML(f *testing.F) {
	for _, s := range []string{plainMail, bothMail, pageMail, "a: b\n\nc"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := EML(data, form.Limits{})
		if err == nil {
			checkBlocks(t, d)
		} else if fault.Of(err).Kind == fault.Internal {
			t.Fatal(err)
		}
	})
}
