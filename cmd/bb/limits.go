package main

import (
	"cmp"
	"log/slog"

	"polaris/models/store"
	"polaris/ops"
)

// Where counts of requests may live.
const (
	ratesInMemory   = "memory"
	ratesInPostgres = "postgres"
)

// rateStore is where the counts of requests live. A database elsewhere may have
// other processes beside this one; the private one hardly ever does.
func (c *checked) rateStore() string {
	if c.DatabaseURL == "" {
		return cmp.Or(c.RateLimitStore, ratesInMemory)
	}
	return cmp.Or(c.RateLimitStore, ratesInPostgres)
}

// limiter returns what counts the requests of each caller.
func (c *checked) limiter(s *store.Store) ops.Limiter {
	if c.rateStore() == ratesInPostgres {
		return ops.NewStoreLimiter(s)
	}
	return ops.NewMemoryLimiter()
}

// warnOfRates says at start where the limit is weaker than one might think.
func (c *checked) warnOfRates(log *slog.Logger) {
	switch {
	case c.rate.Off:
		log.Warn("POLARIS_RATE_LIMIT is off: a caller without a rate of its own may send as many requests as it likes")
	case c.rateStore() == ratesInMemory && c.DatabaseURL != "":
		log.Warn("POLARIS_RATE_LIMIT_STORE is memory: each process on this database counts for itself, so a caller has its rate at every one of them")
	}
}
