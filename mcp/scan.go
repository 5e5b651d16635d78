package mcp

import "encoding/json"

// Messages are read by their members, and a member's value as the bytes that it
// has. json.Valid and utf8.Valid have been through all of it before, so what follows only has
// to find where values end; encoding/json's decoder would read each level anew.

// space returns the first place from i on that is no white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// quotes returns where the string that begins at i ends, and whether it has
// escapes.
func quotes(b []byte, i int) (end int, escaped bool) {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			return i + 1, escaped
		}
	}
	return len(b), escaped
}

// value returns where the value that begins at i ends.
func value(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i, _ = quotes(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // of what a number or a word stood in
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// eachMember calls f with the members of the object b, which is valid JSON, until
// f returns false.
func eachMember(b []byte, f func(name string, v json.RawMessage) bool) {
	for i := space(b, space(b, 0)+1); i < len(b) && b[i] == '"'; {
		end, escaped := quotes(b, i)
		name := string(b[i+1 : end-1])
		if escaped {
			_ = json.Unmarshal(b[i:end], &name) // valid
		}
		i = space(b, space(b, end)+1)
		end = value(b, i)
		if !f(name, json.RawMessage(b[i:end:end])) {
			return
		}
		i = space(b, end)
		if i < len(b) && b[i] == ',' {
			i = space(b, i+1)
		}
	}
}

// eachElement calls f with the elements of the array b, which is valid JSON, until
// f returns false.
func eachElement(b []byte, f func(v json.RawMessage) bool) {
	for i := space(b, space(b, 0)+1); i < len(b) && b[i] != ']'; {
		end := value(b, i)
		if !f(json.RawMessage(b[i:end:end])) {
			return
		}
		i = space(b, end)
		if i < len(b) && b[i] == ',' {
			i = space(b, i+1)
		}
	}
}
