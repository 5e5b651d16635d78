package ops_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// lists reads each paged list of the catalog: the names of a page's rows, and
// where it goes on.
func lists(t *testing.T, d *ops.Desk, c ops.Call) map[string]func(ops.Page) ([]string, string, error) {
	return map[string]func(ops.Page) ([]string, string, error){
		"answers": func(p ops.Page) (ids []string, next string, err error) {
			l, err := ops.Do(t.Context(), d, c, ops.ListAnswers, ops.AnswersIn{Page: p})
			for _, a := range l.Answers {
				ids = append(ids, a.ID)
			}
			return ids, l.NextCursor, err
		},
		"sources": func(p ops.Page) (ids []string, next string, err error) {
			l, err := ops.Do(t.Context(), d, c, ops.ListSources, p)
			for _, s := range l.Sources {
				ids = append(ids, s.Code)
				if l.Passages[s.ID] == 0 {
					t.Errorf("source %s has no passages", s.Code)
				}
			}
			return ids, l.NextCursor, err
		},
		"cards": func(p ops.Page) (ids []string, next string, err error) {
			l, err := ops.Do(t.Context(), d, c, ops.ListCards, p)
			for _, k := range l.Cards {
				ids = append(ids, k.ID)
			}
			return ids, l.NextCursor, err
		},
		"versions": func(p ops.Page) (ids []string, next string, err error) {
			l, err := ops.Do(t.Context(), d, c, ops.ListVersions, p)
			for _, v := range l.Versions {
				ids = append(ids, fmt.Sprint(v.N))
			}
			return ids, l.NextCursor, err
		},
		"keys": func(p ops.Page) (ids []string, next string, err error) {
			l, err := ops.Do(t.Context(), d, c, ops.ListAPIKeys, p)
			for _, k := range l.Keys {
				ids = append(ids, k.ID)
			}
			return ids, l.NextCursor, err
		},
	}
}

// grow adds one row to each list.
func grow(t *testing.T, d *ops.Desk, c ops.Call, n int) {
	name := fmt.Sprintf("%c%d", 'a'+n%26, n)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: name + ".md", Title: name, Code: strings.ToUpper(name), Data: []byte("# " + name + "\n\nThe word is " + name + ".\n")})
	must(t, d, c, ops.SaveCard, ops.SaveCardIn{ID: name, Label: name, Covers: name, Anchors: []string{"HR 1(a)"}})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: name})
	must(t, d, ops.Call{By: models.System(c.Brain), Brain: c.Brain, Via: ops.CLI}, ops.Answer, ops.AskIn{Query: "What is the word?"})
}

// Each list, read in pages of any size, is the whole list, in its order, each
// row once; rows that come while it is read move nothing.
func TestListsInPages(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	for n := range 7 {
		grow(t, d, c, n)
	}
	first := map[string][]string{}
	for name, page := range lists(t, d, c) {
		all, next, err := page(ops.Page{})
		if err != nil || next != "" || len(all) != 7 {
			t.Fatalf("%s: %v, next %q, %v", name, all, next, err)
		}
		for _, size := range []int{1, 2, 3, 6, 7, 8, 200} {
			var got []string
			cursor, pages := "", 0
			for {
				ids, next, err := page(ops.Page{Limit: size, Cursor: cursor})
				if err != nil || len(ids) > size || len(ids) == 0 || pages > len(all) {
					t.Fatalf("%s by %d: %v %v", name, size, ids, err)
				}
				got, cursor, pages = append(got, ids...), next, pages+1
				if next == "" {
					break
				}
			}
			if !slices.Equal(got, all) || pages != (7+size-1)/size {
				t.Errorf("%s by %d: %v in %d pages, want %v", name, size, got, pages, all)
			}
		}
		_, cursor, err := page(ops.Page{Limit: 3})
		if err != nil || cursor == "" {
			t.Fatalf("%s: cursor %q, %v", name, cursor, err)
		}
		first[name] = append([]string{cursor}, all...)
	}
	grow(t, d, c, 7) // newer than all, and by name behind them
	for name, page := range lists(t, d, c) {
		rest, _, err := page(ops.Page{Cursor: first[name][0], Limit: 4})
		if want := first[name][4:]; err != nil || !slices.Equal(rest, want) {
			t.Errorf("%s after an insert: %v %v, want %v", name, rest, err, want)
		}
	}
	if whole, err := ops.Whole(t.Context(), d, c, ops.ListVersions); err != nil || len(whole.Versions) != 8 || whole.NextCursor != "" || whole.Published != 8 {
		t.Errorf("whole: %+v %v", whole, err)
	}
}

// A cursor that is not the list's own, in any way, is refused and does no harm.
func TestCursorsAreHeldToTheirLists(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c, other := newBrain(t, d, "calliope", false), newBrain(t, d, "urania", false)
	for n := range 2 {
		grow(t, d, c, n)
		grow(t, d, other, n)
	}
	own, theirs := map[string]string{}, map[string]string{}
	for name, page := range lists(t, d, c) {
		_, own[name], _ = page(ops.Page{Limit: 1})
	}
	for name, page := range lists(t, d, other) {
		_, theirs[name], _ = page(ops.Page{Limit: 1})
	}
	for name, page := range lists(t, d, c) {
		raw, err := base64.RawURLEncoding.DecodeString(own[name])
		if err != nil {
			t.Fatal(err)
		}
		wrong := []string{"x", "AAAA", "🙂", own[name] + "A", own[name][1:], strings.ToUpper(own[name]), own[name] + "=", theirs[name], strings.Repeat("A", 100_000)}
		for i := range raw {
			b := slices.Clone(raw)
			b[i] ^= 1
			wrong = append(wrong, base64.RawURLEncoding.EncodeToString(b))
		}
		for foreign, cursor := range own {
			if foreign != name {
				wrong = append(wrong, cursor)
			}
		}
		for _, cursor := range wrong {
			_, _, err := page(ops.Page{Cursor: cursor})
			if f := fault.Of(err); f == nil || f.Kind != fault.Invalid || f.Code != "invalid_cursor" || f.Field != "cursor" {
				t.Errorf("%s with cursor %.60q: %v", name, cursor, err)
			}
		}
		for _, limit := range []int{-1, 201, 1 << 40} {
			if _, _, err := page(ops.Page{Limit: limit}); fault.Of(err) == nil || fault.Of(err).Field != "limit" {
				t.Errorf("%s with limit %d: %v", name, limit, err)
			}
		}
	}
}

// A change of a revision that its caller did not see is refused.
func TestMatch(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := newBrain(t, d, "calliope", false)
	card := ops.SaveCardIn{ID: "fees", Label: "Fees", Covers: "fees", Anchors: []string{"HR 1(a)"}}
	seen := func(tags ...string) ops.Call { c := c; c.IfMatch = tags; return c }
	outdated := func(err error) bool { return fault.Is(err, fault.Outdated) }
	if _, err := ops.Do(t.Context(), d, seen("*"), ops.SaveCard, card); !outdated(err) {
		t.Errorf("a card that is not there: %v", err)
	}
	first := must(t, d, c, ops.SaveCard, card).ETag()
	second := must(t, d, seen("r7", first), ops.SaveCard, card).ETag()
	if first == second {
		t.Errorf("both revisions are %s", first)
	}
	if _, err := ops.Do(t.Context(), d, seen(first), ops.SaveCard, card); !outdated(err) {
		t.Errorf("an older revision: %v", err)
	}
	if got := must(t, d, c, ops.GetCard, ops.CardIDIn{ID: "fees"}).ETag(); got != second {
		t.Errorf("the refused change left %s, want %s", got, second)
	}
	fresh := c
	fresh.IfNew = true
	if _, err := ops.Do(t.Context(), d, fresh, ops.SaveCard, card); !outdated(err) {
		t.Errorf("a card that should be new: %v", err)
	}
	if _, err := ops.Do(t.Context(), d, seen(first), ops.DeleteCard, ops.CardIDIn{ID: "fees"}); !outdated(err) {
		t.Errorf("deleting an older revision: %v", err)
	}
	must(t, d, seen("*"), ops.DeleteCard, ops.CardIDIn{ID: "fees"})
	must(t, d, fresh, ops.SaveCard, card)
}
