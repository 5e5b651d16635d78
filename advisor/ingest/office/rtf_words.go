package office

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"polaris/advisor/ingest/form"
)

// An rtfFont is what of a font decides how bytes are read.
type rtfFont struct {
	page   encoding.Encoding // nil: the file's
	symbol bool
}

// An rtfStyle is a paragraph style.
type rtfStyle struct {
	name    strings.Builder
	outline int
}

// codePage returns the encoding of a code page of Windows, that of Western
// Europe where it is none that is known.
func codePage(n int) encoding.Encoding {
	switch n {
	case 437:
		return charmap.CodePage437
	case 850:
		return charmap.CodePage850
	case 852:
		return charmap.CodePage852
	case 866:
		return charmap.CodePage866
	case 874:
		return charmap.Windows874
	case 932:
		return japanese.ShiftJIS
	case 936:
		return simplifiedchinese.GBK
	case 949:
		return korean.EUCKR
	case 950:
		return traditionalchinese.Big5
	case 1250:
		return charmap.Windows1250
	case 1251:
		return charmap.Windows1251
	case 1253:
		return charmap.Windows1253
	case 1254:
		return charmap.Windows1254
	case 1255:
		return charmap.Windows1255
	case 1256:
		return charmap.Windows1256
	case 1257:
		return charmap.Windows1257
	case 1258:
		return charmap.Windows1258
	case 10000:
		return charmap.Macintosh
	}
	return charmap.Windows1252
}

// charsets are the code pages of the character sets that fonts name.
var charsets = map[int]int{
	77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258,
	177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}

// destination begins a group whose text is not for where it stands.
func (r *rtf) destination(name string) bool {
	if r.state.to == toNothing {
		return false
	}
	switch name {
	case "fonttbl":
		r.state.to = toFonts
	case "colortbl":
		r.state.to, r.rgb = toColors, -1
	case "stylesheet":
		r.state.to = toStyles
	case "info":
		r.state.to = toInfo
	case "title":
		if r.state.to == toInfo {
			r.state.to = toTitle
		}
	case "listtext", "pntext":
		r.state.to = toLabel
		r.flow.para.label.Reset()
	case "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf":
		r.enter(toMargin, false)
	case "footnote":
		r.enter(toNote, r.flow.counted)
	case "annotation":
		r.enter(toComment, false)
	case "atnauthor":
		r.state.to, r.author = toAuthor, ""
	case "shptxt", "dptxbxtext":
		r.enter(toText, r.flow.counted)
	case "pict":
		r.images++
		r.state.to = toNothing
	case "fldinst", "objdata", "objclass", "objname", "shprslt", "nonshppict", "nonesttables", "xe", "tc", "rxe", "txe", "sp", "filetbl", "revtbl", "template", "author", "pn", "pnseclvl", "listtable", "listoverridetable", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn":
		r.state.to = toNothing
	case "shpinst", "do", "shppict", "ud", "nesttableprops", "fldrslt", "result", "picprop", "docvar":
		if name == "picprop" || name == "docvar" {
			r.state.to = toNothing
		}
	case "upr":
		r.state.to = toNothing // its first half; \ud takes over
	default:
		if r.state.starred {
			r.state.to = toNothing
			return true
		}
		return false
	}
	return true
}

// command obeys a control word.
func (r *rtf) command(name string, n int, given bool) {
	set := !given || n != 0
	if r.state.to == toNothing {
		if name == "ud" {
			r.state.to = r.flow.to
		}
		return
	}
	switch name {
	case "ansicpg":
		r.page = codePage(n)
	case "mac":
		r.page = codePage(10000)
	case "pc":
		r.page = codePage(437)
	case "pca":
		r.page = codePage(850)
	case "uc":
		r.state.skip = min(max(n, 0), 100)
	case "deff":
		r.font, r.state.font = n, n
	case "f":
		r.state.font = n
	case "fcharset":
		if r.state.to == toFonts {
			f := rtfFont{symbol: n == 2}
			if page, ok := charsets[n]; ok {
				f.page = codePage(page)
			} else if n == 0 {
				f.page = codePage(1252)
			}
			r.fonts[r.state.font] = f
		}
	case "red", "green", "blue":
		shift := map[string]int{"red": 16, "green": 8}[name]
		r.rgb = max(r.rgb, 0) | (n&0xff)<<shift
	case "v":
		r.state.hidden = set
	case "deleted":
		r.state.deleted = set
	case "revised":
		r.state.revised = set
	case "cf":
		r.state.color = n
	case "cb", "chcbpat", "highlight":
		r.state.shaded = n != 0
	case "fs":
		r.state.tiny = given && n <= 2
	case "super", "up":
		r.state.raised = set
	case "sub", "dn", "nosupersub":
		r.state.raised = false
	case "plain":
		s := r.state
		r.state = rtfState{to: s.to, skip: s.skip, starred: s.starred, font: r.font}
	case "s":
		r.paragraphStyle(n)
	case "outlinelevel":
		if r.state.to == toStyles && r.style != nil {
			r.style.outline = n
		} else {
			r.flow.para.outline = n
		}
	case "emdash", "endash", "lquote", "rquote", "ldblquote", "rdblquote", "bullet", "tab", "line", "emspace", "enspace", "qmspace", "softline", "lbr":
		r.write(map[string]string{"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•"}[name])
		if len(name) < 5 || strings.HasSuffix(name, "space") || name == "softline" {
			r.write(" ")
		}
	default:
		if r.state.to == toText || r.state.to == toMargin || r.state.to == toNote || r.state.to == toComment {
			r.flow.command(r, name, n, set)
		}
	}
}

func (r *rtf) paragraphStyle(n int) {
	if r.state.to == toStyles {
		r.style = &rtfStyle{outline: unset}
		r.styles[n] = r.style
		return
	}
	r.flow.para.style = n
}

// write adds text to where the group's text goes.
func (r *rtf) write(s string) {
	switch r.state.to {
	case toNothing, toFonts, toInfo:
	case toColors:
		for range strings.Count(s, ";") {
			r.colors, r.rgb = append(r.colors, r.rgb), -1
		}
	case toStyles:
		if r.style != nil {
			r.style.name.WriteString(s)
		}
	case toTitle:
		r.title.WriteString(s)
	case toAuthor:
		r.author = (r.author + s)[:min(len(r.author)+len(s), maxExcerpt)]
	case toLabel:
		r.flow.para.label.WriteString(s)
	default:
		r.text(s)
	}
}

// text adds text to the paragraph, if it is seen.
func (r *rtf) text(s string) {
	st, p := r.state, r.flow.para
	white := st.color > 0 && st.color < len(r.colors) && r.colors[st.color] == 0xffffff && !st.shaded && p.table == 0
	switch {
	case st.deleted:
		r.deleted += count(s)
		return
	case st.hidden || st.tiny || white:
		p.hidden.WriteString(s)
		return
	case st.revised:
		r.inserted += count(s)
	}
	if st.raised {
		s = raised(s)
	}
	p.text.WriteString(s)
	if r.flow.counted {
		r.doc.Found += count(s)
	}
}

// enter begins a flow of its own: a note, a header, a text box.
func (r *rtf) enter(to destination, counted bool) {
	f := newFlow(counted)
	f.to = to
	r.flows, r.ends = append(r.flows, r.flow), append(r.ends, len(r.stack))
	r.flow = f
	r.state = rtfState{to: to, skip: r.state.skip}
}

// leave ends it: what it held goes to where it belongs.
func (r *rtf) leave() {
	f := r.flow
	blocks := f.finish(r)
	r.flow, r.flows = r.flows[len(r.flows)-1], r.flows[:len(r.flows)-1]
	r.ends = r.ends[:len(r.ends)-1]
	text := joined(blocks)
	switch {
	case f.to == toText:
		r.flow.para.after = append(r.flow.para.after, blocks...)
	case text == "":
	case f.to == toMargin:
		if !r.margins[text] && strings.Trim(text, "0123456789 -–") != "" {
			r.margins[text] = true
			r.doc.Margins = append(r.doc.Margins, text)
		}
	case f.to == toComment:
		r.doc.Comments = append(r.doc.Comments, form.Comment{By: tidy(r.author), On: excerpt(r.flow.para.text.String()), Text: text})
	case f.to == toNote:
		b := form.Block{Kind: form.Note, Text: text}
		if f.endnote {
			r.endnotes++
			b.Number = ordinal("lowerRoman", r.endnotes)
		} else {
			r.notes++
			b.Number = ordinal("decimal", r.notes)
		}
		r.flow.para.after = append(r.flow.para.after, b)
	}
}
