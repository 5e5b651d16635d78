package main

import (
	"cmp"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/web"
)

// Settings are the server's: each is an environment variable, a flag of the
// same name on `bb serve`, or a line of the env file, in this order of strength:
// flag, process variable, env file, default.
type Settings struct {
	Listen         string        `env:"POLARIS_LISTEN" default:"127.0.0.1:8088" help:"Bind address."`
	PublicURL      string        `env:"POLARIS_PUBLIC_URL" default:"http://localhost:8088" help:"Origin in links and metadata; its host and origin are allowed."`
	DatabaseURL    string        `env:"POLARIS_DATABASE_URL" secret:"url" help:"The server's login. Empty: a private PostgreSQL in the data folder."`
	MigrateURL     string        `env:"POLARIS_MIGRATE_URL" secret:"url" help:"The owner's login, for migrations. Empty: as POLARIS_DATABASE_URL, with a warning."`
	DataDir        string        `kong:"-" env:"POLARIS_DATA_DIR" help:"Folder of the private database and of secrets."` // a flag of every command
	EnvFile        string        `env:"POLARIS_ENV_FILE" help:"Optional env file. Default: polaris.env in the data folder."`
	SecretKey      string        `env:"POLARIS_SECRET_KEY" secret:"all" help:"Seals cookies and secrets at rest: 64 hexadecimal digits. Default: a 0600 file in the data folder."`
	MCPPath        string        `name:"mcp-path" env:"POLARIS_MCP_PATH" default:"/v1/mcp" help:"Path of the MCP endpoint."`
	AllowedHosts   []string      `env:"POLARIS_ALLOWED_HOSTS" help:"Valid Host values, beside local ones and the public URL's."`
	AllowedOrigins []string      `env:"POLARIS_ALLOWED_ORIGINS" help:"Valid Origin values, beside local ones and the public URL's."`
	TrustedProxies []string      `env:"POLARIS_TRUSTED_PROXIES" help:"Networks whose X-Forwarded-* count."`
	MetricsAllow   []string      `env:"POLARIS_METRICS_ALLOW" help:"Networks that may read /metrics, beside this machine."`
	FetchAllow     []string      `env:"POLARIS_FETCH_ALLOW" help:"Networks that documents may be fetched from, beside public addresses."`
	CORSOrigins    []string      `name:"cors-origins" env:"POLARIS_CORS_ORIGINS" default:"http://localhost:6274" help:"CORS allowlist of the MCP and OpenAI endpoints. Empty: off."`
	MaxQueryChars  int           `env:"POLARIS_MAX_QUERY_CHARS" default:"8000" help:"Longest question, in characters."`
	MaxBodyBytes   int64         `env:"POLARIS_MAX_BODY_BYTES" default:"1048576" help:"Largest request body, in bytes."`
	MaxUploadBytes int64         `env:"POLARIS_MAX_UPLOAD_BYTES" default:"67108864" help:"Largest document, in bytes."`
	ParseMemory    int64         `env:"POLARIS_PARSE_MEMORY" default:"419430400" help:"Memory that reading a document may take, in bytes."`
	ParseTime      time.Duration `env:"POLARIS_PARSE_TIME" default:"2m" help:"How long reading a document may take."`
	ParsePages     int           `env:"POLARIS_PARSE_PAGES" default:"3000" help:"Most pages of a document."`
	ParseUnpacked  int64         `env:"POLARIS_PARSE_UNPACKED" default:"536870912" help:"What a packed document or an archive may unpack to, in bytes."`
	ParseRatio     int64         `env:"POLARIS_PARSE_RATIO" default:"200" help:"How many times its packed size a part of it may unpack to, over 1 MiB."`
	ParseEntries   int           `env:"POLARIS_PARSE_ENTRIES" default:"10000" help:"Most entries of a packed document or an archive."`
	OCRLanguages   string        `name:"ocr-languages" env:"POLARIS_OCR_LANGUAGES" default:"eng" help:"Languages of scans, as Tesseract names them, such as eng+deu."`
	RateLimit      string        `env:"POLARIS_RATE_LIMIT" default:"60/60s" help:"Requests in a window for each caller, or off."`
	RateLimitStore string        `env:"POLARIS_RATE_LIMIT_STORE" help:"Where requests are counted: memory or postgres. Default: memory with the private database, else postgres."`
	Workers        int           `env:"POLARIS_WORKERS" help:"Documents that this process reads at once. Default: one less than it has cores."`
	InlineWait     int           `name:"shallow-inline-wait-seconds" env:"POLARIS_SHALLOW_INLINE_WAIT_SECONDS" default:"30" help:"How long submit_query waits for a small question, in seconds: 1 to 45."`
	JobTTL         time.Duration `name:"job-ttl" env:"POLARIS_JOB_TTL" default:"24h" help:"How long a research job that has ended can be fetched."`
	IndexMemory    int64         `env:"POLARIS_INDEX_MEMORY" help:"Bytes that loaded versions may hold. Default: a quarter of the machine's memory."`
	LLMBaseURL     string        `name:"llm-base-url" env:"POLARIS_LLM_BASE_URL" help:"An OpenAI-compatible server of a language model, such as http://localhost:11434/v1. Empty: answers are quoted, not written."`
	LLMAPIKey      string        `name:"llm-api-key" env:"POLARIS_LLM_API_KEY" secret:"all" help:"What that server asks for. Empty: nothing is sent."`
	LLMModel       string        `name:"llm-model" env:"POLARIS_LLM_MODEL" help:"The model that writes answers."`
	LLMJudgeModel  string        `name:"llm-judge-model" env:"POLARIS_LLM_JUDGE_MODEL" help:"The model that checks them. Default: the one that writes."`
	ShutdownGrace  time.Duration `env:"POLARIS_SHUTDOWN_GRACE" default:"20s" help:"How long requests in flight may take to finish."`
	LogLevel       string        `env:"POLARIS_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"debug, info, warn or error."`
	LogFormat      string        `env:"POLARIS_LOG_FORMAT" enum:"text,json," default:"" help:"text or json. Default: text on a terminal, else json."`
}

// elsewhere are variables that belong to the command line and not to the
// server, or to other programs of the family.
var elsewhere = []string{"POLARIS_ACTOR", "POLARIS_API_KEY", "POLARIS_MCP_API_KEY"}

// mostInlineWait is in seconds. Agents give up on a call after a minute.
const mostInlineWait = 45

// ocrLanguages are Tesseract's names of its packs: eng, chi_sim, script/Latin.
var ocrLanguages = regexp.MustCompile(`^[A-Za-z]\w{0,30}(/\w{1,30})?(\+[A-Za-z]\w{0,30}(/\w{1,30})?){0,9}$`)

// later are settings of the contract that this release does not have yet. To
// set one is refused rather than ignored.
var later = []string{
	"POLARIS_LLM_EMBED_MODEL", "POLARIS_SEARXNG_URL", "POLARIS_OAUTH_ISSUER",
}

// defaultDataDir follows the XDG rule; root keeps data where services do.
func defaultDataDir() string {
	if os.Geteuid() == 0 {
		return "/var/lib/polaris"
	}
	if x := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "polaris")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "polaris-data"
	}
	return filepath.Join(home, ".local", "share", "polaris")
}

// checkNames refuses variables that look like settings and are none: a typing
// error in a limit must not quietly leave the default in force.
func checkNames(environ []string) error {
	known := slices.Concat(variables(), elsewhere)
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case !strings.HasPrefix(name, "POLARIS_") || strings.HasPrefix(name, "POLARIS_TEST_") || slices.Contains(known, name):
		case slices.Contains(later, name):
			return fault.New(fault.Invalid, "%s has no effect in this release. Unset it.", name)
		default:
			return fault.New(fault.Invalid, "%s is no setting of Polaris. `bb config` lists them.", name)
		}
	}
	return nil
}

// readEnvFile reads NAME=value lines. What the process has set already stays;
// the names that came from the file are returned.
func readEnvFile(path string, required bool) (map[string]bool, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "The env file cannot be read: %v.", err)
	}
	from := map[string]bool{}
	for i, line := range strings.Split(string(b), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, fault.New(fault.Invalid, "%s line %d is not NAME=value.", path, i+1)
		}
		if _, set := os.LookupEnv(name); set {
			continue
		}
		if err := os.Setenv(name, unquote(strings.TrimSpace(value))); err != nil {
			return nil, fault.New(fault.Invalid, "%s line %d: %v.", path, i+1, err)
		}
		from[name] = true
	}
	return from, nil
}

// unquote takes one pair of quotes off a value.
func unquote(v string) string {
	if len(v) >= 2 && (v[0] == '"' || v[0] == '\'') && v[len(v)-1] == v[0] {
		return v[1 : len(v)-1]
	}
	return v
}

// A checked is what settings mean, after every value was looked at.
type checked struct {
	Settings
	rate       models.Rate
	inlineWait time.Duration // of submit_query
	proxies    []netip.Prefix
	scrapers   []netip.Prefix
	fetchFrom  []netip.Prefix
	secret     []byte // 32 bytes
}

// check refuses malformed values, one clear line each, and fills in what
// follows from others.
func (s Settings) check() (*checked, error) {
	c := &checked{Settings: s}
	if _, _, err := net.SplitHostPort(s.Listen); err != nil {
		return nil, malformed("POLARIS_LISTEN", s.Listen, "an address such as 127.0.0.1:8088")
	}
	var err error
	if c.PublicURL, err = publicOrigin(s.PublicURL); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(s.MCPPath, "/") || strings.HasSuffix(s.MCPPath, "/") || strings.ContainsAny(s.MCPPath, " ?#*:{}%") || path.Clean(s.MCPPath) != s.MCPPath {
		return nil, malformed("POLARIS_MCP_PATH", s.MCPPath, "a path such as /v1/mcp")
	}
	if err := s.checkNeighbours(); err != nil {
		return nil, err
	}
	if web.Reserves(s.MCPPath) {
		return nil, malformed("POLARIS_MCP_PATH", s.MCPPath, "a path that Polaris does not use for something else, such as /v1/mcp")
	}
	if s.SecretKey != "" {
		if _, err := decodeSecret(s.SecretKey, "POLARIS_SECRET_KEY"); err != nil {
			return nil, err
		}
	}
	if c.proxies, err = networks("POLARIS_TRUSTED_PROXIES", s.TrustedProxies); err != nil {
		return nil, err
	}
	if c.fetchFrom, err = networks("POLARIS_FETCH_ALLOW", s.FetchAllow); err != nil {
		return nil, err
	}
	if c.scrapers, err = networks("POLARIS_METRICS_ALLOW", s.MetricsAllow); err != nil {
		return nil, err
	}
	for name, n := range map[string]int64{
		"POLARIS_MAX_QUERY_CHARS": int64(s.MaxQueryChars), "POLARIS_MAX_BODY_BYTES": s.MaxBodyBytes, "POLARIS_MAX_UPLOAD_BYTES": s.MaxUploadBytes,
		"POLARIS_PARSE_PAGES": int64(s.ParsePages), "POLARIS_PARSE_UNPACKED": s.ParseUnpacked, "POLARIS_PARSE_RATIO": s.ParseRatio, "POLARIS_PARSE_ENTRIES": int64(s.ParseEntries),
	} {
		if n <= 0 {
			return nil, malformed(name, fmt.Sprint(n), "a number above 0")
		}
	}
	if s.Workers < 0 {
		return nil, malformed("POLARIS_WORKERS", fmt.Sprint(s.Workers), "a number above 0")
	}
	if s.IndexMemory < 0 {
		return nil, malformed("POLARIS_INDEX_MEMORY", fmt.Sprint(s.IndexMemory), "a number of bytes above 0")
	}
	c.IndexMemory = cmp.Or(s.IndexMemory, machineMemory()/4)
	c.Workers = cmp.Or(s.Workers, max(1, runtime.GOMAXPROCS(0)-1))
	if s.ParseMemory < leastParseMemory {
		return nil, malformed("POLARIS_PARSE_MEMORY", fmt.Sprint(s.ParseMemory), "a number of bytes, 64 MiB (67108864) or more")
	}
	if !ocrLanguages.MatchString(s.OCRLanguages) {
		return nil, malformed("POLARIS_OCR_LANGUAGES", s.OCRLanguages, "the names of Tesseract's language packs, such as eng+deu")
	}
	if s.ParseTime < time.Second {
		return nil, malformed("POLARIS_PARSE_TIME", s.ParseTime.String(), "a time of a second or more, such as 2m")
	}
	if s.InlineWait < 1 || s.InlineWait > mostInlineWait {
		return nil, malformed("POLARIS_SHALLOW_INLINE_WAIT_SECONDS", fmt.Sprint(s.InlineWait), "a number of seconds from 1 to 45")
	}
	c.inlineWait = time.Duration(s.InlineWait) * time.Second
	if s.JobTTL < time.Minute {
		return nil, malformed("POLARIS_JOB_TTL", s.JobTTL.String(), "a time of a minute or more, such as 24h")
	}
	if err := s.checkModel(); err != nil {
		return nil, err
	}
	if s.ShutdownGrace <= 0 {
		return nil, malformed("POLARIS_SHUTDOWN_GRACE", s.ShutdownGrace.String(), "a time above 0, such as 20s")
	}
	if c.rate, err = models.ParseRate(s.RateLimit); err != nil {
		return nil, malformed("POLARIS_RATE_LIMIT", s.RateLimit, "requests/window such as 60/60s, or off")
	}
	if !slices.Contains([]string{"", ratesInMemory, ratesInPostgres}, s.RateLimitStore) {
		return nil, malformed("POLARIS_RATE_LIMIT_STORE", s.RateLimitStore, "memory or postgres")
	}
	if c.DataDir, err = filepath.Abs(s.DataDir); err != nil {
		return nil, malformed("POLARIS_DATA_DIR", s.DataDir, "a folder")
	}
	return c, nil
}

// checkModel refuses settings of a language model that name a half of one.
func (s *Settings) checkModel() error {
	u, err := url.Parse(s.LLMBaseURL)
	switch {
	case s.LLMBaseURL == "" && s.LLMModel+s.LLMJudgeModel+s.LLMAPIKey != "":
		return malformed("POLARIS_LLM_BASE_URL", "", "the address of the model's server, such as http://localhost:11434/v1, where anything else of a model is set")
	case s.LLMBaseURL == "":
		return nil
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery+u.Fragment != "" || u.User != nil:
		return malformed("POLARIS_LLM_BASE_URL", s.LLMBaseURL, "an http or https address such as http://localhost:11434/v1; a key goes into POLARIS_LLM_API_KEY")
	case s.LLMModel == "":
		return malformed("POLARIS_LLM_MODEL", "", "the name of a model that the server has")
	}
	return nil
}

// publicOrigin returns the public URL as browsers write an origin: in small
// letters, and without the port that its scheme has anyway. Written otherwise it
// would be no origin that a form comes from, and HTTPS:// would leave cookies
// without Secure.
func publicOrigin(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil {
		if err == nil && u.User != nil {
			s = u.Redacted() // a password has no place in a log
		}
		return "", malformed("POLARIS_PUBLIC_URL", s, "an origin such as https://polaris.example.org")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", malformed("POLARIS_PUBLIC_URL", s, "an origin with a port between 1 and 65535")
		}
	}
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return u.Scheme + "://" + strings.TrimSuffix(host, ":"), nil
}

// checkNeighbours refuses hosts and origins that would match nothing, such as
// patterns, and the origin "null", which every page can take on.
func (s Settings) checkNeighbours() error {
	for _, h := range s.AllowedHosts {
		if u, err := url.Parse("//" + h); err != nil || u.Host != h || u.Hostname() == "" || strings.ContainsAny(h, "*, ") {
			return malformed("POLARIS_ALLOWED_HOSTS", h, "names such as polaris.example.org, with or without a port; there are no patterns")
		}
	}
	for name, list := range map[string][]string{"POLARIS_ALLOWED_ORIGINS": s.AllowedOrigins, "POLARIS_CORS_ORIGINS": s.CORSOrigins} {
		for _, o := range list {
			if u, err := url.Parse(o); err != nil || u.Scheme == "" || u.Hostname() == "" || u.User != nil || strings.TrimSuffix(o, "/") != u.Scheme+"://"+u.Host || strings.ContainsAny(o, "*, ") {
				return malformed(name, o, "origins such as https://app.example.org; there are no patterns")
			}
		}
	}
	return nil
}

// networks reads a setting that lists networks, or single addresses.
func networks(name string, list []string) (all []netip.Prefix, err error) {
	for _, p := range list {
		n, err := netip.ParsePrefix(p)
		if a, aerr := netip.ParseAddr(p); err != nil && aerr == nil {
			n, err = a.Prefix(a.BitLen())
		}
		if err != nil {
			return nil, malformed(name, p, "networks such as 10.0.0.0/8")
		}
		all = append(all, n)
	}
	return all, nil
}

func malformed(name, value, want string) error {
	return fault.New(fault.Invalid, "%s is %q; it must be %s.", name, value, want)
}

// secretFile holds the instance's secret in the data folder, where no setting
// does.
const secretFile = "secret.key"

// readSecret returns the instance's secret: from the setting, or from a file in
// the data folder that is made on first use and readable by its owner alone.
func (c *checked) readSecret() error {
	text, from := c.SecretKey, "POLARIS_SECRET_KEY"
	if text == "" {
		file := filepath.Join(c.DataDir, secretFile)
		b, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			fresh := make([]byte, 32)
			rand.Read(fresh) // never fails since Go 1.24
			b = []byte(hex.EncodeToString(fresh) + "\n")
			err = writeNew(file, b)
		}
		if err != nil {
			return fault.New(fault.Invalid, "The secret key file cannot be used: %v.", err)
		}
		text, from = strings.TrimSpace(string(b)), "What "+file+" holds"
	}
	var err error
	c.secret, err = decodeSecret(text, from)
	return err
}

// decodeSecret reads a secret key, and names where a malformed one came from
// without showing it.
func decodeSecret(text, from string) ([]byte, error) {
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != 32 {
		return nil, fault.New(fault.Invalid, "%s must be 64 hexadecimal digits (openssl rand -hex 32 makes some).", from)
	}
	return key, nil
}

// writeNew writes a file for its owner alone, whole or not at all.
func writeNew(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(b); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path) // fails if another process was first
}

// derive returns 32 bytes for one purpose, so that no two purposes share a key.
func (c *checked) derive(purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, c.secret, nil, "polaris "+purpose, 32)
}

// sealingKey returns what seals the keys that sign access tokens. A command that
// makes no data folder makes no secret either, and works without one: it signs
// nothing.
func (c *checked) sealingKey(create bool) ([]byte, error) {
	if !create && c.SecretKey == "" {
		f, err := os.Open(filepath.Join(c.DataDir, secretFile))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil, nil
		}
		_ = f.Close() // nil on another error, which readSecret finds again
	}
	if err := c.readSecret(); err != nil {
		return nil, err
	}
	return c.derive("signing keys")
}

// logger returns the process's log.
func (c *checked) logger(w io.Writer, terminal bool) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // kong checked it against the four names
	o := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" || c.LogFormat == "" && !terminal {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
