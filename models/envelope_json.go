package models

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"sync"
	"unicode/utf8"
)

// An envelope is written to JSON by hand: each answer is, and encoding/json took
// a tenth of the time of one. What is written is what encoding/json would write,
// byte for byte, which a test holds.

// bodies holds buffers that envelopes are written to, which are of very
// different length: what is kept of each is a copy of just its size.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// Encode fixes the envelope's JSON. It is called once, when the envelope is
// complete: what is recorded, hashed and served are then the same bytes.
func (e *Envelope) Encode() {
	b := bodies.Get().(*[]byte)
	*b = e.appendJSON((*b)[:0])
	e.body, e.hash = string(*b), sha256.Sum256(*b)
	bodies.Put(b)
}

// Encoded returns the JSON that Encode fixed, and of it that of the text for
// clients that show text only, as a JSON string; "" before Encode.
func (e *Envelope) Encoded() (body, text string) { return e.body, e.body[e.textAt:e.textEnd] }

// BodyHash returns the SHA-256 of the body, as [Answer.BodyHash] does.
func (e *Envelope) BodyHash() string { return hex.EncodeToString(e.hash[:]) }

func (e *Envelope) appendJSON(b []byte) []byte {
	b = append(b, `{"result":`...)
	b = appendString(b, e.Result)
	b = append(b, `,"citations":`...)
	b = appendList(b, e.Citations, func(b []byte, c *Citation) []byte { return c.appendJSON(b) })
	b = append(b, `,"confidence":`...)
	b = appendFloat(b, e.Confidence)
	b = append(b, `,"guardrail":{"status":`...)
	b = appendString(b, e.Guardrail.Status)
	b = append(b, `,"reasons":`...)
	b = appendStrings(b, e.Guardrail.Reasons)
	b = append(b, `},"brain_version":`...)
	b = strconv.AppendInt(b, int64(e.BrainVersion), 10)
	b = append(b, `,"rendered":`...)
	e.textAt = len(b)
	b = appendString(b, e.Rendered)
	e.textEnd = len(b)
	if len(e.Notices) > 0 {
		b = append(b, `,"notices":`...)
		b = appendStrings(b, e.Notices)
	}
	b = appendGiven(b, `,"answer_id":`, e.AnswerID)
	b = appendGiven(b, `,"record_url":`, e.RecordURL)
	b = append(b, `,"query":`...)
	b = appendString(b, e.Query)
	b = appendGiven(b, `,"as_of":`, e.AsOf)
	b = append(b, `,"engine":`...)
	b = appendString(b, e.Engine)
	return append(b, '}')
}

func (c *Citation) appendJSON(b []byte) []byte {
	b = append(b, `{"n":`...)
	b = strconv.AppendInt(b, int64(c.N), 10)
	b = append(b, `,"source_id":`...)
	b = appendString(b, c.SourceID)
	b = append(b, `,"kind":`...)
	b = appendString(b, c.Kind)
	b = appendGiven(b, `,"key":`, c.Key)
	b = append(b, `,"quote":`...)
	b = appendString(b, c.Quote)
	b = appendGiven(b, `,"locator":`, c.Locator)
	b = append(b, `,"score":`...)
	b = appendFloat(b, c.Score)
	b = append(b, `,"verified":`...)
	b = strconv.AppendBool(b, c.Verified)
	b = append(b, `,"verification":{"method":`...)
	b = appendString(b, c.Verification.Method)
	b = append(b, `,"score":`...)
	b = appendFloat(b, c.Verification.Score)
	b = append(b, `},"provenance":`...)
	b = c.Provenance.appendJSON(b)
	if len(c.Wiki) > 0 {
		b = append(b, `,"wiki":`...)
		b = appendList(b, c.Wiki, func(b []byte, w *WikiLink) []byte {
			b = append(b, `{"entity":`...)
			b = appendString(b, w.Entity)
			b = append(b, `,"ref":`...)
			b = appendString(b, w.Ref)
			return append(b, '}')
		})
	}
	if len(c.ConceptRefs) > 0 {
		b = append(b, `,"concept_refs":`...)
		b = appendStrings(b, c.ConceptRefs)
	}
	b = appendGiven(b, `,"why":`, c.Why)
	return append(b, '}')
}

func (p *Provenance) appendJSON(b []byte) []byte {
	b = append(b, `{"source_doc_pk":`...)
	b = appendString(b, p.SourceDocPK)
	b = append(b, `,"doc_title":`...)
	b = appendString(b, p.DocTitle)
	b = appendGiven(b, `,"origin_url":`, p.OriginURL)
	b = appendGiven(b, `,"jurisdiction":`, p.Jurisdiction)
	b = append(b, `,"revision":`...)
	b = strconv.AppendInt(b, int64(p.Revision), 10)
	b = append(b, `,"start":`...)
	b = strconv.AppendInt(b, int64(p.Start), 10)
	b = append(b, `,"end":`...)
	b = strconv.AppendInt(b, int64(p.End), 10)
	return append(b, '}')
}

// appendGiven appends a member that is left out where it is empty.
func appendGiven(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return appendString(append(b, name...), s)
}

func appendStrings(b []byte, ss []string) []byte {
	return appendList(b, ss, func(b []byte, s *string) []byte { return appendString(b, *s) })
}

func appendList[E any](b []byte, es []E, one func([]byte, *E) []byte) []byte {
	if es == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i := range es {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, &es[i])
	}
	return append(b, ']')
}

// appendFloat writes as encoding/json does: as ES6 would.
func appendFloat(b []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs == 0 || 1e-6 <= abs && abs < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-09 is e-9
		b = b[:n-1]
	}
	return b
}

// plainByte marks the bytes that stand for themselves in a JSON string that may
// be put into HTML.
var plainByte = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	return t
}()

const hexDigits = "0123456789abcdef"

// appendString writes s as a JSON string.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if plainByte[c] {
				i++
				continue
			}
			b = append(append(b, s[start:i]...), '\\')
			switch c {
			case '"', '\\':
				b = append(b, c)
			case '\b':
				b = append(b, 'b')
			case '\f':
				b = append(b, 'f')
			case '\n':
				b = append(b, 'n')
			case '\r':
				b = append(b, 'r')
			case '\t':
				b = append(b, 't')
			default:
				b = append(b, 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
			}
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(append(b, s[start:i]...), `\ufffd`...)
			start = i + n
		case r == '\u2028' || r == '\u2029':
			b = append(append(b, s[start:i]...), `\u202`...)
			b = append(b, hexDigits[r&0xf])
			start = i + n
		}
		i += n
	}
	return append(append(b, s[start:]...), '"')
}
