package guard

// limitSelf does nothing: this system has no such limits.
func limitSelf(job) {}
