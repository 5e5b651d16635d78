package ops

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// A mint has one signing key and one grant, without a database.
type mint struct {
	signer
	issuer string
	now    time.Time
	holder store.TokenHolder
	looks  int
}

const mintIssuer = "https://polaris.example"

func newMint(t testing.TB) *mint {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	return &mint{signer: signer{"kid000000000", private}, issuer: mintIssuer, now: now, holder: store.TokenHolder{
		PublicKey: public, VerifiesUntil: now.Add(time.Hour), Email: "ada@example.org", TokenVersion: 3, Roles: []models.Role{models.RoleReader},
		Grant: models.TokenGrant{BrainID: "calliope", ID: "grant0000000", PersonID: "per_ada", Scopes: []models.Scope{"advisor:read", "mcp:invoke"}, TokenVersion: 3, ExpiresAt: now.Add(24 * time.Hour)},
	}}
}

// claims are those of a token that holds.
func (m *mint) claims() *access {
	return &access{
		Issuer: mintIssuer, Audience: mintIssuer, Subject: "per_ada", IssuedAt: m.now.Unix() - 60, Expires: m.now.Unix() + 540,
		ID: "jti", Grant: "grant0000000", Brain: "calliope", Scope: "advisor:read", TokenVersion: 3,
	}
}

func (m *mint) look(kid, grant string) (*store.TokenHolder, error) {
	m.looks++
	if kid != m.kid || grant != m.holder.Grant.ID {
		return nil, fault.New(fault.NotFound, "none")
	}
	return &m.holder, nil
}

func (m *mint) verify(token string) error {
	_, _, err := verify(token, m.issuer, m.now, m.look)
	return err
}

// signed returns header and claims, as they are given, with the key's own
// signature.
func (m *mint) signed(head, body string) string {
	text := encoded(head) + "." + encoded(body)
	return text + "." + encoded(string(ed25519.Sign(m.key, []byte(text))))
}

func encoded(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

const goodHead = `{"alg":"EdDSA","kid":"kid000000000","typ":"at+jwt"}`

func body(a any) string {
	b, err := json.Marshal(a)
	if err != nil {
		panic(err) // a test's own literals
	}
	return string(b)
}

// TestForgedTokens: each token is wrong in one thing, and most of them carry a
// signature of the real key, so that it is this thing that they are refused for.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	m := newMint(t)
	good, err := m.sign(m.claims())
	if err != nil {
		t.Fatal(err)
	}
	if good != m.signed(goodHead, body(m.claims())) {
		t.Fatal("the table signs otherwise than the server does")
	}
	if err := m.verify(good); err != nil {
		t.Fatalf("a token that holds: %v", err)
	}
	with := func(change func(*access)) string {
		a := m.claims()
		change(a)
		return m.signed(goodHead, body(a))
	}
	without := func(claim string) string {
		var c map[string]any
		if json.Unmarshal([]byte(body(m.claims())), &c) != nil || c[claim] == nil {
			t.Fatalf("no claim %s", claim)
		}
		delete(c, claim)
		return m.signed(goodHead, body(c))
	}
	text := func(old, new string) string {
		b := body(m.claims())
		if !strings.Contains(b, old) {
			t.Fatalf("no %s in %s", old, b)
		}
		return m.signed(goodHead, strings.Replace(b, old, new, 1))
	}
	head := func(h string) string { return m.signed(h, body(m.claims())) }
	parts := strings.Split(good, ".")
	other := newMint(t)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	by := func(method jwt.SigningMethod, key any) string {
		tk := jwt.NewWithClaims(method, m.claims())
		tk.Header["typ"], tk.Header["kid"] = accessType, m.kid
		s, err := tk.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	flipped := func(i int) string {
		raw, _ := base64.RawURLEncoding.DecodeString(parts[i])
		raw[len(raw)/2] ^= 1
		p := slices.Clone(parts)
		p[i] = encoded(string(raw))
		return strings.Join(p, ".")
	}
	for name, token := range map[string]string{
		"nothing": "", "dots": "..", "one part": "eyJhbGciOiJFZERTQSJ9",
		"alg none, no signature":        encoded(`{"alg":"none","kid":"kid000000000","typ":"at+jwt"}`) + "." + parts[1] + ".",
		"alg none, the signature":       head(`{"alg":"none","kid":"kid000000000","typ":"at+jwt"}`),
		"alg None":                      head(`{"alg":"None","kid":"kid000000000","typ":"at+jwt"}`),
		"alg eddsa":                     head(`{"alg":"eddsa","kid":"kid000000000","typ":"at+jwt"}`),
		"alg Ed25519":                   head(`{"alg":"Ed25519","kid":"kid000000000","typ":"at+jwt"}`),
		"alg missing":                   head(`{"kid":"kid000000000","typ":"at+jwt"}`),
		"alg twice":                     head(`{"alg":"none","alg":"EdDSA","kid":"kid000000000","typ":"at+jwt"}`),
		"HS256 with the public key":     by(jwt.SigningMethodHS256, m.holder.PublicKey),
		"ES256":                         by(jwt.SigningMethodES256, ec),
		"another kid":                   head(`{"alg":"EdDSA","kid":"kid000000001","typ":"at+jwt"}`),
		"kid missing":                   head(`{"alg":"EdDSA","typ":"at+jwt"}`),
		"kid a number":                  head(`{"alg":"EdDSA","kid":0,"typ":"at+jwt"}`),
		"kid a path":                    head(`{"alg":"EdDSA","kid":"../../dev/null","typ":"at+jwt"}`),
		"kid SQL":                       head(`{"alg":"EdDSA","kid":"x' OR true --","typ":"at+jwt"}`),
		"kid with NUL":                  head(`{"alg":"EdDSA","kid":"kid000000000\u0000","typ":"at+jwt"}`),
		"kid not UTF-8":                 head("{\"alg\":\"EdDSA\",\"kid\":\"kid\xff\",\"typ\":\"at+jwt\"}"),
		"typ JWT":                       head(`{"alg":"EdDSA","kid":"kid000000000","typ":"JWT"}`),
		"typ missing":                   head(`{"alg":"EdDSA","kid":"kid000000000"}`),
		"a key of its own":              head(`{"alg":"EdDSA","jwk":{"kty":"OKP","crv":"Ed25519","x":"AA"},"kid":"kid000000000","typ":"at+jwt"}`),
		"a key elsewhere":               head(`{"alg":"EdDSA","jku":"https://evil.example/keys","kid":"kid000000000","typ":"at+jwt"}`),
		"crit":                          head(`{"alg":"EdDSA","crit":["exp"],"kid":"kid000000000","typ":"at+jwt"}`),
		"header with a space":           head(`{"alg": "EdDSA","kid":"kid000000000","typ":"at+jwt"}`),
		"header a list":                 head(`[]`),
		"header null":                   head(`null`),
		"signed by another key":         other.signed(goodHead, body(m.claims())),
		"no signature":                  parts[0] + "." + parts[1] + ".",
		"signature cut":                 good[:len(good)-4],
		"signature longer":              good + "AAAA",
		"signature with loose bits":     good[:len(good)-1] + string(good[len(good)-1]+1),
		"signature flipped":             flipped(2),
		"payload flipped":               flipped(1),
		"another token's signature":     parts[0] + "." + strings.Split(with(func(a *access) { a.Scope = "mcp:invoke" }), ".")[1] + "." + parts[2],
		"two signatures":                good + "." + parts[2],
		"trailing dot":                  good + ".",
		"leading dot":                   "." + good,
		"padding":                       good + "=",
		"a space":                       good + " ",
		"a line break inside":           good[:len(good)-9] + "\n" + good[len(good)-9:],
		"standard base64":               strings.NewReplacer("-", "+", "_", "/").Replace(good) + "/",
		"JSON serialisation":            `{"payload":"` + parts[1] + `","signatures":[{"protected":"` + parts[0] + `","signature":"` + parts[2] + `"}]}`,
		"1 MB":                          m.signed(goodHead, text("per_ada", strings.Repeat("x", 1<<20))),
		"1 MB of dots":                  strings.Repeat(".", 1<<20),
		"just too long":                 with(func(a *access) { a.ID = strings.Repeat("x", longestToken) }),
		"exp missing":                   without("exp"),
		"iat missing":                   without("iat"),
		"aud missing":                   without("aud"),
		"iss missing":                   without("iss"),
		"sub missing":                   without("sub"),
		"jti missing":                   without("jti"),
		"brain missing":                 without("brain_id"),
		"grant missing":                 without("grant_id"),
		"scope missing":                 without("scope"),
		"version missing":               without("token_version"),
		"wrong aud":                     with(func(a *access) { a.Audience = "https://other.example" }),
		"aud with a slash":              with(func(a *access) { a.Audience += "/" }),
		"aud empty":                     with(func(a *access) { a.Audience = "" }),
		"aud a list":                    text(`"aud":"https://polaris.example"`, `"aud":["https://polaris.example"]`),
		"aud a list with others":        text(`"aud":"https://polaris.example"`, `"aud":["https://evil.example","https://polaris.example"]`),
		"wrong iss":                     with(func(a *access) { a.Issuer = "https://other.example" }),
		"iss in capitals":               with(func(a *access) { a.Issuer = strings.ToUpper(a.Issuer) }),
		"expired now":                   with(func(a *access) { a.Expires = m.now.Unix() }),
		"expired by a second":           with(func(a *access) { a.Expires = m.now.Unix() - 1 }),
		"exp 0":                         with(func(a *access) { a.Expires = 0 }),
		"exp negative":                  with(func(a *access) { a.Expires = -1 }),
		"exp far":                       with(func(a *access) { a.Expires = 1 << 60 }),
		"lives 10 minutes and a second": with(func(a *access) { a.Expires = a.IssuedAt + 601 }),
		"exp a string":                  text(fmt.Sprintf(`"exp":%d`, m.claims().Expires), fmt.Sprintf(`"exp":"%d"`, m.claims().Expires)),
		"exp a float":                   text(fmt.Sprintf(`"exp":%d`, m.claims().Expires), fmt.Sprintf(`"exp":%d.5`, m.claims().Expires)),
		"exp null":                      text(fmt.Sprintf(`"exp":%d`, m.claims().Expires), `"exp":null`),
		"issued in 6 seconds":           with(func(a *access) { a.IssuedAt = m.now.Unix() + 6 }),
		"expires before it was issued":  with(func(a *access) { a.IssuedAt, a.Expires = m.now.Unix()+4, m.now.Unix()+3 }),
		"nbf in the future":             text(`"jti"`, fmt.Sprintf(`"nbf":%d,"jti"`, m.now.Unix()+60)),
		"nbf in the past":               text(`"jti"`, `"nbf":1,"jti"`),
		"sub twice":                     text(`"sub":"per_ada"`, `"sub":"per_eve","sub":"per_ada"`),
		"sub twice, in another case":    text(`"sub":"per_ada"`, `"sub":"per_eve","SUB":"per_ada"`),
		"brain twice":                   text(`"brain_id":"calliope"`, `"brain_id":"calliope","brain_id":"calliope"`),
		"a further claim":               text(`"jti"`, `"admin":true,"jti"`),
		"claims in another order":       text(`"iss":"https://polaris.example","aud":"https://polaris.example"`, `"aud":"https://polaris.example","iss":"https://polaris.example"`),
		"another person":                with(func(a *access) { a.Subject = "per_eve" }),
		"another brain":                 with(func(a *access) { a.Brain = "urania" }),
		"no brain":                      with(func(a *access) { a.Brain = "" }),
		"another grant":                 with(func(a *access) { a.Grant = "grant0000001" }),
		"scope widened":                 with(func(a *access) { a.Scope = "advisor:read mcp:write" }),
		"scope any brain":               with(func(a *access) { a.Scope = "mcp:any-brain" }),
		"jti empty":                     with(func(a *access) { a.ID = "" }),
		"sub empty":                     with(func(a *access) { a.Subject = "" }),
		"grant empty":                   with(func(a *access) { a.Grant = "" }),
		"scope empty":                   with(func(a *access) { a.Scope = "" }),
		"scope of spaces":               with(func(a *access) { a.Scope = "  " }),
		"an older version":              with(func(a *access) { a.TokenVersion = 2 }),
		"a newer version":               with(func(a *access) { a.TokenVersion = 4 }),
		"an API key":                    "sk-polaris-000000000000_" + strings.Repeat("0", 38),
		"a refresh token":               func() string { s, _ := models.MintRefresh(); return s }(),
	} {
		err := m.verify(token)
		if f := fault.Of(err); err == nil || f.Kind != fault.Unauthenticated || f.Code != "invalid_token" {
			t.Errorf("%s: %v, want invalid_token", name, err)
		}
	}
	if m.issuer = ""; m.verify(with(func(a *access) { a.Issuer, a.Audience = "", "" })) == nil {
		t.Error("a server without an address takes a token")
	}
}

// TestGrantsThatDoNotHold: the token is right, and what it came of is not.
func TestGrantsThatDoNotHold(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*store.TokenHolder, time.Time){
		"revoked":               func(h *store.TokenHolder, now time.Time) { h.Grant.RevokedAt = &now },
		"run out":               func(h *store.TokenHolder, now time.Time) { h.Grant.ExpiresAt = now },
		"key verifies no more":  func(h *store.TokenHolder, now time.Time) { h.VerifiesUntil = now },
		"person disabled":       func(h *store.TokenHolder, _ time.Time) { h.Disabled = true },
		"membership lost":       func(h *store.TokenHolder, _ time.Time) { h.Roles = nil },
		"signed out everywhere": func(h *store.TokenHolder, _ time.Time) { h.TokenVersion++ },
		"another's key":         func(h *store.TokenHolder, _ time.Time) { h.PublicKey = newMint(t).holder.PublicKey },
		"no key":                func(h *store.TokenHolder, _ time.Time) { h.PublicKey = nil },
		"scope not of the grant": func(h *store.TokenHolder, _ time.Time) {
			h.Grant.Scopes = []models.Scope{"mcp:invoke"}
		},
	} {
		m := newMint(t)
		token, err := m.sign(m.claims())
		if err != nil || m.verify(token) != nil {
			t.Fatalf("%s: a token that holds does not: %v", name, err)
		}
		change(&m.holder, m.now)
		if err := m.verify(token); fault.Of(err).Code != "invalid_token" {
			t.Errorf("%s: %v, want invalid_token", name, err)
		}
	}
}

// TestTokensAndClocks: what holds at the edges, and that nothing is looked up for
// a token that could not hold.
func TestTokensAndClocks(t *testing.T) {
	t.Parallel()
	m := newMint(t)
	for name, c := range map[string]struct {
		issued, expires int64 // seconds from now
		holds           bool
	}{
		"just issued":                  {0, 600, true},
		"issued by a clock ahead":      {5, 605, true},
		"issued by one too far ahead":  {6, 606, false},
		"the last second":              {-599, 1, true},
		"over":                         {-600, 0, false},
		"over by what clocks may vary": {-602, -2, false},
	} {
		a := m.claims()
		a.IssuedAt, a.Expires = m.now.Unix()+c.issued, m.now.Unix()+c.expires
		token, err := m.sign(a)
		if err != nil {
			t.Fatal(err)
		}
		m.looks = 0
		if err := m.verify(token); (err == nil) != c.holds {
			t.Errorf("%s: %v, want it to hold: %v", name, err, c.holds)
		}
		if looked := m.looks == 1; looked != c.holds {
			t.Errorf("%s: %d look-ups", name, m.looks)
		}
	}
}

// TestAnOutageIsNoWordOnTheToken: a store that is away must not sound like a
// wrong credential.
func TestAnOutageIsNoWordOnTheToken(t *testing.T) {
	t.Parallel()
	m := newMint(t)
	token, err := m.sign(m.claims())
	if err != nil {
		t.Fatal(err)
	}
	away := fault.New(fault.Unavailable, "away")
	_, _, err = verify(token, m.issuer, m.now, func(string, string) (*store.TokenHolder, error) { return nil, away })
	if !errors.Is(err, away) || fault.Is(err, fault.Unauthenticated) {
		t.Errorf("got %v, want the outage", err)
	}
}

// FuzzVerify: whatever is sent, nothing panics, and nothing but the one token
// that was signed is accepted.
func FuzzVerify(f *testing.F) {
	m := newMint(f)
	m.key = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)) // the same in every process
	m.holder.PublicKey = m.key.Public().(ed25519.PublicKey)
	good, err := m.sign(m.claims())
	if err != nil || m.verify(good) != nil {
		f.Fatal("the token that was signed is refused")
	}
	parts := strings.Split(good, ".")
	for _, seed := range []string{good, "", "..", good + ".", parts[0] + "." + parts[1] + ".", parts[0] + ".e30." + parts[2], encoded(`{"alg":"none"}`) + "." + parts[1] + ".", encoded(goodHead) + "." + encoded(`{"exp":1e999}`) + "." + parts[2]} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		// As it is, and as header or claims of a token that is whole but for them.
		for _, s := range []string{token, m.headed(token), parts[0] + "." + encoded(token) + "." + parts[2], encoded(token) + "." + parts[1] + "." + parts[2]} {
			if err := m.verify(s); (err == nil) != (s == good) || err != nil && fault.Of(err).Code != "invalid_token" {
				t.Errorf("%q: %v", s, err)
			}
		}
	})
}

// headed returns a token whose claims are any text, signed by the real key: what
// the signature says nothing about, the reading of the claims must refuse.
func (m *mint) headed(claims string) string {
	if claims == body(m.claims()) {
		claims += " "
	}
	return m.signed(goodHead, claims)
}

// BenchmarkVerify is what an access token costs beside its query.
func BenchmarkVerify(b *testing.B) {
	m := newMint(b)
	token, err := m.sign(m.claims())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := m.verify(token); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSignature is the part of it that no care could save.
func BenchmarkSignature(b *testing.B) {
	m := newMint(b)
	text := []byte(strings.Repeat("x", 400))
	signature := ed25519.Sign(m.key, text)
	public := m.key.Public().(ed25519.PublicKey)
	for b.Loop() {
		if !ed25519.Verify(public, text, signature) {
			b.Fatal("its own signature")
		}
	}
}
