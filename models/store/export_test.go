package store

import "context"

// Flush seals once, as each tick of [Sealer.Run] does.
func (z *Sealer) Flush(ctx context.Context) { z.flush(ctx) }
