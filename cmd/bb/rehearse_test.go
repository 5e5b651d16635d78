package main

import (
	"slices"
	"testing"

	"github.com/alecthomas/kong"
)

// unrehearsed are the commands that change nothing in a brain, or make or fill
// what holds all of them.
var unrehearsed = []string{
	"serve", "migrate", "backup", "restore", "config", "extract", "connect", "smoke", "retrieve", "replay", "answer", "answer ask",
	"brain list", "brain export", "user list", "apikey list", "source list", "source purged", "card list", "recommendation list", "recommendation show",
	"version list", "version show", "version diff", "audit verify", "audit export", "source diff", "source show", "source refs", "eval golden", "eval retrieval", "eval sentences", "eval verify", "doctor",
}

// Every command that changes something can be rehearsed.
func TestEveryChangeHasADryRun(t *testing.T) {
	t.Parallel()
	k, err := kong.New(&root{}, kong.Name("bb"), vars())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, leaf := range k.Model.Leaves(false) {
		name := leaf.Name
		for p := leaf.Parent; p != nil && p.Parent != nil; p = p.Parent {
			name = p.Name + " " + name
		}
		has := slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool { return f.Name == "dry-run" })
		if changes := !slices.Contains(unrehearsed, name); has != changes {
			t.Errorf("bb %s has a dry run: %t; it is listed as changing something: %t", name, has, changes)
		}
		if has {
			n++
		}
	}
	if n < 15 {
		t.Errorf("%d commands have a dry run", n)
	}
}
