// Command bb serves, operates and administers Polaris: the server, the command
// line and the private database's supervisor in one binary.
//
// Only this package sees everything. It reads the settings, opens the store,
// builds the desk and hands it to the surfaces; the commands translate what was
// typed into operations and print what came back.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"polaris/advisor/ingest/guard"
	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store/localpg"
	"polaris/ops"
)

func main() {
	localpg.SuperviseIfAsked() // the private PostgreSQL belongs to a child that is this binary again
	guard.ServeIfAsked()       // and so does the reading of a document
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// root is the command line.
type root struct {
	DataDir string           `env:"POLARIS_DATA_DIR" default:"${data_dir}" help:"Folder of the private database and of secrets." placeholder:"DIR"`
	JSON    bool             `name:"json" help:"Print the result as JSON."`
	Actor   string           `env:"POLARIS_ACTOR" help:"Who acts, for the audit log. Default: the brain's only owner." placeholder:"EMAIL"`
	Version kong.VersionFlag `help:"Print the version."`

	Serve   serveCmd   `cmd:"" help:"Run the server. Example: bb serve --demo"`
	Migrate migrateCmd `cmd:"" help:"Set up or update the database. Example: bb migrate"`
	Backup  backupCmd  `cmd:"" help:"Write all brains, people and the audit log to one file, while the server goes on. Example: bb backup polaris.backup"`
	Restore restoreCmd `cmd:"" help:"Put a backup into a clean data folder or an empty database, and verify it. Example: bb restore polaris.backup --data-dir /srv/polaris"`
	Config  configCmd  `cmd:"" help:"Print the effective settings and where each came from. Example: bb config"`
	Brain   brainCmd   `cmd:"" help:"Create and list brains."`
	User    userCmd    `cmd:"" help:"Add, list and disable people."`
	APIKey  apikeyCmd  `cmd:"" name:"apikey" help:"Mint, list, rotate and revoke API keys."`
	Import  importCmd  `cmd:"" help:"Read documents into the draft. Example: bb import handbook.md --brain-id calliope"`
	Extract extractCmd `cmd:"" help:"Show what the parser sees in a document. Example: bb extract handbook.md"`
	Source  sourceCmd  `cmd:"" help:"List, remove, restore, update, compare, certify and purge sources."`
	Card    cardCmd    `cmd:"" help:"Save, list and delete topic cards."`
	Publish publishCmd `cmd:"" help:"Publish the draft as a new version. Example: bb publish --brain-id calliope"`
	Rec     recCmd     `cmd:"" name:"recommendation" help:"List, show and withdraw changes that wait for a second person. A terminal never decides on them: that is done at the pages, by somebody who is signed in."`
	Undo    undoCmd    `cmd:"" help:"Take back one change of the draft, unless it was changed again since. Example: bb undo 4711 --brain-id calliope"`
	Ver     versionCmd `cmd:"" name:"version" help:"List, show, compare and restore published versions."`
	Answer  answerCmd  `cmd:"" help:"Ask a question. Example: bb answer 'How long do we have to decide?' --brain-id calliope"`
	Find    findCmd    `cmd:"" name:"retrieve" help:"Show the passages that bear on a question. Example: bb retrieve '§ 4.2' --brain-id calliope"`
	Replay  replayCmd  `cmd:"" help:"Ask a served answer's question again of the version that answered, and check its proof. Example: bb replay ans_4kfQ0aB1cD2e --brain-id calliope"`
	Audit   auditCmd   `cmd:"" help:"Verify and export the audit log."`
	Eval    evalCmd    `cmd:"" help:"Ask the golden questions, or measure retrieval on a benchmark folder."`
	Connect connectCmd `cmd:"" help:"Bridge standard input and output to a hosted endpoint. The key comes from POLARIS_API_KEY. Example: bb connect https://polaris.example.org"`
	Smoke   smokeCmd   `cmd:"" help:"Check a deployment from outside, as an agent would meet it. Example: bb smoke --url https://polaris.example.org"`
	Op      opCmd      `cmd:"" help:"Run any operation, its input as JSON on standard input. Example: echo '{}' | bb op sources.list --brain-id calliope"`

	rehearse bool // set by --dry-run
}

// A console is where a command prints, and what all commands were told.
type console struct {
	in       io.Reader
	out, err io.Writer
	root     *root
	settings func() (*checked, error) // from the environment, for all commands but serve
}

// run runs one command line and returns its exit status: 0 done, 1 failed, 2
// used wrongly.
func run(ctx context.Context, args []string, in io.Reader, stdout, stderr io.Writer) int {
	out, errw := &printable{w: stdout}, &printable{w: stderr}
	defer out.end()
	defer errw.end()
	fail := func(err error) int {
		f := fault.Of(err)
		fmt.Fprintln(errw, "bb:", oneLine(sentence(f)))
		return f.Kind.Exit()
	}
	origins, err := loadEnvironment(args)
	if err != nil {
		return fail(err)
	}
	cli := &root{}
	exited := -1
	k, err := kong.New(cli, kong.Name("bb"), kong.Description("Polaris: answers in which every sentence stands on a verified quote."),
		vars(), kong.Writers(out, errw), kong.Bind(cli), kong.Exit(func(code int) { exited = code }), kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		panic(err) // a mistake in the tags above; the tests build this parser
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	kctx, err := k.Parse(args)
	if exited >= 0 {
		return exited // --help and --version have printed
	}
	if err != nil {
		said := withoutSecrets(err.Error(), misused(err), args)
		if !strings.HasSuffix(said, "?") {
			said += "."
		}
		return fail(fault.New(fault.Invalid, "%s `%s --help` shows how.", said, misused(err)))
	}
	c := &console{in: in, out: out, err: errw, root: cli, settings: func() (*checked, error) { return fromEnvironment(cli.DataDir) }}
	kctx.BindTo(ctx, (*context.Context)(nil))
	err = kctx.Run(c, origins)
	if r, ok := asRehearsed(err); ok {
		err = c.print(r, func(w io.Writer) { printRehearsal(w, r) })
	}
	if q, waits := ops.AsWaiting(err); waits {
		err = c.print(q, func(w io.Writer) { printQueued(w, q) })
	}
	if err != nil {
		return fail(err)
	}
	return 0
}

// misused is the command that a wrong command line meant, as far as it was
// understood.
func misused(err error) string {
	var p *kong.ParseError
	if !errors.As(err, &p) || p.Context.Selected() == nil {
		return "bb"
	}
	name := p.Context.Selected().Name
	for n := p.Context.Selected().Parent; n != nil; n = n.Parent {
		name = n.Name + " " + name
	}
	return name
}

// withoutSecrets takes out of a message about a wrong command line what may be a
// secret: keys, and, of commands that take an address or a key, all that was
// given beside flags.
func withoutSecrets(message, command string, args []string) string {
	if command == "bb smoke" || command == "bb connect" {
		for _, a := range args {
			if !strings.HasPrefix(a, "-") && a != "smoke" && a != "connect" {
				message = strings.ReplaceAll(message, a, "…")
			}
		}
	}
	return models.RedactIn(message)
}

func vars() kong.Vars {
	return kong.Vars{"data_dir": defaultDataDir(), "version": "polaris " + release()}
}

// release is the version that was built: the module's, or the commit's.
func release() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := strings.Trim(info.Main.Version, "()") // "(devel)" is a build that no tag names
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			v += " " + s.Value[:12]
		}
	}
	return v
}

// sentence is an error as one line. What is internal keeps its cause: at the
// terminal the reader is the operator.
func sentence(f *fault.Error) string {
	switch {
	case f.Kind == fault.Internal && f.Err != nil:
		return f.Err.Error()
	case f.Err != nil && (f.Kind == fault.Unavailable || f.Kind == fault.NotReady):
		return strings.TrimSuffix(f.Message, ".") + ": " + f.Err.Error()
	}
	return f.Message
}

// print writes v as JSON where that was asked for, else what text writes.
func (c *console) print(v any, text func(w io.Writer)) error {
	if !c.root.JSON {
		text(c.out)
		return nil
	}
	e := json.NewEncoder(c.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// notice writes a line beside the result.
func (c *console) notice(format string, args ...any) { fmt.Fprintf(c.err, format+"\n", args...) }

// readAll reads standard input up to limit bytes.
func (c *console) readAll(limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(c.in, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = errors.New("the input is too large")
	}
	return b, err
}
