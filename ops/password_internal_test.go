package ops

import (
	"strings"
	"testing"
	"time"
)

// Trying somebody who is not there costs what trying somebody who is does.
func TestNobodysPasswordTakesAsLong(t *testing.T) {
	t.Parallel()
	real := hashPassword("a password of somebody")
	if got, want := strings.Split(noPassword, "$")[:4], strings.Split(real, "$")[:4]; strings.Join(got, "$") != strings.Join(want, "$") {
		t.Errorf("it is hashed as %v, a real one as %v", got, want)
	}
	start := time.Now()
	if passwordMatches(noPassword, "a password of somebody") {
		t.Error("nobody has that password")
	}
	if took := time.Since(start); took < 2*time.Millisecond {
		t.Errorf("it took %v: nothing was hashed", took)
	}
}
