// Package web is the browser's way in: Echo, the guards around it, one file for
// each noun that has a page, and the small REST that is made from the catalog
// of operations.
//
// A handler has five lines in this order: who asks, what they sent, one
// operation, what they see, send it. It decides nothing: what may be done and
// what is valid is said by package ops, and what an error means outside by
// package fault. Errors are returned, and written in one place, [Server.fail].
//
// Start at [New], which lists the routes; then guard.go, what every request
// passes before its handler.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"polaris/ops"
	"polaris/ops/door"
	"polaris/static"
	"polaris/views/layout"
)

// Config is what the pages need to know of the settings.
type Config struct {
	PublicURL string       // origin in links; https makes cookies Secure
	CookieKey []byte       // authenticates the session cookie; at least 32 bytes
	MCPPath   string       // where the MCP endpoint is; its slash twin is the same
	Log       *slog.Logger // required
	MaxBody   int64        // largest request body, in bytes; 0: 1 MiB
	Version   string       // release, for the metrics

	MetricsAllow []netip.Prefix // who may read /metrics beside this machine
	OpenAI       http.Handler   // the OpenAI-compatible endpoint; nil: none
}

// A Server serves every page. All fields are set by [New].
type Server struct {
	desk    *ops.Desk
	door    *door.Door
	mcp     http.Handler
	conf    Config
	echo    *echo.Echo
	cookies *cookies
	origins *http.CrossOriginProtection
	signIns *ops.Failures // sign-ins and one-time links that did not hold
	assets  layout.Assets

	health   health
	arrivals *arrivals
	metrics  *metrics
}

// New returns a server over desk, with mcp mounted at c.MCPPath. It panics when
// c cannot work, which is a mistake of the program that calls it.
func New(desk *ops.Desk, at *door.Door, mcp http.Handler, c Config) *Server {
	if len(c.CookieKey) < 32 {
		panic("web: the cookie key is shorter than 32 bytes")
	}
	if c.MaxBody == 0 {
		c.MaxBody = 1 << 20
	}
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	s := &Server{
		desk: desk, door: at, mcp: mcp, conf: c, echo: echo.New(),
		cookies: newCookies(c.CookieKey, strings.HasPrefix(c.PublicURL, "https://")),
		origins: http.NewCrossOriginProtection(),
		signIns: ops.NewFailures(), arrivals: &arrivals{on: map[*arriving]struct{}{}},
		assets: layout.Assets{
			Styles:  []string{static.Path("oat.min.css"), static.Path("polaris.css")},
			Scripts: []string{static.Path("htmx.min.js"), static.Path("hx-csp.min.js"), static.Path("app.js")},
			Icon:    static.Path("favicon.svg"),
		},
	}
	s.health.draining, s.health.drain = context.WithCancel(context.Background())
	if err := s.origins.AddTrustedOrigin(c.PublicURL); err != nil {
		panic("web: the public URL is no origin: " + err.Error())
	}
	s.echo.HTTPErrorHandler = s.fail
	s.echo.Use(s.recovered, s.hostAllowed, s.headers, s.sameOrigin, s.bounded)
	s.routes()
	s.metrics = newMetrics(s)
	return s
}

// Handler returns the whole server: the MCP endpoint, the plain 404 of the
// paths by which clients look for OAuth, and the routes.
func (s *Server) Handler() http.Handler {
	return s.logged(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.TrimSuffix(r.URL.Path, "/") == s.conf.MCPPath:
			routed(w, s.conf.MCPPath)
			s.mcp.ServeHTTP(w, r)
		case s.conf.OpenAI != nil && openAIRoute(r.URL.Path) != "":
			routed(w, openAIRoute(r.URL.Path))
			s.conf.OpenAI.ServeHTTP(w, r)
		case discovery(r.URL.Path):
			routed(w, discoveryRoute)
			http.Error(w, "Not found. This server has no OAuth: send an API key.", http.StatusNotFound)
		default:
			s.echo.ServeHTTP(w, asGet(r))
		}
	}))
}

// discoveryRoute stands for those paths in the log and the metrics.
const discoveryRoute = "discovery"

// discovery reports whether clients look for OAuth at the path. Anything but a
// plain 404 makes some of them drop the API key that they were given.
func discovery(path string) bool {
	if i := strings.Index(path, "/.well-known/"); i >= 0 {
		name := path[i+len("/.well-known/"):]
		return strings.HasPrefix(name, "oauth-") || strings.HasPrefix(name, "openid-configuration")
	}
	switch strings.TrimSuffix(path, "/") {
	case "/authorize", "/token", "/register":
		return true
	}
	return false
}

// openAIRoutes stand for the paths of the OpenAI-compatible endpoint in the log
// and the metrics.
var openAIRoutes = []string{"/v1/chat/completions", "/v1/chat/*", "/v1/models", "/v1/models/*", "/v1/responses", "/v1/responses/*"}

// openAIRoute returns the route of a path that is the OpenAI-compatible
// endpoint's, "" for any other: with and without /v1, since clients are given
// both as their base URL. It answers in its own shape what is not there, too.
func openAIRoute(path string) string {
	path = "/v1" + strings.TrimSuffix(strings.TrimPrefix(path, "/v1"), "/")
	for _, r := range openAIRoutes {
		under, any := strings.CutSuffix(r, "*")
		if path == r || any && strings.HasPrefix(path+"/", under) {
			return r
		}
	}
	return ""
}

// asGet turns HEAD into GET for the router: net/http leaves the body out.
func asGet(r *http.Request) *http.Request {
	if r.Method != http.MethodHead {
		return r
	}
	get := *r
	get.Method = http.MethodGet
	return &get
}

// reserved are the first parts of the paths that this server answers or is
// known to leave alone; under /v1 those of the contract's REST.
var reserved = map[string][]string{
	"":   {"", "live", "health", "metrics", "setup", "session", "link", "brains", "static", "v1", ".well-known", "authorize", "token", "register", "chat", "models", "responses"},
	"v1": {"", "me", "auth", "brains", "openapi.json", "chat", "models", "responses"},
}

// Reserves reports whether a path is, or lies under, one that the server uses
// for something else than the MCP endpoint.
func Reserves(path string) bool {
	first, rest, deeper := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if first == "v1" && deeper {
		second, _, _ := strings.Cut(rest, "/")
		return slices.Contains(reserved["v1"], second)
	}
	return slices.Contains(reserved[""], first)
}

func (s *Server) routes() {
	e := s.echo
	e.GET("/live", s.live)
	e.GET("/health", s.ready)
	e.GET(metricsPath, s.showMetrics)
	e.GET(static.Prefix+"*", echo.WrapHandler(static.Handler()))

	e.GET("/setup", s.newSetup)
	e.POST("/setup", s.setUp)
	e.GET("/session/new", s.newSession)
	e.POST("/session", s.signIn)
	e.POST("/session/end", s.signOut)
	e.GET("/link", s.newLink)
	e.POST("/link", s.useLink)

	e.GET("/", s.signedIn(s.front))
	e.GET("/brains", s.signedIn(s.listBrains))
	e.GET("/brains/new", s.signedIn(s.newBrain))
	e.POST("/brains", s.signedIn(s.createBrain))
	brain := e.Group("/brains/:brain")
	brain.GET("", s.member(s.home))
	brain.GET("/search", s.member(s.search))
	brain.GET("/ask", s.member(s.newQuestion))
	brain.POST("/ask", s.member(s.ask))
	brain.GET("/answers", s.member(s.listAnswers))
	brain.GET("/answers/:id", s.member(s.showAnswer))
	brain.GET("/answers/:id/replay", s.member(s.replayAnswer))
	brain.GET("/wiki", s.member(s.wikiIndex))
	brain.GET("/wiki/:title", s.member(s.wikiArticle))
	brain.GET("/passages", s.member(s.readPassage))
	brain.GET("/sources", s.member(s.listSources))
	brain.GET("/sources/references", s.member(s.listBrokenRefs)) // no code is written in small letters
	brain.POST("/sources", s.member(s.changeSources))
	brain.GET("/sources/:code/diff", s.member(s.diffSource))
	brain.GET("/sources/:code/trial", s.member(s.trySource))
	brain.GET("/sources/:code/facts", s.member(s.newFacts))
	brain.POST("/sources/:code/facts", s.member(s.saveFacts))
	brain.GET("/sources/:code/reversion", s.member(s.newReversion))
	brain.POST("/sources/:code/reversion", s.member(s.revertSource))
	brain.POST("/sources/:code/undo", s.member(s.undoSource))
	brain.GET("/sources/:code", s.member(s.showSource))
	brain.GET("/sources/:code/suspension", s.member(s.newSuspension))
	brain.POST("/sources/:code/suspension", s.member(s.suspendSource))
	brain.POST("/sources/:code/lift", s.member(s.liftSuspension))
	brain.GET("/sources/:code/removal", s.member(s.newSourceRemoval))
	brain.POST("/sources/:code/removal", s.member(s.removeSource))
	brain.POST("/sources/:code/restoration", s.member(s.restoreSource))
	brain.GET("/sources/:code/purge", s.member(s.newPurge))
	brain.POST("/sources/:code/purge", s.member(s.purgeSource))
	brain.GET("/sources/:code/certification", s.member(s.newCertification))
	brain.POST("/sources/:code/certification", s.member(s.certifySource))
	brain.POST("/imports", s.member(s.startImport))
	brain.GET("/imports/new", s.member(s.newImport))
	brain.GET("/imports/:id", s.member(s.showImport))
	brain.POST("/imports/:id/cancellation", s.member(s.cancelImport))
	brain.GET("/topic-cards", s.member(s.listCards))
	brain.POST("/topic-cards", s.member(s.saveCard))
	brain.GET("/topic-cards/new", s.member(s.newCard))
	brain.GET("/topic-cards/:id", s.member(s.showCard))
	brain.POST("/topic-cards/:id", s.member(s.saveCard))
	brain.GET("/topic-cards/:id/removal", s.member(s.newCardRemoval))
	brain.POST("/topic-cards/:id/removal", s.member(s.deleteCard))
	brain.POST("/topic-cards/:id/undo", s.member(s.undoCard))
	brain.GET("/versions", s.member(s.listVersions))
	brain.POST("/versions", s.member(s.askForPublish))
	brain.GET("/versions/diff", s.member(s.diffVersions))
	brain.GET("/versions/:n/restoration", s.member(s.newRestoration))
	brain.POST("/versions/:n/restoration", s.member(s.restoreVersion))
	brain.GET("/approvals", s.member(s.listApprovals))
	brain.POST("/approvals", s.member(s.decideSeveral))
	brain.GET("/approvals/review", s.member(s.reviewSeveral))
	brain.GET("/approvals/:id", s.member(s.showApproval))
	brain.POST("/approvals/:id", s.member(s.decide))
	brain.POST("/approvals/:id/withdrawal", s.member(s.withdraw))
	brain.GET("/golden-questions", s.member(s.listGolden))
	brain.POST("/golden-questions", s.member(s.saveGolden))
	brain.GET("/golden-questions/new", s.member(s.newGolden))
	brain.GET("/golden-questions/report", s.member(s.runGolden))
	brain.GET("/golden-questions/:id", s.member(s.showGolden))
	brain.POST("/golden-questions/:id", s.member(s.saveGolden))
	brain.GET("/golden-questions/:id/removal", s.member(s.newGoldenRemoval))
	brain.POST("/golden-questions/:id/removal", s.member(s.deleteGolden))
	brain.GET("/audit", s.member(s.listAudit))
	brain.GET("/audit/verification", s.member(s.verifyAudit))
	brain.GET("/audit/export", s.member(s.exportAudit))
	brain.GET("/settings", s.member(s.showSettings))
	brain.POST("/settings/four-eyes", s.member(s.saveFourEyes))
	brain.POST("/settings/rules", s.member(s.saveRules))
	brain.POST("/settings/recording", s.member(s.saveRecording))
	brain.POST("/settings/answering", s.member(s.savePolicy))
	brain.GET("/settings/export", s.member(s.exportBrain))
	brain.GET("/settings/deletion", s.member(s.newDeletion))
	brain.POST("/settings/deletion", s.member(s.deleteBrain))
	brain.GET("/settings/members", s.member(s.listMembers))
	brain.GET("/settings/members/accounts", s.member(s.newAccounts))
	brain.POST("/settings/members/accounts", s.member(s.linkAccounts))
	brain.GET("/settings/members/:id", s.member(s.showMember))
	brain.POST("/settings/members/:id", s.member(s.grantRoles))
	brain.GET("/settings/members/:id/removal", s.member(s.newRemoval))
	brain.POST("/settings/members/:id/removal", s.member(s.removeMember))
	brain.GET("/settings/members/:id/forgetting", s.member(s.newForgetting))
	brain.POST("/settings/members/:id/forgetting", s.member(s.forgetMember))
	brain.GET("/settings/api-keys", s.member(s.listKeys))
	brain.POST("/settings/api-keys", s.member(s.createKey))
	brain.GET("/settings/api-keys/new", s.member(s.newKey))
	brain.GET("/settings/api-keys/:id", s.member(s.showKey))
	brain.POST("/settings/api-keys/:id", s.member(s.updateKey))
	brain.POST("/settings/api-keys/:id/owner", s.member(s.moveKey))
	brain.GET("/settings/api-keys/:id/rotation", s.member(s.newRotation))
	brain.POST("/settings/api-keys/:id/rotation", s.member(s.rotateKey))
	brain.GET("/settings/api-keys/:id/revocation", s.member(s.newRevocation))
	brain.POST("/settings/api-keys/:id/revocation", s.member(s.revokeKey))

	s.auth()
	s.rest()
}

// Watch looks after what the server's health depends on until ctx ends. Run it
// beside the server.
func (s *Server) Watch(ctx context.Context) {
	for tick := time.NewTicker(time.Second); ; {
		s.health.look(ctx, s.desk.Store.Ping)
		select {
		case <-tick.C:
		case <-ctx.Done():
			tick.Stop()
			return
		}
	}
}
