package guard

import (
	"strings"
)

// Protection is what a child is shut away by.
type Protection struct {
	Version int `json:"-"` // 1; 0: not known

	Files     string `json:"files"`     // what keeps it from the files of this machine: "mount namespace", "Landlock 7"; "": nothing
	Network   string `json:"network"`   // from the network and sockets: "network namespace", "system call filter"; "": nothing
	Processes string `json:"processes"` // from other processes: "process namespace", "Landlock 7"; "": nothing
	Filter    bool   `json:"filter"`    // only system calls of a list are answered
	User      string `json:"user"`      // "another": it runs as a user who owns nothing; "same"
	Outside   bool   `json:"outside"`   // other programs (tesseract, antiword) may run in there

	Missing []string `json:"missing,omitempty"` // what this system does not allow, and why
}

// String says it in one line.
func (p Protection) String() string {
	or := func(s string) string {
		if s == "" {
			return "nothing"
		}
		return s
	}
	parts := []string{"files: " + or(p.Files), "network: " + or(p.Network), "other processes: " + or(p.Processes)}
	if p.Filter {
		parts = append(parts, "system calls: a list")
	} else {
		parts = append(parts, "system calls: all")
	}
	parts = append(parts, "user: "+p.User, "outside programs: "+map[bool]string{true: "allowed", false: "off"}[p.Outside])
	s := strings.Join(parts, "; ")
	if len(p.Missing) > 0 {
		s += " (" + strings.Join(p.Missing, "; ") + ")"
	}
	return s
}
