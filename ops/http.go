package ops

import (
	"slices"
	"strings"

	"polaris/models/fault"
)

// An HTTP is what REST needs to know of an operation, beyond its route. The
// zero value is right for most: 200 with the output as JSON, for people's
// sessions and access tokens, not for API keys.
type HTTP struct {
	Status  int    // of success; 0: 200. With 204 the output is not sent
	Keys    bool   // API keys may use it (SPEC §2); anything else they are refused
	IfMatch bool   // it changes something that has a revision, and calls [Env.Match] before it does
	Upload  bool   // its input may be as large as a document, and may come as multipart/form-data
	Example string // an input as JSON, for the documentation; ids in it are made up
}

// Method returns the method of the operation's route, "" where it has none.
func (o *Entry) Method() string {
	method, _, _ := strings.Cut(o.Route, " ")
	return method
}

// Path returns the path of the operation's route, with parameters in braces.
func (o *Entry) Path() string {
	_, path, _ := strings.Cut(o.Route, " ")
	return path
}

// A Tagged output is something with a revision: its entity tag changes whenever
// it does. The tag is without quotes.
type Tagged interface{ ETag() string }

// Match refuses a change whose caller saw another revision than the one that
// tag names; "" is the tag of what is not there. It is to be called in Run, when
// what will be changed is locked. A caller who names no revision takes any.
func (e *Env) Match(tag string) error {
	if e.Call.IfNew && tag != "" {
		return fault.New(fault.Outdated, "It is there already. Read it, and send its ETag as If-Match to change it.")
	}
	want := e.Call.IfMatch
	if len(want) == 0 || tag != "" && (slices.Contains(want, tag) || slices.Contains(want, "*")) {
		return nil
	}
	return fault.New(fault.Outdated, "It has changed since you read it. Read it again, and send its new ETag as If-Match.")
}
