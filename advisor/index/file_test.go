package index

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// someDocs are passages of random words, of several languages.
func someDocs(n int) []Doc {
	rnd := rand.New(rand.NewPCG(3, uint64(n)))
	docs := make([]Doc, n)
	for i := range docs {
		ws := make([]string, 3+rnd.IntN(30))
		for j := range ws {
			ws[j] = fmt.Sprintf("wörd%d", int(500*rnd.Float64()*rnd.Float64()))
		}
		docs[i] = Doc{Title: ws[0], Text: strings.Join(ws, " ") + " within 30 days 信用卡", English: i%3 > 0}
	}
	return docs
}

// What was saved and loaded answers like what was built, and is written alike.
func TestFileIsTheIndex(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 40, leastLatent + 5} {
		docs := someDocs(n)
		built, key := Build(docs), KeyOf(docs)
		path := filepath.Join(t.TempDir(), "1.index")
		if err := built.Save(path, key); err != nil {
			t.Fatal(err)
		}
		x, err := Load(path, key)
		if err != nil {
			t.Fatalf("%d passages: %v", n, err)
		}
		if x.Name() != built.Name() || x.Bytes() != built.Bytes() {
			t.Errorf("%d passages: %s of %d bytes, want %s of %d", n, x.Name(), x.Bytes(), built.Name(), built.Bytes())
		}
		for i := range min(n, 50) {
			a, b := built.Query(docs[i].Text), x.Query(docs[i].Text)
			if got, want := x.Search(b, 20), built.Search(a, 20); !slices.Equal(got, want) {
				t.Fatalf("%d passages, question %d: got %v, want %v", n, i, got, want)
			}
			d := int32(n - 1 - i)
			if x.MatchPassage(b, d) != built.MatchPassage(a, d) || x.Kinds(d) != built.Kinds(d) {
				t.Fatalf("passage %d differs", d)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v: want a file for its owner alone", info.Mode(), err)
		}
	}
}

// A file that is not exactly what is wanted is never read from.
func TestFileIsCheckedWhole(t *testing.T) {
	t.Parallel()
	docs := someDocs(60)
	key, dir := KeyOf(docs), t.TempDir()
	path := filepath.Join(dir, "1.index")
	if err := Build(docs).Save(path, key); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name string, b []byte) {
		t.Helper()
		bad := filepath.Join(dir, "bad.index")
		if err := os.WriteFile(bad, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if x, err := Load(bad, key); !errors.Is(err, ErrNotIt) || x != nil {
			t.Errorf("%s: got %v, want %v", name, err, ErrNotIt)
		}
	}
	for n := 0; n < len(whole); n += 1 + n/5 {
		refused(fmt.Sprintf("cut off after %d bytes", n), whole[:n])
	}
	rnd := rand.New(rand.NewPCG(5, 5))
	for i := range 300 {
		at := rnd.IntN(len(whole))
		if i < headSize {
			at = i
		}
		b := slices.Clone(whole)
		b[at] ^= 1 << rnd.IntN(8)
		refused(fmt.Sprintf("byte %d changed", at), b)
	}
	refused("one byte more", append(slices.Clone(whole), 0))
	refused("another file", []byte(strings.Repeat("text ", 1000)))
	if _, err := Load(filepath.Join(dir, "none"), key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Load(dir, key); err == nil {
		t.Error("a folder was loaded")
	}
	for name, change := range map[string]func(d *Doc){
		"text":     func(d *Doc) { d.Text += "." },
		"title":    func(d *Doc) { d.Title, d.Text = d.Title+d.Text[:1], d.Text[1:] },
		"language": func(d *Doc) { d.English = !d.English },
	} {
		other := slices.Clone(docs)
		change(&other[7])
		if _, err := Load(path, KeyOf(other)); !errors.Is(err, ErrNotIt) {
			t.Errorf("another %s of a passage: %v", name, err)
		}
	}
}

// A file that something else cuts off while it is mapped fails the search and
// not the process, and the index says so.
func TestFileCutOffWhileMapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are not mapped there")
	}
	docs := someDocs(3000)
	key, path := KeyOf(docs), filepath.Join(t.TempDir(), "1.index")
	if err := Build(docs).Save(path, key); err != nil {
		t.Fatal(err)
	}
	x, err := Load(path, key)
	if err != nil {
		t.Fatal(err)
	}
	q := x.Query(docs[5].Text)
	if len(x.Search(q, 10)) == 0 || x.Broken() {
		t.Fatal("nothing found, or broken before anything broke")
	}
	if err := os.Truncate(path, headSize); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(){
		"search": func() { x.Search(q, 10) },
		"match":  func() { x.MatchPassage(q, 2999) },
	} {
		x.file.broken.Store(false)
		failed := func() (r any) {
			defer func() { r = recover() }()
			read()
			return nil
		}()
		if failed == nil || !x.Broken() {
			t.Errorf("%s: %v, broken %v: want a failure that is noted", name, failed, x.Broken())
		}
	}
	if _, err := Load(path, key); !errors.Is(err, ErrNotIt) {
		t.Errorf("loaded again: %v", err)
	}
}

// Several may write and read one file at once: every reader has a whole index,
// also of a file that was replaced under it.
func TestFileIsShared(t *testing.T) {
	t.Parallel()
	docs := someDocs(600)
	built, key, path := Build(docs), KeyOf(docs), filepath.Join(t.TempDir(), "1.index")
	if err := built.Save(path, key); err != nil {
		t.Fatal(err)
	}
	want := built.Search(built.Query(docs[9].Text), 20)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				if i%4 == 0 {
					if err := built.Save(path, key); err != nil {
						t.Error(err)
					}
					continue
				}
				x, err := Load(path, key)
				if err != nil {
					t.Error(err)
					return
				}
				runtime.GC()
				if got := x.Search(x.Query(docs[9].Text), 20); !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
	wg.Wait()
}
