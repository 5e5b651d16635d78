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
//
// # What pages share
//
// Each of these works without script, which only makes it quicker.
//
//   - Scripts. Head.Scripts names further files of static/assets that a page
//     loads after app.js, such as "sources.js": deferred, with the nonce. They
//     are strict, write no HTML (static's test says what that means), listen on
//     document, since htmx swaps what is below it, and find what they act on by
//     data attributes. From app.js they use polaris.announce(text), a toast, and
//     polaris.ready(f), which calls f(root) for the document at once and for
//     each part that htmx swaps in later.
//   - Toasts. polaris.announce(text) from a script; from a handler that answers
//     htmx, the header HX-Trigger: {"announce":{"text":"Saved."}}. A page that is
//     loaded anew tells it by Frame.Flash instead: ?done=word in the address,
//     the words being in package web, and the script takes it out of the address
//     once it was told.
//   - Undo. Where an act has an operation that takes it back, the handler sets
//     Flash.Undo to the form that does it, from what it knows itself and never
//     from the address.
//   - Times. Time draws a When: near in words, exact on hover, which the script
//     turns into the reader's zone. Never print a time in another way.
//   - Lists. List frames a table, and FilterRow, Pager and Empty go with it. The
//     filters are the query of the address, so that each state has a link. In a
//     List the keys j and k go from row to row, which is to each row's first
//     link, so Enter opens it, and x ticks its box. What is no table gets the
//     same by data-rows on the element whose children are its rows.
//   - Side panel. PanelLink opens the part of another page that a selector names
//     beside what is being read; Esc closes it and the focus returns. Without
//     script it is a link to that page.
//   - Keys. data-key="a" on a button or link is pressed by that letter while
//     nobody types, and data-key-word says in the sheet of keys what it does.
//     An Item's Key follows g.
//   - Steps. A form or element with hx-post or hx-get whose handler answers
//     text/event-stream shows each message in its hx-target, if Head.Scripts has
//     SSE. What comes by message carries no hx- attributes: it is not given the
//     page's nonce, so they would be taken off with a complaint.
//   - Waiting. The class "waits" on what hx-indicator names dims it after 300 ms.
package layout

import "strings"

// A Frame is what surrounds a page.
type Frame struct {
	Assets  Assets
	Path    string    // of the page, to mark its place in the navigation
	Brain   Brain     // zero where the reader is in no brain
	Brains  []Brain   // the others that the reader may enter
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

// SearchPath is where a brain's things are found by name, below its home.
const SearchPath = "/search" // GET: q

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
	Key   string // the letter that follows g; empty for none
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
	Undo Undo // zero where it cannot be taken back
}

// An Undo is the form that takes an act back.
type Undo struct {
	Text   string // "Restore it"; empty: "Undo"
	URL    string // where it is posted; empty for none
	Fields []Hidden
}

// A Hidden is one value that a form sends unseen.
type Hidden struct{ Name, Value string }

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

	Scripts []string // further files of static/assets, such as SSE or "sources.js"
}

// SSE is the script that shows what comes by and by, for Head.Scripts.
const SSE = "hx-sse.min.js"

// A Link has a text and an address.
type Link struct {
	Text string
	URL  string
}

// Pages lead from one stretch of a list to those beside it.
type Pages struct {
	Newer string    // address; empty on the first stretch
	Older string    // address; empty on the last
	Words [2]string // what they are called; empty: "Newer", "Older"
}

func (p Pages) word(i int) string {
	if p.Words[i] != "" {
		return p.Words[i]
	}
	return [2]string{"Newer", "Older"}[i]
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
