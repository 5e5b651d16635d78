package models

// A Reference is a place of a document that cites a provision, of the document
// itself or of another. Where it leads is found when it is read: what it cites
// may come into the brain after it, or leave.
type Reference struct {
	From  int    `json:"from" gorm:"column:ordinal"` // ordinal of the passage that cites
	Key   string `json:"key"`                        // canonical key of what it cites; without a document's name it is of this one first
	Of    string `json:"of,omitempty"`               // the document that the text says it is of, by a name that is no part of the key
	Start int    `json:"start"`                      // of the words, in the revision's text
	End   int    `json:"end"`
}
