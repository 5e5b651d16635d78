package index

// A posting says how often a term is in a passage, titles weighted.
type posting struct {
	term, doc, count int32
}

// A writer collects what Build needs, passage by passage.
type writer struct {
	surface, terms map[string]int32
	plain          bool
	posts          []posting
	fwd, fwdStart  []int32
	kinds          []Kind
	lengths        []int32 // by passage, titles weighted
	total          int64
	count          []int32 // by term, within the passage being added
	touched        []int32
}

func newWriter(n int) *writer {
	return &writer{
		surface: map[string]int32{}, terms: map[string]int32{},
		fwdStart: append(make([]int32, 0, n+1), 0), lengths: make([]int32, 0, n),
	}
}

// add analyses one passage.
func (w *writer) add(d *Doc) {
	doc := int32(len(w.lengths))
	length := w.field(d.Title, titleWeight, d.English)
	w.fwd = append(w.fwd, gap)
	length += w.field(d.Text, 1, d.English)
	for _, t := range w.touched {
		w.posts = append(w.posts, posting{t, doc, w.count[t]})
		w.count[t] = 0
	}
	w.touched = w.touched[:0]
	w.lengths = append(w.lengths, length)
	w.kinds = append(w.kinds, Kinds(d.Text))
	w.total += int64(length)
	w.fwdStart = append(w.fwdStart, int32(len(w.fwd)))
	w.plain = w.plain || !d.English
}

// field adds the terms of one text, each counted weight times, and returns the
// weighted length.
func (w *writer) field(text string, weight int32, stem bool) (length int32) {
	Words(text, func(word []byte, _, _ int) {
		t := w.term(word, stem)
		if t == stopped {
			return
		}
		if w.count[t] == 0 {
			w.touched = append(w.touched, t)
		}
		w.count[t] += weight
		w.fwd = append(w.fwd, t)
		length += weight
	})
	return length
}

// term numbers the term that a word stands for. Stemming costs twenty times a
// map look-up, so each spelling is stemmed once.
func (w *writer) term(word []byte, stem bool) int32 {
	if !stem {
		return w.number(string(word))
	}
	if t, ok := w.surface[string(word)]; ok {
		return t
	}
	s := string(word)
	t := int32(stopped)
	if !isStop[s] {
		t = w.number(Stem(s))
	}
	w.surface[s] = t
	return t
}

func (w *writer) number(term string) int32 {
	t, ok := w.terms[term]
	if !ok {
		t = int32(len(w.terms))
		w.terms[term] = t
		w.count = append(w.count, 0)
	}
	return t
}
