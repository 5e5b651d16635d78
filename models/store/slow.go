package store

import (
	"context"
	"log/slog"
	"time"

	"gorm.io/gorm/logger"
)

// slowStatement is how long a statement may take without being logged.
const slowStatement = time.Second

// A slow is GORM's logger: it tells of slow statements and of nothing else.
// Errors are returned, and whoever gets them knows which are expected; a
// duplicate that becomes a clear refusal is no line in a log. The arguments of
// statements can be secrets and are never logged.
type slow struct{ log *slog.Logger }

var (
	_ logger.Interface = slow{}
	_ interface {
		ParamsFilter(context.Context, string, ...any) (string, []any)
	} = slow{}
)

// LogMode changes nothing.
func (s slow) LogMode(logger.LogLevel) logger.Interface { return s }

// Info says nothing.
func (slow) Info(context.Context, string, ...any) {}

// Warn says nothing.
func (slow) Warn(context.Context, string, ...any) {}

// Error says nothing.
func (slow) Error(context.Context, string, ...any) {}

// Trace tells of a statement that took long.
func (s slow) Trace(ctx context.Context, begin time.Time, statement func() (sql string, rows int64), _ error) {
	took := time.Since(begin)
	if took < slowStatement {
		return
	}
	sql, rows := statement()
	s.log.WarnContext(ctx, "a statement was slow", "sql", sql, "rows", rows, "duration_ms", took.Milliseconds())
}

// ParamsFilter leaves a statement's arguments out.
func (slow) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) { return sql, nil }
