//go:build !linux

package guard

// closeInherited does nothing: nothing is handed down here.
func closeInherited() {}

// shutAway says that this system has nothing to shut a child away with.
func shutAway(j *job) Protection {
	j.Options.Inside = true
	return Protection{User: "same", Missing: []string{"this system has neither namespaces nor Landlock"}}
}
