package models

// A Policy is what a brain asks of an answer, and what it does not answer.
type Policy struct {
	// VerifyThreshold is the score from which a sentence counts as verified; 0 is
	// the default.
	VerifyThreshold float64        `json:"verify_threshold,omitempty" gorm:"->"`
	RefusedTopics   []RefusedTopic `json:"refused_topics,omitempty" gorm:"->;serializer:json"`
}

// A RefusedTopic is a subject that a brain does not answer about.
type RefusedTopic struct {
	Label   string   `json:"label"`
	Phrases []string `json:"phrases"` // a question that has all words of one, in order and close together, is about it
}
