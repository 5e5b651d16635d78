package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
	"polaris/views/approvals"
	"polaris/views/audit"
	"polaris/views/golden"
	"polaris/views/layout"
	"polaris/views/members"
	"polaris/views/settings"
)

// A page is one request of somebody who is signed in, for a page of one brain
// or, with ops.Instance, of none.
type page struct {
	echo.Context
	s     *Server
	visit *ops.Visit
	by    models.Principal
	brain models.BrainID
	now   time.Time

	waiting *int // changes that wait for a decision; nil: not counted yet
}

// signedIn lets in whoever has a session. Others are sent to sign in, and back
// to where they were going.
func (s *Server) signedIn(h func(*page) error) echo.HandlerFunc {
	return s.in(func(echo.Context) models.BrainID { return ops.Instance }, h)
}

// member lets in the members of the brain in the path. For others it is not
// there, as is one that no brain can be called.
func (s *Server) member(h func(*page) error) echo.HandlerFunc {
	return s.in(func(c echo.Context) models.BrainID {
		if b := models.BrainID(c.Param("brain")); b.Valid() {
			return b
		}
		return ""
	}, h)
}

func (s *Server) in(brain func(echo.Context) models.BrainID, h func(*page) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := s.visit(c)
		if fault.Is(err, fault.Unauthenticated) && c.Request().Header.Get("HX-Request") == "" {
			return c.Redirect(http.StatusSeeOther, signInURL(c.Request()))
		}
		if err != nil {
			return err
		}
		p := &page{Context: c, s: s, visit: v, brain: brain(c), now: s.desk.Now()}
		if p.brain == "" {
			return fault.New(fault.NotFound, "No such brain.")
		}
		if p.by, err = v.Principal(p.brain); err == nil {
			p.remember()
			err = h(p)
		}
		if err != nil {
			return &framed{err, p}
		}
		return nil
	}
}

// signInURL leads to the sign-in page, and from there back. What was to be
// done, not read, is not done by coming back.
func signInURL(r *http.Request) string {
	if r.Method != http.MethodGet || r.URL.Path == "/" {
		return layout.SignInPath
	}
	return layout.SignInPath + "?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}

// remember notes which brain is looked at, for the next visit to "/".
func (p *page) remember() {
	if p.brain == ops.Instance {
		return
	}
	if k, err := p.Cookie(brainCookie); err == nil && k.Value == string(p.brain) {
		return
	}
	p.SetCookie(&http.Cookie{Name: brainCookie, Value: string(p.brain), Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()), HttpOnly: true, Secure: p.s.cookies.secure, SameSite: http.SameSiteLaxMode})
}

// ctx returns the request's context, which carries cancellation.
func (p *page) ctx() context.Context { return p.Request().Context() }

// call returns the circumstances of an operation asked for at this page.
func (p *page) call() ops.Call {
	return ops.Call{By: p.by, Brain: p.brain, Via: ops.Web, RequestID: requestID(p.Context), Visit: p.visit}
}

// queued leads to where a change waits, if that is what err says.
func (p *page) queued(err error) (done error, ok bool) {
	q, ok := ops.AsWaiting(err)
	if !ok {
		return nil, false
	}
	return p.Redirect(http.StatusSeeOther, p.at(approvals.ReviewPath(q.ID))+"?done=queued"), true
}

// ended answers a form. Where the change waits it leads there, where it was
// refused the form is shown again, and where it was done it leads on.
func (p *page) ended(err error, to string, again func(*refusal) error) error {
	if where, ok := p.queued(err); ok {
		return where
	}
	if r, ok := refused(err); ok {
		return again(r)
	}
	if err != nil {
		return err
	}
	return p.Redirect(http.StatusSeeOther, to)
}

// at returns the address of a page of this brain.
func (p *page) at(path string) string { return brainURL(p.brain) + path }

func brainURL(b models.BrainID) string { return "/brains/" + string(b) }

// param returns a parameter of the path, decoded. Echo routes by the path as it
// was sent where that differs from its plain form, so that %2F does not split
// a title in two.
func param(c echo.Context, name string) (string, error) {
	v := c.Param(name)
	if c.Request().URL.RawPath == "" {
		return v, nil
	}
	v, err := url.PathUnescape(v)
	if err != nil {
		return "", fault.New(fault.NotFound, "There is nothing at this address.")
	}
	return v, nil
}

// when returns a moment as the reader sees it now; the zero time is "never".
func (p *page) when(t time.Time) layout.When { return layout.At(t, p.now) }

func (p *page) whenever(t *time.Time) layout.When {
	if t == nil {
		return layout.At(time.Time{}, p.now)
	}
	return p.when(*t)
}

// fourEyes reports whether a second person decides in this brain.
func (p *page) fourEyes() bool {
	return slices.ContainsFunc(p.visit.Memberships, func(m ops.Membership) bool { return m.Brain == p.brain && fourEyes(m, p.now) })
}

// fourEyes reports whether four eyes are on, or were to be on again by now.
func fourEyes(m ops.Membership, now time.Time) bool {
	return m.FourEyes || m.FourEyesUntil != nil && !now.Before(*m.FourEyesUntil)
}

// offWords say on every page of a brain that nobody else is asked.
func offWords(m ops.Membership) string {
	if m.FourEyesUntil == nil {
		return "Four eyes are off in this brain: versions are published without a second person, and say so."
	}
	return "Four eyes are off in this brain until " + layout.Date(*m.FourEyesUntil) + ": versions are published without a second person, and say so."
}

// elsewhere is the navigation of pages that are in no brain.
var elsewhere = []layout.Section{{Items: []layout.Item{{Label: "Brains", URL: "/brains"}}}}

// frame returns what surrounds the page: where the reader is, and what there
// is to go to that they may open.
func (p *page) frame() layout.Frame {
	f := layout.Frame{Assets: p.s.assets, Path: p.Request().URL.Path, Account: layout.Account{Name: p.visit.Name, Email: p.visit.Email}}
	if f.Account.Name == f.Account.Email {
		f.Account.Name = ""
	}
	i := slices.IndexFunc(p.visit.Memberships, func(m ops.Membership) bool { return m.Brain == p.brain })
	if i < 0 {
		f.Nav = elsewhere
		return f
	}
	m := p.visit.Memberships[i]
	f.Account.Roles = rolesText(m.Roles)
	f.Brain = layout.Brain{ID: string(m.Brain), Version: versionText(m.Published), URL: brainURL(m.Brain)}
	f.Brains = p.others()
	if !fourEyes(m, p.now) {
		f.Banner = offWords(m)
	}
	if p.by.May(models.MayReadDraft) {
		f.Account.Proposed = f.At(approvals.Path + "?mine=yes&state=all")
	}
	f.Nav = p.nav(f)
	f.Flash = flashes[p.QueryParam("done")]
	return f
}

// others are the other brains that the reader is in.
func (p *page) others() (bs []layout.Brain) {
	for _, m := range p.visit.Memberships {
		if m.Brain != p.brain {
			bs = append(bs, layout.Brain{ID: string(m.Brain), Version: versionText(m.Published), URL: brainURL(m.Brain)})
		}
	}
	slices.SortFunc(bs, func(a, b layout.Brain) int { return strings.Compare(a.ID, b.ID) })
	return bs[:min(len(bs), mostOthers)]
}

// mostOthers bounds the switcher; the list of all brains has the rest.
const mostOthers = 30

// goKeys are the letters that follow g.
var goKeys = map[string]string{"": "h", "/ask": "a", "/wiki": "w", "/sources": "s", "/topic-cards": "t", approvals.Path: "p", "/versions": "v", golden.Path: "q", "/answers": "r", "/settings/api-keys": "k", members.Path: "m", audit.Path: "l", settings.Path: "e"}

func (p *page) nav(f layout.Frame) []layout.Section {
	sections := []layout.Section{{Items: []layout.Item{{Label: "Home", URL: f.At("")}, {Label: "Ask", URL: f.At("/ask")}, {Label: "Wiki", URL: f.At("/wiki")}}}}
	add := func(title string, items ...layout.Item) {
		if items = slices.DeleteFunc(items, func(i layout.Item) bool { return i.URL == "" }); len(items) > 0 {
			sections = append(sections, layout.Section{Title: title, Items: items})
		}
	}
	item := func(label, path string, needs models.Right) layout.Item {
		if !p.by.May(needs) {
			return layout.Item{}
		}
		return layout.Item{Label: label, URL: f.At(path)}
	}
	queue := item("Approvals", approvals.Path, models.MayReadDraft)
	if n := p.waits(); n > 0 && queue.URL != "" {
		queue.Count, queue.Hot = layout.Number(n), true
	}
	add("Curate", item("Sources", "/sources", models.MayReadDraft), item("Topic cards", "/topic-cards", models.MayReadDraft), item("Golden questions", golden.Path, models.MayReadDraft), queue, item("Versions", "/versions", models.MayReadDraft))
	add("Administer", item("Answers", "/answers", models.MayReadRecords), item("API keys", "/settings/api-keys", models.MayKeys), item("Members", members.Path, models.MayMembers), item("Audit log", audit.Path, models.MayAudit), item("Settings", settings.Path, models.MayReadDraft))
	if len(p.visit.Memberships) > 1 || p.by.InstanceAdmin {
		add("", layout.Item{Label: "All brains", URL: "/brains", Key: "b"})
	}
	for _, s := range sections {
		for i := range s.Items {
			if path, ours := strings.CutPrefix(s.Items[i].URL, f.Brain.URL); ours {
				s.Items[i].Key = goKeys[path]
			}
		}
	}
	return sections
}

// waits returns how many changes wait for a decision. That it cannot be counted
// keeps no page from being shown.
func (p *page) waits() int {
	if p.waiting == nil {
		n, err := p.s.desk.Waiting(p.ctx(), p.by, p.brain)
		if err != nil {
			p.s.conf.Log.Warn("counting what waits failed", "request_id", requestID(p.Context), "error_type", fault.TypeOf(err))
		}
		p.waiting = &n
	}
	return *p.waiting
}

// flashes are what a page says once after an act, by the word in its address.
var flashes = map[string]layout.Flash{
	"key-revoked":      {Kind: layout.Good, Text: "The key is revoked. What holds it is refused from now on."},
	"key-saved":        {Kind: layout.Good, Text: "Saved. It holds from the next request on."},
	"key-moved":        {Kind: layout.Good, Text: "The key acts for its new owner from now on."},
	"queued":           {Kind: layout.Good, Text: "It waits here for a second person. You can withdraw it."},
	"published":        {Kind: layout.Good, Text: "Published. It answers from now on."},
	"approved":         {Kind: layout.Good, Text: "Your approval is recorded. Another person must approve as well."},
	"applied":          {Kind: layout.Good, Text: "Approved and done."},
	"rejected":         {Kind: layout.Good, Text: "Rejected. Nothing was changed."},
	"withdrawn":        {Kind: layout.Good, Text: "Withdrawn. Nothing was changed."},
	"stale":            {Kind: layout.Caution, Text: "What it would have changed had changed meanwhile, so nothing was done."},
	"saved":            {Kind: layout.Good, Text: "Saved."},
	"roles-saved":      {Kind: layout.Good, Text: "Saved. The roles hold from the next request on."},
	"member-removed":   {Kind: layout.Good, Text: "Removed. Their roles and keys in this brain have ended."},
	"four-eyes-on":     {Kind: layout.Good, Text: "Four eyes are on again."},
	"four-eyes-off":    {Kind: layout.Caution, Text: "Four eyes are off. It is in the audit log, and on each version that is published meanwhile."},
	"rules-saved":      {Kind: layout.Good, Text: "Saved. The rules hold for what is proposed from now on."},
	"suspended":        {Kind: layout.Good, Text: "Suspended. It is not served from now on, in any version. Lifting it takes a second person."},
	"lifted":           {Kind: layout.Good, Text: "It is served again."},
	"restored":         {Kind: layout.Good, Text: "Restored as a new version. It answers from now on."},
	"purged":           {Kind: layout.Good, Text: "Purged. Its texts are gone; the tombstone stays."},
	"source-removed":   {Kind: layout.Good, Text: "Taken out of the draft. Published versions keep it, and it can be restored below."},
	"source-restored":  {Kind: layout.Good, Text: "Restored. It is in the draft again."},
	"reverted":         {Kind: layout.Good, Text: "The draft has that revision again."},
	"undone":           {Kind: layout.Good, Text: "Taken back."},
	"card-saved":       {Kind: layout.Good, Text: "Saved. It is in the draft, and in the next version that is published."},
	"card-deleted":     {Kind: layout.Good, Text: "Deleted from the draft. Published versions keep it."},
	"certified":        {Kind: layout.Good, Text: "You vouch for this revision. That ends with the next one."},
	"question-saved":   {Kind: layout.Good, Text: "Saved. It is asked before the next publish."},
	"question-deleted": {Kind: layout.Good, Text: "Deleted. It is not asked any more."},
	"brain-created":    {Kind: layout.Good, Text: "The brain is there, and you own it."},
}

func rolesText(roles []models.Role) string {
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = string(r)
	}
	return strings.Join(words, ", ")
}

func versionText(published int) string {
	if published == 0 {
		return "not live"
	}
	return "v" + strconv.Itoa(published) + " live"
}

// Who may keep a page: the reader's browser, asking each time; or nobody.
const (
	privately = "private, no-cache"
	never     = "no-store"
)

// show sends a page that its reader's browser may keep for going back.
func (p *page) show(t templ.Component) error {
	return render(p.Context, http.StatusOK, privately, t)
}

// render draws the page in full before the first byte is sent, so that a
// failure is still an error page.
func render(c echo.Context, status int, cache string, t templ.Component) error {
	var b bytes.Buffer
	if err := t.Render(c.Request().Context(), &b); err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", cache)
	if cache == privately && status == http.StatusOK && mayPack(c.Request()) {
		return sendPacked(c, b.Bytes())
	}
	return c.HTMLBlob(status, b.Bytes())
}
