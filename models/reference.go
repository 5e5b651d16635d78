package models

// A Reference is a place of a document that cites a provision, of the document
// itself or of another.
type Reference struct {
	From int    `json:"from"` // ordinal of the passage that cites
	Key  string `json:"key"`  // canonical key of what it cites
}
