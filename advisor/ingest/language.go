package ingest

import "strings"

// common words of the languages whose words the index can analyse.
var common = map[string][]string{
	"en": {"the", "of", "and", "to", "is", "that", "for", "with", "by", "shall", "be", "or"},
	"de": {"der", "die", "und", "das", "ist", "nicht", "von", "mit", "den", "für", "auf", "wird"},
	"fr": {"le", "les", "des", "et", "est", "une", "dans", "pour", "que", "du", "par", "sur"},
	"es": {"el", "los", "las", "y", "que", "una", "por", "para", "del", "con", "es", "su"},
	"it": {"il", "che", "di", "della", "per", "una", "non", "è", "gli", "con", "sono", "dei"},
	"nl": {"het", "een", "van", "en", "niet", "voor", "zijn", "aan", "dat", "op", "te", "bij"},
	"pt": {"os", "que", "não", "uma", "para", "do", "da", "em", "com", "ao", "dos", "das"},
}

// languageSample is how much of a text is read to tell its language.
const languageSample = 64 << 10

// language returns the language whose common words a text has most of, or
// "und".
func language(text string) string {
	of := map[string][]string{}
	for lang, ws := range common {
		for _, w := range ws {
			of[w] = append(of[w], lang)
		}
	}
	n, count := 0, map[string]int{}
	for w := range strings.FieldsSeq(strings.ToLower(text[:min(len(text), languageSample)])) {
		n++
		for _, lang := range of[w] {
			count[lang]++
		}
	}
	best, second := "und", 0
	for _, lang := range []string{"en", "de", "fr", "es", "it", "nl", "pt"} {
		if c := count[lang]; c > count[best] {
			best, second = lang, count[best]
		} else if c > second {
			second = c
		}
	}
	if count[best]*20 < n || count[best] < 3 || count[best]*4 < second*5 {
		return "und"
	}
	return best
}
