// Package layout draws what surrounds every page: the document with its
// scripts, the side with the brain and the navigation, the head of a page, and
// the small pieces that all pages share (a state's tag, a time, a list's
// frame).
//
// A page is a component over one struct of its own and a Frame. The Frame says
// who is looking and what there is to go to; the handler makes it once for each
// request. Nothing here reads a clock, a session or a database: times come as
// text, and the nonce of the content security policy comes from the context by
// way of templ, which is where templ itself looks for it.
package layout

import "strings"

// A Frame is what surrounds a page.
type Frame struct {
	Assets  Assets
	Path    string    // of the page, to mark its place in the navigation
	Brain   Brain     // zero where the reader is in no brain
	Nav     []Section // only what exists and the reader may open
	Account Account   // zero for pages that need no sign-in
	Flash   Flash     // zero for none
	Banner  string    // a standing state that every page tells, such as four eyes being off
}

// Assets are the addresses of what the browser loads, in order.
type Assets struct {
	Styles  []string
	Scripts []string
	Icon    string
}

// A Brain is shown at the top of the side.
type Brain struct {
	ID      string // "calliope"
	Version string // "v14 live", "not live"
	URL     string // its home, "/brains/calliope"
}

// A Section is one group of the navigation. The first usually has no title.
type Section struct {
	Title string
	Items []Item
}

// An Item leads to one page. It is marked as current on that page and on those
// below it.
type Item struct {
	Label string
	URL   string
	Count string // "48"; empty for none
	Hot   bool   // the count waits for the reader
}

// At returns the address of a page of the frame's brain. Every page of a brain
// is below the brain's home, so that each thing has one address for everybody.
func (f Frame) At(path string) string { return f.Brain.URL + path }

// An Account is who is signed in.
type Account struct {
	Name  string
	Email string
	Roles string // "curator", "curator, admin"

	Proposed string // where what they proposed is listed; empty where they may propose nothing
}

// A Flash says once what the last act did.
type Flash struct {
	Kind Kind
	Text string
}

// A Kind is what a state means to the reader. It chooses a colour, which never
// stands without a word.
type Kind string

// The kinds of states.
const (
	Neutral Kind = ""
	Good    Kind = "ok"
	Caution Kind = "warn"
	Bad     Kind = "bad"
)

// A Head is the top of a page: where it is, what it is, one sentence of state
// and one act.
type Head struct {
	Crumbs []Link
	Title  string
	State  string
	Action Link // zero for none
}

// A Link has a text and an address.
type Link struct {
	Text string
	URL  string
}

// Where the forms that every page carries are sent.
const (
	SignOutPath = "/session/end" // POST
	SignInPath  = "/session/new" // GET
)

// under reports whether path is url or a page below it. All pages of a brain
// are below its home, which is therefore marked on itself alone.
func under(path, url, home string) bool {
	return path == url || url != home && strings.HasPrefix(path, url+"/")
}

// current returns the address of the item that path belongs to: the longest
// that fits, so that "/settings/api-keys" wins over "/settings".
func current(f Frame) string {
	best := ""
	for _, s := range f.Nav {
		for _, it := range s.Items {
			if under(f.Path, it.URL, f.Brain.URL) && len(it.URL) > len(best) {
				best = it.URL
			}
		}
	}
	return best
}

func tagClass(k Kind) string  { return strings.TrimSpace("tag " + string(k)) }
func noteClass(k Kind) string { return strings.TrimSpace("note " + string(k)) }
