package charset

import (
	"strings"
	"unicode"
)

// enough is the score below which a text is none.
const enough = 0.45

// The letters that are most of a script's text, in small letters.
var frequent = map[*unicode.RangeTable]string{
	unicode.Cyrillic: "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъєіїґј",
	unicode.Greek:    "αοιετσνηυρπκμλςωάίόήέθγδχφβύώξζψϊ",
	unicode.Hebrew:   "אבגדהוזחטיכךלמםנןסעפףצץקרשת",
	unicode.Arabic:   "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىأإآءئؤپچگک",
	unicode.Thai:     "กขคงจชซญดตถทธนบปผพฟภมยรลวศสหอฮะาิีึืุู็่้เแโใไั์",
}

// frequentHan are characters that no Chinese or Japanese text is without.
const frequentHan = "的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小" +
	"這個來說們為時會過學對裡後與於發經動現點進種從還關開實機長數無樣應問間" +
	"日本年月会社方法第条項者必要規定以上次場合使用及当該事業行用品質料金表示通知申請内容番号"

// controls reports whether there are characters that no text has.
func controls(s string) bool {
	n := 0
	for _, r := range s {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\v' && r != 0x1b || r >= 0x7f && r < 0xa0 || r >= 0xe000 && r < 0xf900 {
			n++
		}
	}
	return n > 0 && n*1000 > len(s)
}

// few reports whether a text has less than four different characters beyond
// ASCII.
func few(s string) bool {
	seen := map[rune]bool{}
	for _, r := range s {
		if r >= 0x80 {
			if seen[r] = true; len(seen) > 3 {
				return false
			}
		}
	}
	return true
}

// score says how much the characters beyond ASCII of a text look like those of
// a language, from -1 to 1.
func score(s string) float64 {
	n, latin, all, sum := 0, 0, 0, 0.0
	scripts := map[*unicode.RangeTable]int{}
	before := ' '
	for _, r := range s {
		if r >= 0x80 {
			n++
			v, script := character(r, before)
			sum += v
			if script == unicode.Latin {
				latin++
			}
			if script != nil {
				scripts[script]++
			}
		}
		all++
		before = r
	}
	if n == 0 {
		return 0.5
	}
	if latin*4 > all { // no language has so many accents
		return -1
	}
	most, other := 0, 0
	for _, c := range scripts {
		most, other = max(most, c), other+c
	}
	return sum/float64(n) - float64(other-most)/float64(n)
}

// character rates one character after another. Where an encoding was guessed
// wrongly, letters change their case in the middle of words, signs stand inside
// them, and rare letters are frequent.
func character(r, before rune) (float64, *unicode.RangeTable) {
	letter := unicode.IsLetter(before)
	switch {
	case unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r):
		if r >= 0xff61 { // the narrow ones, which each byte of Shift_JIS can be
			return -0.2, unicode.Han
		}
		return 1, unicode.Han
	case unicode.Is(unicode.Hangul, r):
		return 0.9, unicode.Hangul
	case unicode.Is(unicode.Han, r):
		if strings.ContainsRune(frequentHan, r) {
			return 1, unicode.Han
		}
		return 0.3, unicode.Han
	case r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r < 0xff61:
		return 0.8, nil
	}
	for script, letters := range frequent {
		if !unicode.Is(script, r) {
			continue
		}
		switch small := unicode.ToLower(r); {
		case unicode.IsUpper(r) && unicode.IsLower(before):
			return -1, script
		case letter && before < 0x80:
			return -0.5, script
		case !strings.ContainsRune(letters, small):
			return -0.3, script
		case strings.ContainsRune(letters[:min(len(letters), 20)], small):
			return 1, script
		}
		return 0.7, script
	}
	return latin(r, before, letter)
}

const (
	// western are the letters beyond ASCII of the languages that Windows-1252 is for.
	western = "äöüßéèêëàâáåæçîïíñóôõœúûý"
	// eastern are those of the others in Latin letters.
	eastern = "ąćęłńśźżčďěňřšťůžőűăâîșțşţğıāēģīķļņūėįų"
)

// latin rates a character of the Latin script, or a sign.
func latin(r, before rune, letter bool) (float64, *unicode.RangeTable) {
	small := unicode.ToLower(r)
	switch {
	case unicode.IsUpper(r) && unicode.IsLower(before):
		return -1, unicode.Latin
	case strings.ContainsRune(western, small):
		if letter || before < 0x80 {
			return 0.8, unicode.Latin
		}
		return 0.4, unicode.Latin
	case strings.ContainsRune(eastern, small):
		return 0.75, unicode.Latin
	case strings.ContainsRune("ìòùøÿ", small): // which others are in Windows-1250
		return 0.4, unicode.Latin
	case unicode.IsLetter(r):
		return -0.2, unicode.Latin
	case strings.ContainsRune("’‘“”„–—…€£§°«»¿¡•· ¶©®™№", r):
		return 0.8, nil
	case letter, r >= 0x2500 && r < 0x2600: // inside a word, or what frames were drawn with
		return -1, nil
	}
	return 0.1, nil
}
