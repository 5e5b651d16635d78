package pdf

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Compiled names how the engine is compiled. What was compiled otherwise is no
// use to it, so whoever keeps a folder for [Options].Cache keeps it under this
// name too. It changes with the runtime's configuration in start.
const Compiled = "uninterrupted"

// memoryPages is what one document may take of the engine's memory, in pages
// of 64 KiB: 256 MiB. With the compiled engine and our own heap the process
// stays under 400 MiB.
const memoryPages = 4096

// renewAfter is how many pages one instance of the engine reads. The binding
// keeps a handle for each object that it was asked for until its instance is
// closed, so an instance that read a long document to the end would hold it
// all.
const renewAfter = 64

// caches holds one compilation cache for each folder, for as long as the
// process lives: compiling the engine takes seconds, and every reading in this
// process shares the result.
var caches struct {
	sync.Mutex
	by map[string]wazero.CompilationCache
}

// cache returns the compilation cache of a folder, or one in memory.
func cache(dir string) (wazero.CompilationCache, error) {
	caches.Lock()
	defer caches.Unlock()
	if c := caches.by[dir]; c != nil {
		return c, nil
	}
	c := wazero.NewCompilationCache()
	if dir != "" {
		var err error
		if c, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return nil, fmt.Errorf("opening the cache of the PDF engine: %w", err)
		}
	}
	if caches.by == nil {
		caches.by = map[string]wazero.CompilationCache{}
	}
	caches.by[dir] = c
	return c, nil
}

// An engine is PDFium in its sandbox with one document open. It sees no file
// and no network. When its context ends, whatever it is doing ends; after an
// error of the sandbox it must be closed and not used again.
type engine struct {
	pdfium.Pdfium
	ctx   context.Context
	idle  func() bool // stops the watch over ctx
	pool  pdfium.Pool
	doc   references.FPDF_DOCUMENT
	data  []byte
	pages int // read by this instance
}

// start makes an engine without a document.
func start(ctx context.Context, cacheDir string) (*engine, error) {
	c, err := cache(cacheDir)
	if err != nil {
		return nil, err
	}
	var m memory
	pool, err := webassembly.Init(webassembly.Config{
		Context:  experimental.WithMemoryAllocator(ctx, &m),
		MaxTotal: 1,
		Stdout:   io.Discard,
		Stderr:   io.Discard,
		FSConfig: wazero.NewFSConfig(), // the default would mount the whole disk
		RuntimeConfig: wazero.NewRuntimeConfig().
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
			WithCompilationCache(c).
			WithMemoryLimitPages(memoryPages),
	})
	if err != nil {
		return nil, fmt.Errorf("starting the PDF engine: %w", err)
	}
	e := &engine{ctx: ctx, pool: pool, idle: context.AfterFunc(ctx, m.spoil)}
	if err := e.instance(); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// instance gives e a fresh instance.
func (e *engine) instance() error {
	in, err := e.pool.GetInstanceWithContext(e.ctx)
	if err != nil {
		return fmt.Errorf("starting the PDF engine: %w", err)
	}
	e.Pdfium, e.pages = in, 0
	return nil
}

// open loads data as e's document.
func (e *engine) open(data []byte) error {
	d, err := e.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		return err
	}
	e.doc, e.data = d.Document, data
	return nil
}

// renew replaces an instance that has read its share of pages. The document
// was readable once, so an error here is the sandbox's.
func (e *engine) renew() error {
	if e.pages < renewAfter {
		return nil
	}
	_ = e.Kill() // the instance goes with all that it holds; it is not asked to tidy up first
	e.Pdfium = nil
	if err := e.instance(); err != nil {
		return err
	}
	return e.open(e.data)
}

// close frees all that e holds.
func (e *engine) close() {
	e.idle()
	if e.Pdfium != nil {
		_ = e.Kill() // one that trapped could not tidy up
	}
	_ = e.pool.Close()
}
