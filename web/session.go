package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

// SessionCookie is the name of the cookie that a browser is signed in by. Where
// it is no credential, it is still worth a word to who sends it.
const SessionCookie = "polaris_session"

// brainCookie remembers which brain was looked at last; it grants nothing.
const brainCookie = "polaris_brain"

// secretKey is the one value of a session: its random secret. All else is in
// the database, under the secret's hash.
const secretKey = "secret"

// cookies is a sessions.Store whose cookie carries the session's secret and
// nothing else. The signature keeps guesses from costing a query.
type cookies struct {
	codec  *securecookie.SecureCookie
	secure bool
}

var _ sessions.Store = (*cookies)(nil)

func newCookies(key []byte, secure bool) *cookies {
	codec := securecookie.New(key, nil).SetSerializer(securecookie.NopEncoder{})
	codec.MaxAge(int(models.SessionAbsolute.Seconds()))
	return &cookies{codec, secure}
}

func (k *cookies) options() *sessions.Options {
	return &sessions.Options{Path: "/", MaxAge: int(models.SessionAbsolute.Seconds()), HttpOnly: true, Secure: k.secure, SameSite: http.SameSiteLaxMode}
}

// Get returns the request's session, the same one each time.
func (k *cookies) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(k, name)
}

// New reads the request's cookie. A cookie that is not ours is as good as none.
func (k *cookies) New(r *http.Request, name string) (*sessions.Session, error) {
	s := sessions.NewSession(k, name)
	s.Options, s.IsNew = k.options(), true
	for _, c := range r.CookiesNamed(name) {
		var secret []byte
		if k.codec.Decode(name, c.Value, &secret) == nil {
			s.Values[secretKey], s.IsNew = string(secret), false
			break
		}
	}
	return s, nil
}

// Save writes the cookie; one whose MaxAge is negative is deleted.
func (k *cookies) Save(_ *http.Request, w http.ResponseWriter, s *sessions.Session) error {
	if s.Options.MaxAge < 0 {
		http.SetCookie(w, sessions.NewCookie(s.Name(), "", s.Options))
		return nil
	}
	secret, _ := s.Values[secretKey].(string)
	value, err := k.codec.Encode(s.Name(), []byte(secret))
	if err != nil {
		return err
	}
	http.SetCookie(w, sessions.NewCookie(s.Name(), value, s.Options))
	return nil
}

// visit returns who is signed in, or an Unauthenticated fault.
func (s *Server) visit(c echo.Context) (*ops.Visit, error) {
	k, err := s.cookies.Get(c.Request(), SessionCookie)
	if err != nil {
		return nil, err
	}
	secret, ok := k.Values[secretKey].(string)
	if !ok {
		return nil, fault.New(fault.Unauthenticated, "Sign in to go on.").WithCode("signed_out")
	}
	return s.desk.Visit(c.Request().Context(), secret)
}

// begin gives the browser a fresh session in place of any that it had.
func (s *Server) begin(c echo.Context, fresh ops.Session) error {
	s.endSession(c)
	k, err := s.cookies.Get(c.Request(), SessionCookie)
	if err != nil {
		return err
	}
	k.Values[secretKey], k.Options = fresh.Secret, s.cookies.options()
	k.Options.MaxAge = int(time.Until(fresh.ExpiresAt).Seconds())
	return k.Save(c.Request(), c.Response())
}

// endSession ends the session that the browser has, if it has one. A database
// that is away does not keep anybody from signing out here; the session then
// ends by itself.
func (s *Server) endSession(c echo.Context) {
	k, err := s.cookies.Get(c.Request(), SessionCookie)
	if err != nil {
		return
	}
	if secret, ok := k.Values[secretKey].(string); ok {
		if err := s.desk.EndSession(c.Request().Context(), secret); err != nil {
			s.conf.Log.Error("ending a session failed", "request_id", requestID(c), "error", err)
		}
	}
}

// forget takes the session's cookie from the browser.
func (s *Server) forget(c echo.Context) error {
	k, err := s.cookies.Get(c.Request(), SessionCookie)
	if err != nil {
		return err
	}
	k.Options.MaxAge = -1
	return k.Save(c.Request(), c.Response())
}

// local returns next if it is a path of this server, else "/". Whatever a
// browser could read as another site is refused: a second slash, a backslash,
// control characters, a scheme.
func local(next string) string {
	const longest = 2000
	if len(next) > longest || !strings.HasPrefix(next, "/") || strings.Contains(next, "//") || strings.ContainsAny(next, `\#`) {
		return "/"
	}
	for _, r := range next {
		if r < 0x20 || r == 0x7f {
			return "/"
		}
	}
	return next
}
