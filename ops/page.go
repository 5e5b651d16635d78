package ops

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math"

	"polaris/models/fault"
	"polaris/models/store"
)

// A Page is which part of a list to give. The zero Page is the beginning.
type Page struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"how many to give at most; 50 where it is left out" schema:"minimum=1,maximum=200"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before; left out for the first page"`
}

// How much of a list is given at once.
const (
	defaultPage = 50
	largestPage = 200
)

// More is the end of a page of a list.
type More struct {
	NextCursor string `json:"next_cursor,omitempty" jsonschema:"where the list goes on; absent on the last page"`
}

// next returns where the list goes on, "" on the last page.
func (m More) next() string { return m.NextCursor }

// A Paged list can be put together from its pages.
type Paged[L any] interface {
	next() string
	with(L) L // the list and the page that follows it
}

// Whole runs a list to its end, for pages and commands that show all of it.
func Whole[L Paged[L]](ctx context.Context, d *Desk, c Call, o *Op[Page, L]) (L, error) {
	all, err := Do(ctx, d, c, o, Page{Limit: largestPage})
	for err == nil && all.next() != "" {
		var l L
		l, err = Do(ctx, d, c, o, Page{Limit: largestPage, Cursor: all.next()})
		all = all.with(l)
	}
	return all, err
}

// stretch reads one page of a list. read gives the rows of a stretch, and mark a
// row's place in the list's order.
func stretch[T any](e *Env, p Page, read func(store.Stretch) ([]T, error), mark func(T) store.Mark) ([]T, More, error) {
	if p.Limit == 0 {
		p.Limit = defaultPage
	}
	if p.Limit < 1 || p.Limit > largestPage {
		return nil, More{}, fault.Field("limit", "limit is between 1 and %d.", largestPage)
	}
	after, err := e.cursor(p.Cursor)
	if err != nil {
		return nil, More{}, err
	}
	rows, err := read(store.Stretch{N: p.Limit + 1, After: after})
	if err != nil || len(rows) <= p.Limit {
		return rows, More{}, err
	}
	rows = rows[:p.Limit]
	return rows, More{e.cursorAt(mark(rows[p.Limit-1]))}, nil
}

var badCursor = &fault.Error{Kind: fault.Invalid, Code: "invalid_cursor", Field: "cursor", Message: "This cursor is none of this list's. Send next_cursor as it came, or leave it out to begin anew."}

// cursorSum is how many bytes of a cursor hold it to its list. That keeps
// mistakes out, and needs no secret: a cursor opens nothing.
const cursorSum = 6

// cursorAt returns the cursor of the rows behind a mark. It fits this list of
// this brain alone.
func (e *Env) cursorAt(m store.Mark) string {
	m.At = m.At.UTC()
	b, err := json.Marshal(m)
	if err != nil {
		panic("cursor: " + err.Error()) // times of rows, numbers and strings always marshal
	}
	return base64.RawURLEncoding.EncodeToString(append(e.cursorSum(b), b...))
}

// cursor returns the mark in a cursor; of "" the zero one.
func (e *Env) cursor(s string) (store.Mark, error) {
	var m store.Mark
	if s == "" {
		return m, nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) < cursorSum || !bytes.Equal(b[:cursorSum], e.cursorSum(b[cursorSum:])) {
		return m, badCursor
	}
	if json.Unmarshal(b[cursorSum:], &m) != nil || !isText(m.ID) || m == (store.Mark{}) || m.N < 0 || m.N > math.MaxInt32 || e.cursorAt(m) != s {
		return store.Mark{}, badCursor
	}
	return m, nil
}

func (e *Env) cursorSum(mark []byte) []byte {
	h := sha256.New()
	h.Write([]byte(e.Audit.Operation + "\x00" + string(e.Call.Brain) + "\x00"))
	h.Write(mark)
	return h.Sum(nil)[:cursorSum]
}
