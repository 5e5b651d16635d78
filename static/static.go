// Package static holds what the browser gets as it is: htmx with its CSP
// extension, Oat's style sheet, and our own style sheet, script and icon. All
// of it is in the binary, so a server needs no files beside it.
//
// A file's address carries the hash of its content. So it can be cached for
// ever, and after an upgrade no page meets an old script. Vendored files are
// pinned in VERSIONS, which a test holds against their bytes.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
)

//go:embed assets
var files embed.FS

// Prefix is where Handler expects to be mounted.
const Prefix = "/static/"

type asset struct {
	hash string // 16 hex digits of the content's SHA-256
	kind string // media type
	body []byte
	gzip []byte // the same, packed; nil where that is not shorter
}

var assets = load()

// load reads all files once. It panics on failure: what it reads was embedded
// by the compiler.
func load() map[string]asset {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic("static: " + err.Error())
	}
	all := make(map[string]asset, len(entries))
	for _, e := range entries {
		body, err := files.ReadFile("assets/" + e.Name())
		if err != nil {
			panic("static: " + err.Error())
		}
		sum := sha256.Sum256(body)
		all[e.Name()] = asset{hash: hex.EncodeToString(sum[:8]), kind: mediaType(e.Name()), body: body, gzip: packed(body)}
	}
	return all
}

// packed returns a file as gzip packs it best: that is done once, not for each
// reader.
func packed(body []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic("static: " + err.Error()) // there is no such level
	}
	if _, err := z.Write(body); err != nil || z.Close() != nil || b.Len() >= len(body) {
		return nil
	}
	return b.Bytes()
}

// TakesGzip reports whether a reader can unpack gzip.
func TakesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(name, "gzip") {
			q = strings.ReplaceAll(q, " ", "")
			return q != "q=0" && q != "q=0.0" && q != "q=0.00" && q != "q=0.000"
		}
	}
	return false
}

// mediaType names the few kinds that we serve, so that a machine's own table
// of types cannot turn a script into plain text.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "text/plain; charset=utf-8"
}

// Path returns the address of a file, such as "/static/1f0c…/app.js". It
// panics for a name that does not exist, which is a mistake in a page.
func Path(name string) string {
	a, ok := assets[name]
	if !ok {
		panic("static: there is no file " + name)
	}
	return Prefix + a.hash + "/" + name
}

// Handler serves the files at the addresses that Path returns, to be mounted
// at Prefix. Anything else, a file under an old hash too, is a plain 404.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hash, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
		a, ok := assets[name]
		if !ok || a.hash != hash {
			http.Error(w, "There is no such file.", http.StatusNotFound)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Files can only be read.", http.StatusMethodNotAllowed)
			return
		}
		h := w.Header()
		h.Set("Content-Type", a.kind)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Vary", "Accept-Encoding")
		body := a.body
		if a.gzip != nil && TakesGzip(r) {
			h.Set("Content-Encoding", "gzip")
			body = a.gzip
		}
		_, _ = w.Write(body) // a reader that left
	})
}
