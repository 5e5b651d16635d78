package ingest

import (
	"slices"
	"strings"
	"unicode"
)

// common words of languages in Latin letters. The first are those whose words
// the index can analyse.
var common = []struct {
	lang  string
	words string
}{
	{"en", "the of and to is that for with by shall be or"},
	{"de", "der die und das ist nicht von mit den für auf wird"},
	{"fr", "le les des et est une dans pour que du par sur"},
	{"es", "el los las y que una por para del con es su"},
	{"it", "il che di della per una non è gli con sono dei"},
	{"nl", "het een van en niet voor zijn aan dat op te bij"},
	{"pt", "os que não uma para do da em com ao dos das"},
	{"sv", "och att det är som för inte med på till av den"},
	{"da", "og at det er som for ikke med på til af den"},
	{"nb", "og å det er som for ikke med på til av den"},
	{"fi", "ja on ei että se oli kun tai mukaan sekä ovat myös"},
	{"pl", "i w nie na się z do jest że o przez oraz"},
	{"cs", "a se v na je že nebo ve pro jako podle při"},
	{"sk", "a sa v na je že alebo vo pre ako podľa pri"},
	{"hu", "a az és nem hogy egy van meg csak vagy kell szerint"},
	{"ro", "și în de la cu pe nu este care din pentru sau"},
	{"tr", "ve bir bu için ile da de olarak veya olan tarafından en"},
	{"hr", "i u je na se da za od su koji ili prema"},
	{"id", "yang dan di untuk dengan dari pada ini tidak atau dalam adalah"},
	{"vi", "và của các có được cho trong không là người theo với"},
}

// languageSample is how much of a text is read to tell its language, in bytes.
const languageSample = 64 << 10

// language returns the language that a text is in, or "und": by its script, and
// where many share that, by its commonest words or by letters that others do not
// have.
func language(text string) string {
	text = text[:min(len(text), languageSample)]
	if lang := byScript(text); lang != "" {
		return lang
	}
	of := map[string][]int{}
	for i, l := range common {
		for w := range strings.FieldsSeq(l.words) {
			of[w] = append(of[w], i)
		}
	}
	n, count := 0, make([]int, len(common))
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		n++
		for _, i := range of[strings.Trim(w, ".,;:()\"“”")] {
			count[i]++
		}
	}
	best := 0
	for i, c := range count {
		if c > count[best] {
			best = i
		}
	}
	second := 0
	for i, c := range count {
		if i != best {
			second = max(second, c)
		}
	}
	if count[best]*20 < n || count[best] < 3 || count[best]*4 < second*5 && !near(text, common[best].lang) {
		return "und"
	}
	return common[best].lang
}

// near tells languages apart that share most of their short words, by letters.
func near(text, lang string) bool {
	letters := map[string]string{"sv": "äö", "da": "æø", "nb": "æø", "cs": "řěů", "sk": "ľĺŕôä"}[lang]
	return letters != "" && strings.ContainsAny(text, letters)
}

// scripts are those that tell a language, or nearly.
var scripts = []struct {
	table *unicode.RangeTable
	lang  string
}{
	{unicode.Han, "zh"},
	{unicode.Hiragana, "ja"},
	{unicode.Katakana, "ja"},
	{unicode.Hangul, "ko"},
	{unicode.Cyrillic, "ru"},
	{unicode.Greek, "el"},
	{unicode.Arabic, "ar"},
	{unicode.Hebrew, "he"},
	{unicode.Thai, "th"},
	{unicode.Devanagari, "hi"},
	{unicode.Armenian, "hy"},
	{unicode.Georgian, "ka"},
	{unicode.Bengali, "bn"},
	{unicode.Tamil, "ta"},
	{unicode.Khmer, "km"},
}

// byScript returns the language of a text whose letters are not Latin in the
// main.
func byScript(text string) string {
	counts := make([]int, len(scripts))
	letters := 0
	for _, r := range text {
		if r < 0x370 {
			if unicode.IsLetter(r) {
				letters++
			}
			continue
		}
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if i := slices.IndexFunc(scripts, func(s struct {
			table *unicode.RangeTable
			lang  string
		},
		) bool {
			return unicode.Is(s.table, r)
		}); i >= 0 {
			counts[i]++
		}
	}
	cjk, best := counts[0]+counts[1]+counts[2], 0
	for i, c := range counts {
		if c > counts[best] {
			best = i
		}
	}
	switch {
	case letters == 0:
		return ""
	case cjk*4 > letters && (counts[1]+counts[2])*20 > cjk: // a Chinese text has no kana
		return "ja"
	case counts[best]*2 < letters || counts[best] < 3 && letters > counts[best]:
		if cjk*4 > letters && cjk > 2 { // one character says as much as a word
			return "zh"
		}
		return ""
	case scripts[best].lang == "ru":
		return cyrillic(text)
	case scripts[best].lang == "ar" && strings.ContainsAny(text, "پچژگ"):
		if strings.ContainsAny(text, "ٹڈڑے") {
			return "ur"
		}
		return "fa"
	}
	return scripts[best].lang
}

// cyrillic tells the larger languages of that script apart by their letters.
func cyrillic(text string) string {
	lower := strings.ToLower(text)
	switch {
	case strings.ContainsAny(lower, "їєґ"):
		return "uk"
	case strings.ContainsAny(lower, "ў"):
		return "be"
	case strings.ContainsAny(lower, "ђћ"):
		return "sr"
	case strings.ContainsAny(lower, "ѓќѕ"):
		return "mk"
	case strings.ContainsAny(lower, "ыэё"):
		return "ru"
	case strings.ContainsAny(lower, "ъщ"):
		return "bg"
	}
	return "ru"
}
