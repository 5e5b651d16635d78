package index

// A focus follows a question up to what it asks for: in "What is the overdraft
// fee on an account?" that is the fee. A passage on overdrafts and accounts
// that has no fee does not answer it, however many other words it has.
//
// It opens at what or which, and ends at the first word after the noun that
// leads on: a preposition, a verb, another question word.
type focus int

const (
	before focus = iota // nothing asked yet
	within              // the words of what is asked for come now
	after
)

// stop tells the focus of a stop word or a question word.
func (f *focus) stop(word string) {
	switch {
	case *f == before && (word == "what" || word == "which"):
		*f = within
	case *f == within && !isOpening[word]:
		*f = after
	}
}

// open reports whether a word that is none of these belongs to what is asked
// for.
func (f *focus) open() bool { return *f == within }

// isOpening holds what may stand between what or which and the noun.
var isOpening = wordSet("is are was were s the a an any some our your my their")
