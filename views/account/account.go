// Package account draws the ways in and out: the first set-up of a server, the
// sign-in form, the page that a one-time link leads to, and what is shown
// after signing out.
package account

import "polaris/views/form"

// Where the forms of these pages are sent, and what they send.
const (
	SetupPath   = "/setup"   // GET, POST: token, name, email, password, again
	SessionPath = "/session" // POST: email, password, next
	LinkPath    = "/link"    // GET: token; POST: token, password, again
)

// A Setup makes the first person, with the token that the server printed when
// it started.
type Setup struct {
	Token, Name, Email, Password, Again form.Entry
	MinPassword                         string // "12" characters
	Problem                             string // of the form as a whole
}

// A SignIn asks for e-mail address and password. Problem must not tell which
// of the two was wrong.
type SignIn struct {
	Email     form.Entry
	Problem   string
	Next      string // where to go on, a path of this server
	SignedOut bool   // the reader has just signed out
}

// A Link is what a one-time link leads to: choose a password and be signed in.
type Link struct {
	Email           string // of the person whom the link was made for
	Token           string
	Password, Again form.Entry
	MinPassword     string
	Problem         string
}
