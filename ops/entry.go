package ops

import (
	"context"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// A Session is a fresh browser session: the secret goes into the cookie and is
// kept nowhere else.
type Session struct {
	Secret    string    `json:"-"`
	ExpiresAt time.Time `json:"expires_at"`
	Email     string    `json:"email"`
}

// How long one-time links can be used.
const (
	SetupLinkLife  = 24 * time.Hour
	SignInLinkLife = 7 * 24 * time.Hour
)

// SignInIn is an e-mail address and a password.
type SignInIn struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// SignIn starts a browser session with an e-mail address and a password.
var SignIn = &Op[SignInIn, Session]{
	Name: "session.start", Title: "Sign in", Summary: "Start a browser session.",
	Class: Reversible, Needs: models.MayEnter, Offered: Web,
	Final:       "a sign-in is ended by signing out",
	Unrehearsed: "it is how one signs in",
	Stage:       func(ctx context.Context, e *Env, in SignInIn) (any, error) { return checkSignIn(ctx, e, in) },
	Run: func(_ context.Context, e *Env, _ SignInIn) (Session, error) {
		p := e.Staged.(*models.Person)
		if err := stillFits(e, p); err != nil {
			return Session{}, err
		}
		return startSession(e, p)
	},
}

// Attempts at one account are bounded twice: from one place to what a person
// who mistypes may need, and from everywhere to far more, so that a stranger who
// guesses wrongly does not lock the person out.
var (
	signInsFromOnePlace = models.Rate{N: 10, Window: 10 * time.Minute}
	signInsInAll        = models.Rate{N: 100, Window: 10 * time.Minute}
)

// wrongSignIn is the answer to an address and a password that do not fit,
// whichever of them is wrong.
var wrongSignIn = &fault.Error{Kind: fault.Unauthenticated, Code: "wrong_sign_in", Field: "password", Message: "E-mail address and password do not fit together."}

func checkSignIn(ctx context.Context, e *Env, in SignInIn) (*models.Person, error) {
	email, ok := models.CleanEmail(in.Email)
	if !ok {
		return nil, wrongSignIn
	}
	e.Audit.Target = email
	for _, by := range []struct {
		caller string
		rate   models.Rate
	}{{"sign-in:" + email + " from " + e.Call.From, signInsFromOnePlace}, {"sign-in:" + email, signInsInAll}} {
		t, err := e.desk.Limiter.Take(ctx, by.caller, by.rate, e.Now)
		if err != nil {
			return nil, fault.New(fault.Limited, "Sign-ins cannot be counted just now, so nobody is let in: the store that counts them (POLARIS_RATE_LIMIT_STORE) does not answer in time. Try again in a moment.").Because(err)
		}
		if !t.OK {
			return nil, fault.New(fault.Limited, "Too many attempts for this address. Try again in %s.", t.Reset.Round(time.Minute)+time.Minute)
		}
	}
	p, err := e.Store().PersonByEmail(ctx, email)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	hash := noPassword
	if p != nil && p.PasswordHash != "" {
		hash = p.PasswordHash
	}
	// The hash is computed either way: how long it takes must not tell who is here.
	if !passwordMatches(hash, in.Password) || p == nil || p.DisabledAt != nil || p.PasswordHash == "" {
		return nil, wrongSignIn
	}
	return p, nil
}

// stillFits refuses a person whose sign-ins were ended since their password was
// checked: what is given to them now would outlive that.
func stillFits(e *Env, p *models.Person) error {
	fits, err := e.Tx.StillSignedIn(p.ID, p.TokenVersion)
	if err == nil && !fits {
		err = wrongSignIn
	}
	return err
}

// cameIn notes in the audit row whom the visitor turned out to be.
func cameIn(e *Env, p *models.Person) {
	e.Audit.Person, e.Audit.Actor, e.Audit.Kind, e.Audit.Authenticated = p.ID, p.Email, models.KindPerson, true
}

// startSession makes a session with a new random id, so an id that was known
// before signing in is worth nothing afterwards.
func startSession(e *Env, p *models.Person) (Session, error) {
	s := Session{Secret: models.NewSecret("session"), ExpiresAt: e.Now.Add(models.SessionAbsolute), Email: p.Email}
	cameIn(e, p)
	return s, e.Tx.InsertSession(&models.Session{Hash: HashSecret(s.Secret), PersonID: p.ID, CreatedAt: e.Now, SeenAt: e.Now, ExpiresAt: s.ExpiresAt})
}

// EndSession ends a browser session. It is no operation of the catalog: that
// somebody leaves needs no permission.
func (d *Desk) EndSession(ctx context.Context, secret string) error {
	return d.Store.DeleteSession(ctx, HashSecret(secret))
}

// SetUpIn is the first person, with the one-time token that the server printed
// when it started.
type SetUpIn struct {
	Token    string `json:"token"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

// SetUp makes the first person, an instance admin, and signs them in.
var SetUp = &Op[SetUpIn, Session]{
	Name: "instance.set_up", Title: "Set up Polaris", Summary: "Make the first person with the one-time token printed at start.",
	Class: Reversible, Needs: models.MayEnter, Offered: Web,
	Final:       "an instance is set up once",
	Unrehearsed: "an instance is set up once",
	Stage: func(ctx context.Context, e *Env, in SetUpIn) (any, error) {
		_, err := e.Store().LinkLives(ctx, HashSecret(in.Token), store.LinkSetup, e.Now)
		if fault.Is(err, fault.Forbidden) {
			return nil, fault.Field("token", "This set-up token was used already or has run out. Restart the server for a new one.").WithCode("link_dead")
		}
		if err != nil {
			return nil, err // an outage is no word on the token
		}
		return newPassword(in.Password)
	},
	Run: setUp,
}

func setUp(_ context.Context, e *Env, in SetUpIn) (Session, error) {
	if _, err := e.Tx.UseLink(HashSecret(in.Token), store.LinkSetup, e.Now); err != nil {
		return Session{}, err
	}
	addr, err := cleanEmail(in.Email)
	if err != nil {
		return Session{}, err
	}
	p, err := newPerson(addr, in.Name, e)
	if err != nil {
		return Session{}, err
	}
	p.InstanceAdmin, p.PasswordHash, p.CreatedBy = true, e.Staged.(string), "set-up token"
	e.Audit.Target = p.Email
	if err := e.Tx.InsertPerson(p); err != nil {
		return Session{}, err
	}
	return startSession(e, p)
}

// PrepareSetup returns a fresh set-up token while nobody has been made yet, and
// "" afterwards. Tokens that were printed before stop working.
func (d *Desk) PrepareSetup(ctx context.Context) (string, error) {
	if any, err := d.Store.AnyPerson(ctx); any || err != nil {
		return "", err
	}
	token := models.NewSecret("link")
	now := d.Now().UTC()
	err := d.Store.InBrain(ctx, store.Instance, func(tx *store.Tx) error {
		return tx.ReplaceSetupLink(HashSecret(token), now, now.Add(SetupLinkLife))
	})
	return token, err
}

// UseLinkIn is a one-time sign-in link, with a password for the times after.
type UseLinkIn struct {
	Token    string `json:"token"`
	Password string `json:"password"`
}

// UseLink sets a person's password by a one-time link and signs them in.
var UseLink = &Op[UseLinkIn, Session]{
	Name: "session.link", Title: "Sign in by link", Summary: "Set a password with a one-time link, and start a browser session.",
	Class: Reversible, Needs: models.MayEnter, Offered: Web,
	Final:       "a link is used once",
	Unrehearsed: "a link is used once",
	Stage: func(ctx context.Context, e *Env, in UseLinkIn) (any, error) {
		if _, err := e.Store().LinkLives(ctx, HashSecret(in.Token), store.LinkSignIn, e.Now); err != nil {
			return nil, err
		}
		return newPassword(in.Password)
	},
	Run: func(_ context.Context, e *Env, in UseLinkIn) (Session, error) {
		id, err := e.Tx.UseLink(HashSecret(in.Token), store.LinkSignIn, e.Now)
		if err != nil {
			return Session{}, err
		}
		p, err := e.Tx.Person(id)
		if err != nil {
			return Session{}, err
		}
		if p.DisabledAt != nil {
			return Session{}, fault.New(fault.Forbidden, "This account is disabled.")
		}
		e.Audit.Target = p.Email
		if err := e.Tx.SetPassword(p.ID, e.Staged.(string)); err != nil {
			return Session{}, err
		}
		return startSession(e, p)
	},
}

// LinkOwner returns whose one-time sign-in link a token is, for the page that
// asks for a password.
func (d *Desk) LinkOwner(ctx context.Context, token string) (email string, err error) {
	id, err := d.Store.LinkLives(ctx, HashSecret(token), store.LinkSignIn, d.Now())
	if err != nil {
		return "", err
	}
	err = d.Store.InBrain(ctx, store.Instance, func(tx *store.Tx) error {
		p, err := tx.Person(id)
		if err == nil {
			email = p.Email
		}
		return err
	})
	return email, err
}
