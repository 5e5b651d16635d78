package models

// A Corpus is the frozen content of one version of a brain, all that the
// engine is built from.
type Corpus struct {
	Brain   BrainID
	Version int // 0 for a draft
	Docs    []Doc
	Cards   []TopicCard
}

// A Doc is one source of a corpus in the revision that the version froze.
type Doc struct {
	Source   Source
	Revision Revision
	Passages []Passage // by ordinal
	Terms    []Term
	Refs     []Reference // what its passages cite, in the order of the text
}
