// Package chromium finds the browser that some tests drive.
package chromium

import (
	"os"
	"os/exec"
	"testing"
)

// programs are the names and places of Chromium and what descends from it, on
// Debian, Ubuntu and macOS. They are those that scripts/need looks for.
var programs = []string{
	"chromium", "chromium-browser", "google-chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
}

// Path returns the browser's program. Where there is none the test is skipped,
// and fails under CI.
func Path(tb testing.TB) string {
	tb.Helper()
	for _, name := range programs {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	if os.Getenv("CI") != "" {
		tb.Fatal("no Chromium for the browser test: install it, as with apt-get install -y chromium")
	}
	tb.Skip("no Chromium for the browser test: install it, as with apt-get install -y chromium")
	return ""
}
