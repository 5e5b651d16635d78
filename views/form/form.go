// Package form draws the fields of a form: label, hint, control and the
// problem beside it. A form that did not validate is drawn again from the same
// structs, filled in.
package form

// An Entry is what somebody typed and what is wrong with it. The value of a
// password is never sent back.
type Entry struct {
	Value   string
	Problem string // one sentence; empty where the value is accepted
}

// A Field is one single-line control.
type Field struct {
	Name         string // also its id
	Label        string
	Type         string // "text", "email", "password"
	Hint         string
	Autocomplete string // as HTML names it; "off" for what no browser should keep
	MinLength    string // "12"; empty for none
	MaxLength    string
	Focus        bool // the form begins here
	Optional     bool
	Entry        Entry
}

// A Choice is one of several values.
type Choice struct {
	Value  string
	Label  string
	Hint   string
	Chosen bool
}

func hintID(name string) string    { return name + "-hint" }
func problemID(name string) string { return name + "-problem" }

// described names what explains a control, for screen readers.
func described(name, hint, problem string) string {
	switch {
	case hint != "" && problem != "":
		return problemID(name) + " " + hintID(name)
	case problem != "":
		return problemID(name)
	case hint != "":
		return hintID(name)
	}
	return ""
}

func fieldState(problem string) string {
	if problem != "" {
		return "error"
	}
	return ""
}
