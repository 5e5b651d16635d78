package web

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/ops/door"
)

// How a program asks for an access token, by grant_type.
const (
	bySession  = "" // of the browser that asks
	byPassword = "password"
	byRefresh  = "refresh_token"
)

// The bodies of POST /v1/auth/token, one for each way. A field of another way is
// refused like any that is not known.
type (
	sessionGrant struct {
		BrainID models.BrainID `json:"brain_id"`
		Scopes  []models.Scope `json:"scopes,omitempty"`
	}
	passwordGrant struct {
		GrantType string         `json:"grant_type"`
		Email     string         `json:"email"`
		Password  string         `json:"password"`
		BrainID   models.BrainID `json:"brain_id"`
		Scopes    []models.Scope `json:"scopes,omitempty"`
	}
	refreshGrant struct {
		GrantType    string         `json:"grant_type"`
		RefreshToken string         `json:"refresh_token"`
		Scopes       []models.Scope `json:"scopes,omitempty"`
	}
)

// bodyTime is how long a body of a few lines may take to arrive.
const bodyTime = 10 * time.Second

// auth makes the routes by which programs sign in as a person and out again.
func (s *Server) auth() {
	s.echo.POST("/v1/auth/token", s.createTokens)
	s.echo.DELETE("/v1/auth/token", s.revokeTokens)
	s.echo.DELETE("/v1/auth/sessions", s.endSignIns)
}

func (s *Server) createTokens(c echo.Context) error {
	c.Response().Header().Set("Cache-Control", never)
	raw, err := s.authBody(c, ops.CreateTokens.Entry())
	if err != nil {
		return err
	}
	way, err := grantType(raw)
	if err != nil {
		return err
	}
	var out ops.Tokens
	switch way {
	case bySession:
		out, err = s.tokensBySession(c, raw)
	case byPassword:
		out, err = s.tokensByPassword(c, raw)
	case byRefresh:
		out, err = s.refreshed(c, raw)
	default:
		err = fault.Field("grant_type", "There is no grant_type %q. It is %s or %s, or left out where a browser's session asks.", way, byPassword, byRefresh)
	}
	if err != nil {
		return unauthenticated(c, err)
	}
	return c.JSON(http.StatusOK, out)
}

// authBody reads the body of a request that brings no key and no access token:
// neither gets, ends or renews a person's sign-in. One that does is answered, and
// recorded, as a credential without the right to.
func (s *Server) authBody(c echo.Context, o *ops.Entry) ([]byte, error) {
	if err := s.noProgram(c, o); err != nil {
		return nil, err
	}
	return door.ReadJSON(c.Response(), c.Request(), s.conf.MaxBody, bodyTime)
}

func (s *Server) noProgram(c echo.Context, o *ops.Entry) error {
	r := c.Request()
	credential, err := door.CredentialOf(r)
	if err != nil || credential == "" {
		return err
	}
	p, err := s.door.Principal(r.Context(), c.Response().Header(), r, credential, requestID(c))
	if err != nil {
		return err
	}
	if err := s.door.Take(r.Context(), c.Response().Header(), p); err != nil {
		return err
	}
	_, err = s.desk.Invoke(r.Context(), s.asPerson(c, p), o, nil)
	if err == nil {
		panic("web: a program may do " + o.Name) // the right that it needs is no program's
	}
	return err
}

// asPerson returns the circumstances of an operation on one's own sign-ins.
func (s *Server) asPerson(c echo.Context, p models.Principal) ops.Call {
	return ops.Call{By: p, Brain: p.Brain, Via: ops.Web, RequestID: requestID(c), From: s.from(c).String()}
}

// grantType returns which way a body is of.
func grantType(raw []byte) (string, error) {
	fields, err := ops.ReadObject(raw)
	if err != nil || fields["grant_type"] == nil {
		return bySession, err
	}
	var way string
	if json.Unmarshal(fields["grant_type"], &way) != nil || way == bySession {
		return "", fault.Field("grant_type", "grant_type is %s or %s, or left out where a browser's session asks.", byPassword, byRefresh)
	}
	return way, nil
}

func (s *Server) tokensBySession(c echo.Context, raw []byte) (ops.Tokens, error) {
	in, err := ops.Decode[sessionGrant](raw)
	if err != nil {
		return ops.Tokens{}, err
	}
	v, err := s.visit(c)
	if fault.Is(err, fault.Unauthenticated) {
		err = fault.New(fault.Unauthenticated, "Sign in at a browser, or send grant_type %s or %s.", byPassword, byRefresh).WithCode("missing_credential")
	}
	if err != nil {
		return ops.Tokens{}, err
	}
	if in.BrainID == "" {
		return ops.Tokens{}, fault.Field("brain_id", "Say for which brain: a token is for one.")
	}
	p, err := v.Principal(in.BrainID)
	if err == nil {
		err = s.door.Take(c.Request().Context(), c.Response().Header(), p)
	}
	if err != nil {
		return ops.Tokens{}, err
	}
	return ops.Do(c.Request().Context(), s.desk, s.asPerson(c, p), ops.CreateTokens, ops.CreateTokensIn{Scopes: in.Scopes})
}

// tokensByPassword counts the address first, as the sign-in page does: each try
// costs a slow hash.
func (s *Server) tokensByPassword(c echo.Context, raw []byte) (ops.Tokens, error) {
	in, err := ops.Decode[passwordGrant](raw)
	if err != nil {
		return ops.Tokens{}, err
	}
	if in.BrainID == "" {
		return ops.Tokens{}, fault.Field("brain_id", "Say for which brain: a token is for one.")
	}
	from, now := s.from(c), s.desk.Now()
	if wait := s.signIns.Try(from, now); wait > 0 {
		return ops.Tokens{}, tooMany(c, wait)
	}
	out, err := s.desk.TokensByPassword(c.Request().Context(), s.visitor(c), ops.SignInIn{Email: in.Email, Password: in.Password}, in.BrainID, ops.CreateTokensIn{Scopes: in.Scopes})
	if !fault.Is(err, fault.Unauthenticated) {
		s.signIns.Forgive(from, now)
	}
	return out, err
}

func (s *Server) refreshed(c echo.Context, raw []byte) (ops.Tokens, error) {
	in, err := ops.Decode[refreshGrant](raw)
	if err != nil {
		return ops.Tokens{}, err
	}
	p, err := s.refresher(c, in.RefreshToken)
	if err != nil {
		return ops.Tokens{}, err
	}
	out, err := s.desk.Refresh(c.Request().Context(), s.asPerson(c, p), ops.RefreshTokensIn{RefreshToken: in.RefreshToken, Scopes: in.Scopes})
	if fault.Is(err, fault.Unauthenticated) {
		s.desk.BadKeys.Add(s.from(c), s.desk.Now())
	}
	return out, err
}

// refresher returns whose a refresh token is. Addresses whose credentials fail
// too often are refused before the database is asked.
func (s *Server) refresher(c echo.Context, token string) (models.Principal, error) {
	from, now := s.from(c), s.desk.Now()
	if wait := s.desk.BadKeys.Wait(from, now); wait > 0 {
		return models.Principal{}, tooMany(c, wait)
	}
	if token == "" {
		return models.Principal{}, fault.Field("refresh_token", "Send the refresh token.")
	}
	p, err := s.desk.RefreshPrincipal(c.Request().Context(), token)
	if fault.Is(err, fault.Unauthenticated) {
		s.desk.BadKeys.Add(from, now)
	}
	if err == nil {
		err = s.door.Take(c.Request().Context(), c.Response().Header(), p)
	}
	return p, err
}

// revokeTokens ends a program's sign-in by its refresh token. One that was never
// there has ended, too.
func (s *Server) revokeTokens(c echo.Context) error {
	c.Response().Header().Set("Cache-Control", never)
	raw, err := s.authBody(c, ops.RevokeTokens.Entry())
	if err != nil {
		return err
	}
	in, err := ops.Decode[ops.RevokeTokensIn](raw)
	if err != nil {
		return err
	}
	p, err := s.refresher(c, in.RefreshToken)
	if err == nil {
		_, err = ops.Do(c.Request().Context(), s.desk, s.asPerson(c, p), ops.RevokeTokens, in)
	}
	if err != nil && !fault.Is(err, fault.Unauthenticated) {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// endSignIns signs the person of the browser's session out everywhere.
func (s *Server) endSignIns(c echo.Context) error {
	c.Response().Header().Set("Cache-Control", never)
	if err := s.noProgram(c, ops.EndSignIns.Entry()); err != nil {
		return err
	}
	v, err := s.visit(c)
	if fault.Is(err, fault.Unauthenticated) {
		err = fault.New(fault.Unauthenticated, "Sign in at a browser: only a session ends all of them.").WithCode("missing_credential")
	}
	if err != nil {
		return unauthenticated(c, err)
	}
	p, err := v.Principal(ops.Instance)
	if err != nil {
		return err
	}
	if _, err := ops.Do(c.Request().Context(), s.desk, s.asPerson(c, p), ops.EndSignIns, ops.EndSignInsIn{}); err != nil {
		return err
	}
	if err := s.forget(c); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// unauthenticated returns err, with the challenge that belongs to a 401.
func unauthenticated(c echo.Context, err error) error {
	if fault.Is(err, fault.Unauthenticated) {
		c.Response().Header().Set("WWW-Authenticate", `Bearer realm="polaris"`)
	}
	return err
}
