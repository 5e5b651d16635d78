package localpg

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"polaris/models/fault"
)

// Oldest is the oldest major version of PostgreSQL that will do.
const Oldest = 14

// Hint names the command that installs PostgreSQL on this kind of machine.
func Hint() string {
	if runtime.GOOS == "darwin" {
		return "brew install postgresql@17"
	}
	if _, err := exec.LookPath("dnf"); err == nil {
		return "dnf install postgresql-server"
	}
	if _, err := exec.LookPath("apk"); err == nil {
		return "apk add postgresql"
	}
	return "apt-get install -y postgresql"
}

// Find returns the folder of the machine's PostgreSQL programs and their major
// version: of version pin, or for pin 0 the one that PATH names, else the
// newest. It looks where Debian, Fedora, Homebrew and Postgres.app put them.
// The error is a NotReady fault with the code postgres_missing or
// postgres_version.
func Find(pin int) (bin string, major int, err error) { return find(candidates(), pin) }

func find(dirs []string, pin int) (string, int, error) {
	// A folder named for the version is most likely of that version: asking it
	// first saves starting the others.
	slices.SortStableFunc(dirs, func(a, b string) int {
		named := func(d string) int { return btoi(pin == 0 || !slices.Contains(numbers(d), pin)) }
		return cmp.Compare(named(a), named(b))
	})
	var seen []string
	for _, d := range dirs {
		if _, err := os.Stat(filepath.Join(d, "initdb")); err != nil {
			continue // a client without its server
		}
		m, err := majorOf(d)
		if err != nil {
			continue
		}
		if m == pin || (pin == 0 && m >= Oldest) {
			return d, m, nil
		}
		if v := strconv.Itoa(m); !slices.Contains(seen, v) {
			seen = append(seen, v)
		}
	}
	switch {
	case len(seen) == 0 && pin == 0:
		return "", 0, fault.New(fault.NotReady, "no PostgreSQL server programs found; %s, or set POLARIS_DATABASE_URL", Hint()).WithCode("postgres_missing")
	case len(seen) == 0:
		return "", 0, fault.New(fault.NotReady, "no PostgreSQL server programs found, and the data folder needs version %d; %s, or set POLARIS_DATABASE_URL", pin, Hint()).WithCode("postgres_missing")
	case pin == 0:
		return "", 0, fault.New(fault.NotReady, "PostgreSQL %s is too old, %d or newer is needed; %s, or set POLARIS_DATABASE_URL", strings.Join(seen, ", "), Oldest, Hint()).WithCode("postgres_version")
	}
	return "", 0, fault.New(fault.NotReady, "the data folder is of PostgreSQL %d and this machine has %s; nothing was changed: install PostgreSQL %d, or dump and restore", pin, strings.Join(seen, ", "), pin).WithCode("postgres_version")
}

func candidates() []string {
	var dirs []string
	if p, err := exec.LookPath("postgres"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			dirs = append(dirs, filepath.Dir(p))
		}
	}
	for _, g := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*", "/usr/local/pgsql/bin",
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin", "/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin", "/usr/bin",
	} {
		m, _ := filepath.Glob(g) // the pattern is good
		slices.SortFunc(m, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
		dirs = append(dirs, m...)
	}
	return dirs
}

// numbers returns the numbers in s, so that 9 sorts before 15.
func numbers(s string) []int {
	var ns []int
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(f); err == nil {
			ns = append(ns, n)
		}
	}
	return ns
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// majorOf asks the programs in dir for their version, which reads
// "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)" or "… 18beta1".
func majorOf(dir string) (int, error) {
	b, err := exec.Command(filepath.Join(dir, "postgres"), "-V").Output()
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	ns := numbers(rest)
	if len(ns) == 0 {
		return 0, fmt.Errorf("no version in %q", b)
	}
	return ns[0], nil
}
