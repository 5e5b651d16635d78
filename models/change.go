package models

// A ReversibleChange is a change of the draft that was made, with what takes it
// back.
type ReversibleChange struct {
	BrainID          BrainID
	AuditID          int64  // of the row that records it
	RecommendationID string // that was applied by it; empty where nobody was asked
	Operation        string // that was done
	Inverse          string // that takes it back
	Input            string // JSON of that
	InputVersion     int
	Target           string // what was changed: "topic card late-fee"
	Remains          string // the revision that it had when the change was made
}
