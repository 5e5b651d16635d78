package index

// wants follows a question up to the word that says what kind of answer it
// asks for: "How long may …", "By when must …", "What is the fee for …". The
// first that asks decides; where it says no kind, the question has none.
type wants struct {
	kind Kind
	last string // what asks and may still say a kind: how, when, what, how many
	left int    // words that may still come after last
	done bool
}

var (
	wantsTime   = wordSet("long soon quickly fast late early old")
	wantsAmount = wordSet("high low large big")
	timeNouns   = wordSet("deadline period duration timeframe")
	amountNouns = wordSet("fee fees charge charges amount price cost percentage share interest rate")
	limitNouns  = wordSet("limit cap maximum minimum threshold age number score ratio")
	auxiliaries = wordSet("is are was were do does did must may can could should shall will would has have might")
	asksNoKind  = wordSet("who whom whose why where must may can could should shall is are do does did will")
)

// word reads the next word of the question, in lower case.
func (w *wants) word(s string) {
	if w.done {
		return
	}
	switch w.last {
	case "":
		w.open(s)
	case "how":
		w.how(s)
	case "when":
		if w.last = ""; auxiliaries[s] {
			w.is(Duration | Moment)
		}
	case "many":
		w.many(s)
	case "much":
		w.is(Amount)
		if s == "time" || s == "notice" || s == "longer" {
			w.kind = Duration
		}
	case "what":
		w.what(s)
	}
}

// open reads a word of what stands before the question proper.
func (w *wants) open(s string) {
	switch {
	case s == "how" || s == "when":
		w.last = s
	case s == "what" || s == "which":
		w.last, w.left = "what", 5
	case asksNoKind[s]:
		w.is(0)
	}
}

func (w *wants) how(s string) {
	switch {
	case wantsTime[s]:
		w.is(Duration)
	case s == "often" || s == "frequently":
		w.is(Repeated)
	case wantsAmount[s]:
		w.is(Amount | Number)
	case s == "many":
		w.last, w.left = s, 2
	case s == "much":
		w.last = s
	default:
		w.is(0)
	}
}

// many reads the words after "how many": days, or what else is counted.
func (w *wants) many(s string) {
	w.kind = Number
	if w.left--; s == "times" {
		w.is(Repeated | Number)
	} else if wordClasses[s]&isUnit != 0 {
		w.is(Duration)
	} else if w.left == 0 || wordClasses[s]&isBetween == 0 {
		w.is(Number)
	}
}

// what reads the words after "what" or "which" up to the noun's end.
func (w *wants) what(s string) {
	w.left--
	switch {
	case timeNouns[s]:
		w.kind = Duration
	case amountNouns[s]:
		w.kind = Amount
	case limitNouns[s]:
		w.kind = Amount | Number
	case isOpening[s] && w.kind == 0:
		w.left++
	case isStop[s] || isQuestion[s] || isOpening[s]:
		w.done = true // the noun has come: "What is the fee for …"
	default:
		w.kind = 0 // not the fee, but the fee schedule
	}
	w.done = w.done || w.left == 0
}

func (w *wants) is(k Kind) { w.kind, w.done = k, true }
