package localpg

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// settings are what a supervisor is told on its command line: the data folder,
// then words of the form name=value, which `ps` shows and no flag parser minds.
type settings struct {
	dir    string
	bin    string
	linger time.Duration
	fast   bool
	extra  []string
}

func (s settings) args() []string {
	a := []string{s.dir, "linger=" + s.linger.String()}
	if s.bin != "" {
		a = append(a, "bin="+s.bin)
	}
	if s.fast {
		a = append(a, "fast=true")
	}
	for _, e := range s.extra {
		a = append(a, "set="+e)
	}
	return a
}

func parseSettings(args []string) (settings, error) {
	var s settings
	if len(args) == 0 {
		return s, fmt.Errorf("the data folder is missing; this command is started by others, not by hand")
	}
	s.dir, s.linger = args[0], DefaultLinger
	for _, a := range args[1:] {
		k, v, _ := strings.Cut(a, "=")
		var err error
		switch k {
		case "linger":
			s.linger, err = time.ParseDuration(v)
		case "bin":
			s.bin = v
		case "fast":
			s.fast, err = strconv.ParseBool(v)
		case "set":
			s.extra = append(s.extra, v)
		default:
			err = fmt.Errorf("it is not known")
		}
		if err != nil {
			return s, fmt.Errorf("setting %q: %w", a, err)
		}
	}
	return s, nil
}
