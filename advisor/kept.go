package advisor

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"polaris/models"
)

// indexFile returns where the index of a version is kept, or nothing. What is
// no version, such as a draft that is tried out, is not kept.
func (c Config) indexFile(of *models.Corpus) string {
	if c.Indexes == "" || of.Version <= 0 {
		return ""
	}
	return filepath.Join(indexFolder(c.Indexes, of.Brain), strconv.Itoa(of.Version)+".index")
}

// indexFolder returns the folder of a brain's indexes. Its name is safe whatever
// the brain's is.
func indexFolder(dir string, brain models.BrainID) string {
	return filepath.Join(dir, "b"+hex.EncodeToString([]byte(brain)))
}

// KeepIn tells the shelf the folder in which engines keep their indexes, so that
// what it forgets is gone from there too. It is called before the first use.
func (s *Shelf) KeepIn(dir string) { s.indexes = dir }

// removeFiles removes a brain's kept indexes: they hold the words of its texts.
func (s *Shelf) removeFiles(brain models.BrainID) {
	if s.indexes != "" {
		_ = os.RemoveAll(indexFolder(s.indexes, brain))
	}
}

// removeOlder removes the kept indexes of versions before one that was loaded,
// and what a process that ended while it wrote has left.
func (s *Shelf) removeOlder(brain models.BrainID, version int) {
	if s.indexes == "" {
		return
	}
	dir := indexFolder(s.indexes, brain)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		n, err := strconv.Atoi(strings.TrimSuffix(f.Name(), ".index"))
		info, gone := f.Info()
		left := gone == nil && time.Since(info.ModTime()) > time.Hour
		if err == nil && n < version || err != nil && left {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// Bound sets how many bytes the engines may hold; 0 means any number. It is
// called before the first use.
func (s *Shelf) Bound(bytes int64) { s.limit = bytes }

// Evicted returns how many engines had to make room for others.
func (s *Shelf) Evicted() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.evicted
}

// use returns the brain's place, and notes that it was asked. The shelf is
// locked.
func (s *Shelf) use(brain models.BrainID) *slot {
	b := s.slot(brain)
	s.clock++
	b.used = s.clock
	return b
}

// whole returns the engine of a version, but for one whose file was cut off
// underneath it.
func (b *slot) whole(version int) *Engine {
	e := b.engines[version]
	if e != nil && e.find != nil && e.find.Index().Broken() {
		delete(b.engines, version)
		return nil
	}
	return e
}

// evict drops the engines of brains that were not asked for longest, until the
// rest is within the bound, but never those of keep. Whoever answers from one of
// them still holds it: its memory and its file's go when the last has answered.
func (s *Shelf) evict(keep *slot) {
	if s.limit <= 0 {
		return
	}
	held := int64(0)
	for _, b := range s.brains {
		held += b.bytes()
	}
	for held > s.limit {
		var oldest *slot
		for _, b := range s.brains {
			if b != keep && len(b.engines) > 0 && (oldest == nil || b.used < oldest.used) {
				oldest = b
			}
		}
		if oldest == nil {
			return
		}
		held -= oldest.bytes()
		s.evicted += int64(len(oldest.engines))
		clear(oldest.engines)
	}
}

func (b *slot) bytes() (n int64) {
	for _, e := range b.engines {
		n += e.Bytes()
	}
	return n
}
