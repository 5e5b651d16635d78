package store

import (
	"sync/atomic"
	"time"

	"polaris/models"
)

// Stats are what a process's store has done since it was opened, for operators.
// They name no brain.
type Stats struct {
	Connections     int           // open to the database
	InUse           int           // of them
	MostConnections int           // that may be open
	Acquired        int64         // connections taken from the pool
	Waited          int64         // of them, how many had to wait for one
	WaitTime        time.Duration // all takings together

	Commits       int64         // group commits of served rows that reached the disk
	FailedCommits int64         // and that did not
	Rows          int64         // in the commits that did
	CommitTime    time.Duration // all commits together
	Queued        int           // served rows that wait for the next commit
}

// tallies count what the pool does not count for us.
type tallies struct{ commits, failed, rows, nanos atomic.Int64 }

// committed counts one group commit.
func (t *tallies) committed(rows int, took time.Duration, err error) {
	t.nanos.Add(int64(took))
	if err != nil {
		t.failed.Add(1)
		return
	}
	t.commits.Add(1)
	t.rows.Add(int64(rows))
}

// Stats returns the figures of now.
func (s *Store) Stats() Stats {
	p := s.pool.Stat()
	return Stats{
		Connections: int(p.TotalConns()), InUse: int(p.AcquiredConns()), MostConnections: int(p.MaxConns()),
		Acquired: p.AcquireCount(), Waited: p.EmptyAcquireCount(), WaitTime: p.EmptyAcquireWaitTime(),
		Commits: s.tallies.commits.Load(), FailedCommits: s.tallies.failed.Load(), Rows: s.tallies.rows.Load(),
		CommitTime: time.Duration(s.tallies.nanos.Load()), Queued: len(s.served),
	}
}

// A mark is what a brain's rows that are not sealed yet come to, as far as this
// process wrote them.
type mark struct {
	since time.Time // of the oldest; zero where none is known of
	rows  int
}

// and joins two marks of one brain.
func (m mark) and(o mark) mark {
	m.rows += o.rows
	if m.since.IsZero() || !o.since.IsZero() && o.since.Before(m.since) {
		m.since = o.since
	}
	return m
}

// Backlog returns how many audit rows this process wrote that it has not sealed
// since, and how long the oldest of them has waited.
func (z *Sealer) Backlog() (rows int, oldest time.Duration) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, all := range []map[models.BrainID]mark{z.dirty, z.sealing} {
		for _, m := range all {
			rows += m.rows
			if !m.since.IsZero() {
				oldest = max(oldest, time.Since(m.since))
			}
		}
	}
	return rows, oldest
}
