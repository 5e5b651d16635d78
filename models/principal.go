package models

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"polaris/models/fault"
)

// A Scope is what a credential that is not a person's session was given.
type Scope string

// The scopes of SPEC §3 and §4. A key with none of them can do nothing.
const (
	ScopeAdvisorRead Scope = "advisor:read"
	ScopeResearchRun Scope = "research:run"
	ScopeInvoke      Scope = "mcp:invoke"
	ScopeWrite       Scope = "mcp:write"
	ScopeAnyBrain    Scope = "mcp:any-brain"
)

// Scopes returns every scope there is, in the order in which pages list them.
func Scopes() []Scope {
	return []Scope{ScopeAdvisorRead, ScopeResearchRun, ScopeInvoke, ScopeWrite, ScopeAnyBrain}
}

// A Role is what a member is in a brain. A member may hold several.
type Role string

// The roles of SPEC §1.
const (
	RoleOwner    Role = "owner"
	RoleAdmin    Role = "admin"
	RoleCurator  Role = "curator"
	RoleApprover Role = "approver"
	RoleAuditor  Role = "auditor"
	RoleReader   Role = "reader"
)

// Roles returns every role, the widest first.
func Roles() []Role {
	return []Role{RoleOwner, RoleAdmin, RoleCurator, RoleApprover, RoleAuditor, RoleReader}
}

// A Right is one thing that an operation may need. Roles give rights to
// people; a key has the rights of its scopes that its owner has now.
type Right string

// The rights. Each operation names exactly one.
const (
	MayAsk         Right = "ask"          // the published version: answers, wiki, topic cards
	MayResearch    Right = "research"     // ask something large, and fetch the report
	MayReadDraft   Right = "read_draft"   // sources, cards and versions as curators see them
	MayEditDraft   Right = "edit_draft"   // change sources and cards
	MayPublish     Right = "publish"      // ask for a publish; where four eyes are off, publish
	MayKeys        Right = "keys"         // create, list and revoke API keys
	MayMembers     Right = "members"      // add people and grant roles
	MayReadRecords Right = "read_records" // every answer's record, not only one's own
	MayAudit       Right = "audit"        // the audit log
	MayAdminister  Right = "administer"   // the instance: make brains and persons
	MayIdentify    Right = "identify"     // learn who one is here: what every credential may
	MaySelf        Right = "self"         // one's own sign-ins: whoever is signed in at a browser
	MayEnter       Right = "enter"        // sign in, and set the instance up: what a visitor may
)

// Rights returns every right.
func Rights() []Right {
	return []Right{MayAsk, MayResearch, MayReadDraft, MayEditDraft, MayPublish, MayKeys, MayMembers, MayReadRecords, MayAudit, MayAdminister, MayIdentify, MaySelf, MayEnter}
}

var curating = []Right{MayAsk, MayResearch, MayReadDraft, MayEditDraft, MayPublish, MayReadRecords}

var rightsOfRole = map[Role][]Right{
	RoleOwner:    append(slices.Clone(curating), MayKeys, MayMembers, MayAudit),
	RoleAdmin:    append(slices.Clone(curating), MayKeys, MayMembers, MayAudit),
	RoleCurator:  curating,
	RoleApprover: {MayAsk, MayResearch, MayReadDraft, MayReadRecords},
	RoleAuditor:  {MayAsk, MayResearch, MayReadDraft, MayReadRecords, MayAudit},
	RoleReader:   {MayAsk, MayResearch},
}

var rightsOfScope = map[Scope][]Right{
	ScopeAdvisorRead: {MayAsk},
	ScopeResearchRun: {MayResearch},
	ScopeInvoke:      {MayReadDraft, MayReadRecords},
	ScopeWrite:       {MayEditDraft, MayPublish},
}

// rightsOfToken are those that an access token has beyond a key: it is its
// person's own program, so it may ask for changes of keys and members, and each
// waits for a second person. A key mints no keys.
var rightsOfToken = map[Scope][]Right{
	ScopeWrite: {MayKeys, MayMembers},
}

// A PrincipalKind says what sort of party is asking.
type PrincipalKind string

// The kinds of principals.
const (
	KindPerson   PrincipalKind = "person"   // signed in through a browser
	KindKey      PrincipalKind = "key"      // an API key
	KindTerminal PrincipalKind = "terminal" // whoever has a shell on the host
	KindSystem   PrincipalKind = "system"   // Polaris itself; has no way in from outside
	KindVisitor  PrincipalKind = "visitor"  // nobody yet: at the sign-in page or a one-time link
)

// A Principal is whoever is asking, on every surface. It is made by a guard
// (a session, a key, the terminal) and passed as an argument from there on.
type Principal struct {
	Kind          PrincipalKind `json:"kind"`
	Person        string        `json:"person,omitempty"` // the person, or the key's owner
	Actor         string        `json:"actor"`            // the name that audit rows show
	KeyID         string        `json:"key_id,omitempty"`
	TokenID       string        `json:"token_id,omitempty"` // the grant of the access token that a person's program sent
	Brain         BrainID       `json:"brain,omitempty"`    // the brain of the credential, or the one the person is in
	Roles         []Role        `json:"roles,omitempty"`    // in Brain, now
	Scopes        []Scope       `json:"scopes,omitempty"`
	Authenticated bool          `json:"authenticated"` // recorded even when false
	InstanceAdmin bool          `json:"instance_admin,omitempty"`
	RateLimit     Rate          `json:"-"` // the key's own; zero means the default
	ExpiresAt     *time.Time    `json:"-"` // the credential's end; nil: none is set

	// TokenVersion is the person's, as it was when they signed in: what is given
	// to them is dead as soon as it is another.
	TokenVersion int `json:"-"`

	// Published is the number of the brain's published version, read by the
	// same query that checked the credential; 0 where nothing is published.
	Published int `json:"-"`

	// Suspended is what of the brain may not be served, read by the same query.
	Suspended []Withheld `json:"-"`

	// Policy is what the brain asks of an answer, read by the same query.
	Policy Policy `json:"-"`
}

// Has reports whether p carries scope s.
func (p Principal) Has(s Scope) bool { return slices.Contains(p.Scopes, s) }

// Scoped reports whether p is a program that acts for a person, by a key or an
// access token: it has the scopes that it was given, and no more than the
// person may do now.
func (p Principal) Scoped() bool { return p.Kind == KindKey || p.TokenID != "" }

// May reports whether p has right r in its brain: by its roles, and for a
// program by its scopes as well, so that it never does more than its person may.
func (p Principal) May(r Right) bool {
	if p.Kind == KindSystem || p.Kind == KindTerminal {
		return true // a shell on the host is the root of trust
	}
	switch r {
	case MayAdminister:
		return p.Kind == KindPerson && p.InstanceAdmin && !p.Scoped()
	case MayIdentify:
		return p.Kind != KindVisitor && (!p.Scoped() || len(p.Roles) > 0)
	case MaySelf:
		return p.Kind == KindPerson && !p.Scoped()
	case MayEnter:
		return p.Kind == KindVisitor
	}
	byRole := slices.ContainsFunc(p.Roles, func(o Role) bool { return slices.Contains(rightsOfRole[o], r) })
	if !p.Scoped() {
		return byRole
	}
	return byRole && slices.ContainsFunc(p.Scopes, func(s Scope) bool {
		return slices.Contains(rightsOfScope[s], r) || p.TokenID != "" && slices.Contains(rightsOfToken[s], r)
	})
}

// ScopeFor returns the scope that gives r to a program like p, or "" where none
// does: that takes a person at a browser, or a shell.
func (p Principal) ScopeFor(r Right) Scope {
	for _, s := range Scopes() {
		if slices.Contains(rightsOfScope[s], r) || p.TokenID != "" && slices.Contains(rightsOfToken[s], r) {
			return s
		}
	}
	return ""
}

// Caller names p to the rate limiter: each key and each person has a count of
// its own.
func (p Principal) Caller() string {
	if p.KeyID != "" {
		return "key:" + p.KeyID
	}
	return string(p.Kind) + ":" + p.Person
}

// System returns the in-process principal. Nothing outside can be it.
func System(brain BrainID) Principal {
	return Principal{Kind: KindSystem, Actor: "system", Brain: brain, Authenticated: true}
}

// A Rate is so many requests in any window of time. The zero Rate means none
// was set; Off means that there is no limit.
type Rate struct {
	N      int
	Window time.Duration
	Off    bool
}

// ParseRate reads "60/60s" and "off".
func ParseRate(s string) (Rate, error) {
	if s == "off" {
		return Rate{Off: true}, nil
	}
	n, w, ok := strings.Cut(s, "/")
	requests, err := strconv.Atoi(n)
	window, werr := time.ParseDuration(w)
	if !ok || err != nil || werr != nil || requests <= 0 || window <= 0 || window > 15*time.Minute || window%time.Second != 0 {
		return Rate{}, fault.Field("rate", "A rate is requests/window, such as 600/60s, with a window of whole seconds, at most 15m.")
	}
	return Rate{N: requests, Window: window}, nil
}

// IsZero reports whether no rate was set.
func (r Rate) IsZero() bool { return r == Rate{} }

// A Person is one human being. Four eyes count persons, however many keys they
// own. A person signs in with an e-mail address and a password.
type Person struct {
	ID            string `gorm:"primaryKey"`
	Email         string // lower case, unique
	Name          string
	PasswordHash  string // argon2id, PHC string; empty until first sign-in
	InstanceAdmin bool
	CreatedAt     time.Time
	CreatedBy     string
	DisabledAt    *time.Time
	TokenVersion  int // counts how often all that they were signed in for was ended

	ForgottenAt *time.Time `gorm:"->"` // name and address are a pseudonym's since
}

// TableName returns the table's name; GORM would say "people".
func (Person) TableName() string { return "persons" }

// CleanEmail returns an address as Polaris compares and stores it, and whether
// it can be one at all.
func CleanEmail(s string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" || domain == "" || len(s) > 254 || strings.ContainsAny(s, " \t\r\n<>,;:\"()[]\\") || strings.Contains(domain, "@") {
		return "", false
	}
	for _, r := range s {
		if r < 0x20 || r == 0x7f {
			return "", false
		}
	}
	return s, true
}

// placeholders are names that say nothing about who acted (SPEC §4).
var placeholders = []string{"", "curator", "admin", "user", "agent", "claude", "test", "unknown", "owner", "system"}

// NamedActor reports whether an actor that nobody verified at least names
// somebody.
func NamedActor(actor string) bool {
	return !slices.Contains(placeholders, strings.ToLower(strings.TrimSpace(actor)))
}

// FourEyesAt reports whether a second person is asked at that time.
func (b *Brain) FourEyesAt(now time.Time) bool {
	return b.FourEyes || b.FourEyesUntil != nil && !now.Before(*b.FourEyesUntil)
}

// A DecisionRule says how many must approve changes of a class, and who may.
type DecisionRule struct {
	BrainID BrainID `json:"-" gorm:"primaryKey"`
	Class   string  `json:"class" gorm:"primaryKey"`
	Needed  int     `json:"needed"`
	Roles   []Role  `json:"roles" gorm:"serializer:json"` // sorted
}

// A Membership is what one person is in one brain.
type Membership struct {
	BrainID  BrainID `gorm:"primaryKey" json:"brain"`
	PersonID string  `gorm:"primaryKey" json:"-"`
	Roles    []Role  `gorm:"serializer:json" json:"roles"`
}

// Why a second person was not asked, as audit rows and versions say it.
const (
	FourEyesOff       = "off"       // the brain does without
	FourEyesBootstrap = "bootstrap" // Polaris itself published a brain's first version
)

// A Brain is a tenant.
type Brain struct {
	ID       BrainID `json:"id" gorm:"primaryKey"`
	Name     string  `json:"name"`
	FourEyes bool    `json:"four_eyes"`
	// FourEyesUntil is when four eyes that are off are on again by themselves.
	FourEyesUntil *time.Time `json:"four_eyes_until,omitempty"`
	Published     int        `json:"published_version"` // 0 until the first publish

	KeysMayNeverExpire bool `json:"keys_may_never_expire"`

	RecordAnswers string     `json:"record_answers" gorm:"default:full"` // full, hash or off
	AnswerDays    *int       `json:"answer_days,omitempty"`              // after which bodies of answers expire; nil: never
	Policy        Policy     `json:"-" gorm:"->;embedded"`
	Purged        int        `json:"-" gorm:"->"`                  // how many of its sources were
	EndedAt       *time.Time `json:"ended_at,omitempty" gorm:"->"` // its deletion was decided on

	CreatedAt time.Time `json:"created_at"`
	CreatedBy string    `json:"created_by"`
}
