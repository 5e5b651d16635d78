package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/account"
	"polaris/views/form"
	"polaris/views/layout"
)

// plain returns the frame of a page that stands alone.
func (s *Server) plain() layout.Frame { return layout.Frame{Assets: s.assets} }

// visitor returns the circumstances of an operation of somebody who is not
// signed in.
func (s *Server) visitor(c echo.Context) ops.Call {
	return ops.Call{By: ops.Visitor(), Brain: ops.Instance, Via: ops.Web, RequestID: requestID(c), From: s.from(c).String()}
}

// alone sends a page that stands alone. None is kept by anything: they carry
// tokens, or what somebody typed to sign in.
func alone(c echo.Context, r *refusal, t templ.Component) error {
	return render(c, r.status(), never, t)
}

var minPassword = strconv.Itoa(ops.PasswordMin)

// repeated refuses a password that was not typed the same twice.
func repeated(password, again string) error {
	if password != again {
		return fault.Field("again", "The two passwords differ.")
	}
	return nil
}

func (s *Server) newSetup(c echo.Context) error {
	done, err := s.desk.IsSetUp(c.Request().Context())
	if err != nil {
		return err
	}
	if done {
		return c.Redirect(http.StatusSeeOther, layout.SignInPath)
	}
	return alone(c, nil, account.SetupPage(s.plain(), setupForm(ops.SetUpIn{Token: c.QueryParam("token")}, nil)))
}

func (s *Server) setUp(c echo.Context) error {
	sent, err := posted(c)
	if err != nil {
		return err
	}
	in := ops.SetUpIn{Token: sent.Get("token"), Name: sent.Get("name"), Email: sent.Get("email"), Password: sent.Get("password")}
	if err = repeated(in.Password, sent.Get("again")); err == nil {
		return s.enter(c, "/", func() (ops.Session, error) { return ops.Do(c.Request().Context(), s.desk, s.visitor(c), ops.SetUp, in) },
			func(r *refusal) templ.Component { return account.SetupPage(s.plain(), setupForm(in, r)) })
	}
	r, _ := refused(err)
	return alone(c, r, account.SetupPage(s.plain(), setupForm(in, r)))
}

func setupForm(in ops.SetUpIn, r *refusal) account.Setup {
	return account.Setup{
		Token: r.entry("token", in.Token), Name: r.entry("name", in.Name), Email: r.entry("email", in.Email),
		Password: r.entry("password", ""), Again: r.entry("again", ""), MinPassword: minPassword,
		Problem: r.rest("token", "name", "email", "password", "again"),
	}
}

func (s *Server) newSession(c echo.Context) error {
	done, err := s.desk.IsSetUp(c.Request().Context())
	if err != nil {
		return err
	}
	if !done {
		return c.Redirect(http.StatusSeeOther, account.SetupPath)
	}
	next := local(c.QueryParam("next"))
	if _, err := s.visit(c); err == nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	return alone(c, nil, account.SignInPage(s.plain(), account.SignIn{Next: next, SignedOut: c.QueryParam("done") == "signed-out"}))
}

func (s *Server) signIn(c echo.Context) error {
	sent, err := posted(c)
	if err != nil {
		return err
	}
	in, next := ops.SignInIn{Email: sent.Get("email"), Password: sent.Get("password")}, local(sent.Get("next"))
	return s.enter(c, next, func() (ops.Session, error) {
		return ops.Do(c.Request().Context(), s.desk, s.visitor(c), ops.SignIn, in)
	},
		func(r *refusal) templ.Component {
			return account.SignInPage(s.plain(), account.SignIn{Email: form.Entry{Value: in.Email}, Problem: r.rest(), Next: next})
		})
}

func (s *Server) signOut(c echo.Context) error {
	s.endSession(c)
	if err := s.forget(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, layout.SignInPath+"?done=signed-out")
}

func (s *Server) newLink(c echo.Context) error {
	token := c.QueryParam("token")
	email, err := s.desk.LinkOwner(c.Request().Context(), token)
	if err != nil {
		return err
	}
	return alone(c, nil, account.LinkPage(s.plain(), linkForm(token, email, nil)))
}

func (s *Server) useLink(c echo.Context) error {
	sent, err := posted(c)
	if err != nil {
		return err
	}
	in := ops.UseLinkIn{Token: sent.Get("token"), Password: sent.Get("password")}
	again := func(r *refusal) templ.Component {
		return account.LinkPage(s.plain(), linkForm(in.Token, sent.Get("email"), r))
	}
	if err := repeated(in.Password, sent.Get("again")); err != nil {
		r, _ := refused(err)
		return alone(c, r, again(r))
	}
	return s.enter(c, "/", func() (ops.Session, error) {
		return ops.Do(c.Request().Context(), s.desk, s.visitor(c), ops.UseLink, in)
	}, again)
}

func linkForm(token, email string, r *refusal) account.Link {
	return account.Link{Email: email, Token: token, Password: r.entry("password", ""), Again: r.entry("again", ""), MinPassword: minPassword, Problem: r.rest("password", "again")}
}

// enter runs an operation that starts a session. Where it worked the browser
// gets the session and goes on to next; where it did not, the form comes back.
// The address from which it is tried is counted first, since each try costs a
// slow hash, and forgiven unless it was a credential that did not hold.
func (s *Server) enter(c echo.Context, next string, try func() (ops.Session, error), again func(*refusal) templ.Component) error {
	from, now := s.from(c), s.desk.Now()
	if wait := s.signIns.Try(from, now); wait > 0 {
		return tooMany(c, wait)
	}
	session, err := try()
	if f := fault.Of(err); err == nil || f.Kind != fault.Unauthenticated && f.Code != "link_dead" {
		s.signIns.Forgive(from, now)
	}
	if err == nil {
		if err := s.begin(c, session); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, next)
	}
	r, ok := refused(err)
	if !ok {
		return err
	}
	return alone(c, r, again(r))
}

// tooMany refuses an address whose credentials failed too often of late.
func tooMany(c echo.Context, wait time.Duration) error {
	c.Response().Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())+1))
	return fault.New(fault.Limited, "Too many failed attempts from this address. Try again in a minute.").WithCode("too_many_failures")
}
