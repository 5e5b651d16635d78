package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"polaris/models/fault"
)

// origins says where settings came from: the names that the env file gave, and
// the file.
type origins struct {
	file string
	from map[string]bool
}

// loadEnvironment reads the env file into the process's environment and checks
// every POLARIS_ name. It looks ahead for the two flags that say where the file
// is, since flags are parsed only afterwards.
func loadEnvironment(args []string) (*origins, error) {
	path, named := flagValue(args, "--env-file")
	if !named {
		path, named = os.LookupEnv("POLARIS_ENV_FILE")
	}
	if path == "" {
		named = false
		dir, ok := flagValue(args, "--data-dir")
		if !ok {
			dir = cmp.Or(os.Getenv("POLARIS_DATA_DIR"), defaultDataDir())
		}
		path = filepath.Join(dir, "polaris.env")
	}
	from, err := readEnvFile(path, named)
	if err != nil {
		return nil, err
	}
	return &origins{file: path, from: from}, checkNames(os.Environ())
}

// flagValue finds "--name value" or "--name=value".
func flagValue(args []string, name string) (string, bool) {
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, name+"="); ok {
			return v, true
		}
		if a == name && i+1 < len(args) {
			return args[i+1], true
		}
	}
	return "", false
}

// fromEnvironment reads the settings of a command that has no flags for them.
func fromEnvironment(dataDir string) (*checked, error) {
	var s Settings
	k, err := kong.New(&s, kong.Name("bb"), vars(), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		panic(err) // a mistake in the tags; the tests build this parser
	}
	if _, err := k.Parse(nil); err != nil {
		return nil, fault.New(fault.Invalid, "A setting cannot be used: %s.", err)
	}
	s.DataDir = dataDir
	return s.check()
}

// A field is one setting as its tags declare it.
type field struct{ name, env, def, help, secret string }

func fields() []field {
	var fs []field
	for f := range reflect.TypeFor[Settings]().Fields() {
		t := f.Tag
		fs = append(fs, field{f.Name, t.Get("env"), t.Get("default"), t.Get("help"), t.Get("secret")})
	}
	return fs
}

// variables returns the names of all settings.
func variables() []string {
	var names []string
	for _, f := range fields() {
		names = append(names, f.env)
	}
	return names
}

// configCmd prints the effective settings.
type configCmd struct{}

// A shownSetting is one line of `bb config`.
type shownSetting struct {
	Variable string `json:"variable"`
	Value    string `json:"value"`
	From     string `json:"from"` // environment, env file or default
}

// Run prints every setting with its secrets masked.
func (configCmd) Run(c *console, o *origins) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	rows := s.shown(o)
	return c.print(rows, func(w io.Writer) {
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		for _, r := range rows {
			fmt.Fprintf(t, "%s\t%s\t%s\n", r.Variable, r.Value, r.From)
		}
		t.Flush()
	})
}

func (c *checked) shown(o *origins) []shownSetting {
	v := reflect.ValueOf(c.Settings)
	rows := make([]shownSetting, 0, v.NumField())
	for _, f := range fields() {
		r := shownSetting{Variable: f.env, Value: fmt.Sprint(v.FieldByName(f.name)), From: "default"}
		if list, ok := v.FieldByName(f.name).Interface().([]string); ok {
			r.Value = strings.Join(list, ",")
		}
		r.Value = masked(r.Value, f.secret)
		switch _, set := os.LookupEnv(f.env); {
		case o.from[f.env]:
			r.From = o.file
		case set:
			r.From = "environment"
		case f.env == "POLARIS_DATA_DIR" && r.Value != defaultDataDir():
			r.From = "--data-dir"
		}
		rows = append(rows, r)
	}
	return rows
}

// masked hides a secret: all of it, or the password in an address.
func masked(value, secret string) string {
	switch {
	case value == "" || secret == "":
		return value
	case secret == "url":
		if u, err := url.Parse(value); err == nil && u.Scheme != "" && u.Host != "" {
			return u.Redacted()
		}
	}
	return "(set)"
}
