package verify

import "strings"

// A cue is a word that turns a sentence into another without changing what it
// is about. Cues of one class stand for each other: "must" and "shall" do.
type cue uint8

const (
	noCue     cue = iota
	negation      // not, never, without
	exception     // unless, except
	duty          // must, shall, required
	leave         // may, can, permitted
	advice        // should
	only
	all       // all, any, each, every
	some      // some, sometimes
	before    // and "prior"
	after     // and "following"
	within    //
	least     // at least, minimum, not less than
	most      // at most, maximum
	more      // more than, above, exceeds
	less      // less than, below, under
	condition // if, when, where
	including
)

var cueWords = map[cue]string{
	negation:  "not no never none nor neither without nothing nobody nowhere lack lacks lacking lacked fail fails failed failing unable absent prohibit prohibits prohibited prohibiting forbid forbids forbidden ineligible unlawful illegal refuse refuses refused",
	exception: "unless except excepting excluding exclude excludes excluded notwithstanding",
	duty:      "must shall required requires require obliged obligated mandatory",
	leave:     "may can might could permitted permits permit allowed allows allow optional entitled",
	advice:    "should recommended ought",
	only:      "only solely exclusively",
	all:       "all any each every always both",
	some:      "some sometimes certain",
	before:    "before prior preceding until earlier",
	after:     "after following subsequent later since upon",
	within:    "within",
	least:     "least minimum",
	most:      "most maximum",
	more:      "more above exceed exceeds exceeding exceeded greater higher over",
	less:      "less below under fewer lower",
	condition: "if when whenever where provided",
	including: "including include includes included",
}

var cues = func() map[string]cue {
	m := map[string]cue{}
	for c, ws := range cueWords {
		for w := range strings.FieldsSeq(ws) {
			m[w] = c
		}
	}
	return m
}()

func isCue(w string) bool { return cues[w] != noCue }

// counts returns how often each class of cue stands in a text.
func (x *text) counts() (n [including + 1]int) {
	for _, t := range x.all {
		n[cues[t.word]]++
	}
	return n
}

// antonyms are pairs of word stems that say opposite things.
var antonyms = pairsOf("increas decreas, increas reduc, increas declin, rise fall, high low, promot inhibit, activ inhibit, activ inactiv, induc inhibit, induc suppress, enhanc reduc, enhanc impair, improv worsen, upregul downregul, gain lose, posit negat, accept reject, approv deni, approv reject, grant deni, support oppos, benefici harm, protect expos, larg small, big small, man woman, boy girl, earli late, first last, open close, caus prevent, warm cool, hot cold, strong weak, long short, sit stand, buy sell, lend borrow, debit credit, win lose, begin end, start stop, young old, front back, left right, indoor outdoor, insid outsid, up down, empti full, men women, male femal, add remov, enter leav, push pull, true fals, same differ, black white, lawful unlaw, valid invalid, public privat, volunt mandatori, oral written, joint individu, activ passiv, intern extern, direct indirect, perman temporari")

func pairsOf(list string) map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for p := range strings.SplitSeq(list, ", ") {
		a, b, _ := strings.Cut(p, " ")
		for _, q := range [][2]string{{a, b}, {b, a}} {
			if m[q[0]] == nil {
				m[q[0]] = map[string]bool{}
			}
			m[q[0]][q[1]] = true
		}
	}
	return m
}
