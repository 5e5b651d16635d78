package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
	"polaris/ops"
)

// A kindOfLimiter makes one kind for a test. The database's is several, each
// with connections of its own, as several processes would have them. With the
// clock held the now of Take counts for both.
type kindOfLimiter struct {
	name string
	make func(t testing.TB, held bool) []ops.Limiter
}

var kindsOfLimiter = []kindOfLimiter{
	{"memory", func(testing.TB, bool) []ops.Limiter { return []ops.Limiter{ops.NewMemoryLimiter()} }},
	{"postgres", func(t testing.TB, held bool) []ops.Limiter {
		s, db := storetest.Open(t, store.Options{})
		var ls []ops.Limiter
		for _, s := range []*store.Store{s, another(t, db), another(t, db)} {
			if held {
				ls = append(ls, ops.NewHeldLimiter(s))
			} else {
				ls = append(ls, ops.NewStoreLimiter(s))
			}
		}
		return ls
	}},
}

// another opens a further pool on a database.
func another(t testing.TB, db storetest.Database) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), db.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// forLimiters runs one test for both kinds of limiter.
func forLimiters(t *testing.T, held bool, test func(t *testing.T, ls []ops.Limiter)) {
	for _, k := range kindsOfLimiter {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			test(t, k.make(t, held))
		})
	}
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// take counts one request that has to be counted.
func take(t testing.TB, l ops.Limiter, caller string, r models.Rate, at time.Duration) ops.Taken {
	t.Helper()
	taken, err := l.Take(t.Context(), caller, r, noon.Add(at))
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

var aMinute = models.Rate{N: 60, Window: time.Minute}

func TestExactlyTheRateOfManyAtOnce(t *testing.T) {
	t.Parallel()
	forLimiters(t, true, func(t *testing.T, ls []ops.Limiter) {
		var ok, failed atomic.Int32
		var wg sync.WaitGroup
		begin := make(chan bool)
		for i := range 400 {
			wg.Go(func() {
				<-begin
				switch taken, err := ls[i%len(ls)].Take(t.Context(), "k", aMinute, noon); {
				case err != nil: // closed, which is no acceptance
					failed.Add(1)
				case taken.OK:
					ok.Add(1)
				}
			})
		}
		began := time.Now()
		close(begin)
		wg.Wait()
		t.Logf("400 took %s; %d failed", time.Since(began).Round(time.Millisecond), failed.Load())
		// On a machine that is too busy some may wait too long for each other.
		if got, late := ok.Load(), failed.Load(); got > 60 || got < 60-late {
			t.Errorf("%d of 400 were accepted and %d failed, want exactly 60 accepted", got, late)
		}
		if got := take(t, ls[0], "k", aMinute, 0); got.OK {
			t.Errorf("one more: %+v, want refused", got)
		}
	})
}

func TestRateIsASlidingWindow(t *testing.T) {
	t.Parallel()
	forLimiters(t, true, func(t *testing.T, ls []ops.Limiter) {
		n := 0
		take := func(at time.Duration) ops.Taken {
			n++
			return take(t, ls[n%len(ls)], "k", aMinute, at)
		}
		for i := range 60 {
			want := ops.Taken{OK: true, Limit: 60, Window: time.Minute, Remaining: 59 - i, Reset: time.Minute - time.Duration(i)*time.Second/2}
			if got := take(time.Duration(i) * time.Second / 2); got != want {
				t.Fatalf("request %d: %+v, want %+v", i+1, got, want)
			}
		}
		for _, c := range []struct {
			at   time.Duration
			want ops.Taken
		}{
			{30 * time.Second, ops.Taken{Reset: 30 * time.Second}},
			{59999 * time.Millisecond, ops.Taken{Reset: time.Millisecond}},
			{60 * time.Second, ops.Taken{OK: true, Reset: 500 * time.Millisecond}}, // the first has left; refused ones did not count
			{60 * time.Second, ops.Taken{Reset: 500 * time.Millisecond}},
			{60499 * time.Millisecond, ops.Taken{Reset: time.Millisecond}},
			{62 * time.Second, ops.Taken{OK: true, Remaining: 3, Reset: 500 * time.Millisecond}},
			{5 * time.Minute, ops.Taken{OK: true, Remaining: 59, Reset: time.Minute}},
		} {
			c.want.Limit, c.want.Window = 60, time.Minute
			if got := take(c.at); got != c.want {
				t.Errorf("after %s: %+v, want %+v", c.at, got, c.want)
			}
		}
	})
}

// A caller at its limit holds no other up, and no limit counts nothing.
func TestCallersAreCountedApart(t *testing.T) {
	t.Parallel()
	forLimiters(t, true, func(t *testing.T, ls []ops.Limiter) {
		one := models.Rate{N: 1, Window: time.Second}
		for _, caller := range []string{"key:a", "key:b", "person:a", "sign-in:ada@example.org from 192.0.2.7/32"} {
			if got := take(t, ls[0], caller, one, 0); !got.OK {
				t.Errorf("%s: %+v, want accepted", caller, got)
			}
			if got := take(t, ls[0], caller, one, 0); got.OK {
				t.Errorf("%s again: %+v, want refused", caller, got)
			}
		}
		off := models.Rate{Off: true}
		for range 3 {
			if got := take(t, ls[0], "key:off", off, 0); got != (ops.Taken{OK: true}) {
				t.Errorf("no limit: %+v", got)
			}
		}
	})
}

// A naive limiter does what the rule says and nothing clever.
type naive struct{ at []time.Duration }

func (m *naive) take(r models.Rate, now time.Duration) ops.Taken {
	if len(m.at) > 0 && slices.Max(m.at) > now+r.Window {
		m.at = nil // the clock was wrong
	}
	if len(m.at) > 0 {
		now = max(now, slices.Max(m.at))
	}
	m.at = slices.DeleteFunc(m.at, func(at time.Duration) bool { return at <= now-r.Window })
	taken := ops.Taken{OK: len(m.at) < r.N, Limit: r.N, Window: r.Window}
	if taken.OK {
		m.at = append(m.at, now)
	}
	taken.Remaining = max(0, r.N-len(m.at))
	for _, at := range m.at {
		later := 0
		for _, other := range m.at {
			if other > at {
				later++
			}
		}
		if later < r.N {
			taken.Reset = at + r.Window - now
			break
		}
	}
	return taken
}

// takeAtOnce takes so many requests at once, and returns what became of them:
// the accepted first, in their order.
func takeAtOnce(t *testing.T, l ops.Limiter, n int, r models.Rate, at time.Duration) []ops.Taken {
	t.Helper()
	got := make([]ops.Taken, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var err error
			if got[i], err = l.Take(t.Context(), "k", r, noon.Add(at)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	slices.SortFunc(got, func(a, b ops.Taken) int {
		if a.OK != b.OK {
			return map[bool]int{true: -1, false: 1}[a.OK]
		}
		return b.Remaining - a.Remaining
	})
	return got
}

// TestLimitersKeepTheRule compares with the naive limiter at random times, many
// of them where windows end, for rates of less and of far more than one block
// of the table, which change now and then.
func TestLimitersKeepTheRule(t *testing.T) {
	t.Parallel()
	for seed, n := range []int{1, 3, 60, 64, 65, 300} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			forLimiters(t, true, func(t *testing.T, ls []ops.Limiter) {
				rnd := rand.New(rand.NewPCG(7, uint64(seed)))
				r := models.Rate{N: n, Window: time.Second}
				var m naive
				var now time.Duration
				accepted, requests := 0, 0
				for i := 0; requests < 2500; i++ {
					switch k := rnd.IntN(1000); {
					case k < 600: // at once
					case k < 960:
						now += time.Duration(rnd.IntN(2000/n+2)) * time.Millisecond
					case k < 985 && len(m.at) > 0: // where the window of one of the oldest ends
						end := m.at[rnd.IntN(min(5, len(m.at)))] + r.Window + time.Duration(rnd.IntN(3)-1)*time.Microsecond
						now = max(now, end)
					case k < 987:
						now += 3 * time.Second
					case k < 993:
						now -= time.Duration(rnd.IntN(300)) * time.Millisecond
					case k < 995:
						now -= 10 * time.Second
					default:
						r.N = 1 + rnd.IntN(2*n)
					}
					burst := 1
					if rnd.IntN(50) == 0 {
						burst = 1 + rnd.IntN(100)
					}
					var want []ops.Taken
					for range burst {
						w := m.take(r, now)
						want = append(want, w)
						if w.OK {
							accepted++
						}
					}
					if got := takeAtOnce(t, ls[i%len(ls)], burst, r, now); !slices.Equal(got, want) {
						t.Fatalf("request %d at %s with %d taken: %+v, want %+v", i, now, len(m.at), got, want)
					}
					requests += burst
				}
				t.Logf("%d of %d accepted", accepted, requests)
				if accepted < requests/50 || accepted > requests*49/50 {
					t.Errorf("%d of %d accepted: the times were no trial", accepted, requests)
				}
			})
		})
	}
}

// TestNeverMoreInAnyWindow presses for several windows of real time, with
// pauses, so that a limit by fixed windows or by a bucket would let more through.
func TestNeverMoreInAnyWindow(t *testing.T) {
	t.Parallel()
	forLimiters(t, false, func(t *testing.T, ls []ops.Limiter) {
		r := models.Rate{N: 20, Window: 400 * time.Millisecond}
		var mu sync.Mutex
		var sent, answered []time.Time // of the accepted
		var wg sync.WaitGroup
		until := time.Now().Add(3 * time.Second)
		for w := range 6 {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(1, uint64(w)))
				for time.Now().Before(until) {
					began := time.Now()
					taken, err := ls[w%len(ls)].Take(t.Context(), "k", r, began)
					if ended := time.Now(); err == nil && taken.OK {
						mu.Lock()
						sent, answered = append(sent, began), append(answered, ended)
						mu.Unlock()
					}
					time.Sleep(time.Duration(rnd.IntN(15)) * time.Millisecond)
				}
			})
		}
		wg.Wait()
		most := 0
		for _, from := range sent {
			in := 0
			for i := range sent {
				// Accepted for certain within the window that begins here.
				if !sent[i].Before(from) && answered[i].Before(from.Add(r.Window)) {
					in++
				}
			}
			most = max(most, in)
		}
		t.Logf("%d accepted in 3 s, at most %d in any %s", len(sent), most, r.Window)
		if most > r.N {
			t.Errorf("%d in one window, want at most %d", most, r.N)
		}
		if len(sent) < 100 {
			t.Errorf("%d accepted in 3 s, want nearly 20 for each of 7 windows", len(sent))
		}
	})
}

func BenchmarkTake(b *testing.B) {
	for _, k := range kindsOfLimiter {
		for _, n := range []int{60, 600, 10_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				l := k.make(b, true)[0]
				r := models.Rate{N: n, Window: time.Minute}
				// Steady: as many as the rate allows, so that one leaves for each that comes.
				step := r.Window/time.Duration(n) + 1
				var now time.Duration
				for i := range min(n, 20_000) {
					now = time.Duration(i) * step
					take(b, l, "k", r, now)
				}
				for b.Loop() {
					now += step
					if !take(b, l, "k", r, now).OK {
						b.Fatal("refused")
					}
				}
			})
		}
		b.Run(k.name+"/refused", func(b *testing.B) {
			l := k.make(b, true)[0]
			for range 60 {
				take(b, l, "k", aMinute, 0)
			}
			for b.Loop() {
				if take(b, l, "k", aMinute, 0).OK {
					b.Fatal("accepted")
				}
			}
		})
		b.Run(k.name+"/16 callers at once", func(b *testing.B) {
			ls := k.make(b, false)
			var callers atomic.Int64
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				i := int(callers.Add(1))
				caller := fmt.Sprint("k", i)
				for pb.Next() {
					if !take(b, ls[i%len(ls)], caller, models.Rate{N: 1_000_000, Window: time.Second}, 0).OK {
						b.Error("refused")
					}
				}
			})
		})
	}
}
