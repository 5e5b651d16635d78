package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"polaris/advisor/ingest"
	reader "polaris/advisor/ingest/pdf"
)

// Warm compiles the PDF engine into the cache if it is not there, which takes
// some seconds. Without it the first PDF does so, and waits for one that has
// begun. When ctx ends so does the compiling, and the next PDF begins anew. What
// else goes wrong is logged: PDFs are read all the same, only slower.
func (e *Extractor) Warm(ctx context.Context) {
	sweepSometimes()
	if e.Cache == "" {
		return
	}
	e.warming.Lock()
	defer e.warming.Unlock()
	if e.warmed || ctx.Err() != nil {
		return
	}
	dir, err := filepath.Abs(e.Cache)
	if err == nil {
		err = e.fillCache(ctx, dir)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return
	case err != nil:
		e.log().Warn("the compiled PDF engine cannot be kept, so each PDF takes seconds longer", "folder", e.Cache, "error", err)
	default:
		e.filled.Store(&dir)
	}
	e.warmed = true
}

// cache is the folder of the compiled engine; "": there is none yet.
func (e *Extractor) cache() string {
	if dir := e.filled.Load(); dir != nil {
		return *dir
	}
	return ""
}

func (e *Extractor) fillCache(ctx context.Context, dir string) error {
	ready := filepath.Join(dir, "compiled "+engine()+e.build())
	if _, err := os.Stat(ready); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	trusted := &Extractor{Limits: Limits{Memory: 1 << 30, Time: 5 * time.Minute}, Log: e.Log, exe: e.exe, args: e.args, lack: lack{namespaces: true}, own: true}
	if _, err := trusted.run(ctx, job{Op: opWarm, Options: ingest.Options{Cache: dir, Name: "blank.pdf"}}, nil, nothingElse); err != nil {
		return err
	}
	// Children may be another user's. The folders above stay as closed as they are.
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o755)
		case d.Type().IsRegular():
			return os.Chmod(path, 0o644)
		}
		return errors.New("what is in the cache is no file: " + path)
	})
	if err != nil {
		return err
	}
	return os.WriteFile(ready, nil, 0o644)
}

// build tells this program from others with the same engine, who may ask it to be
// compiled otherwise: what is not in the cache a child cannot add.
func (e *Extractor) build() string {
	exe, _, err := e.program()
	if err != nil {
		return ""
	}
	st, err := os.Stat(exe)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" %x-%x", st.Size(), st.ModTime().UnixNano())
}

// engine names what is compiled: other versions of it are compiled anew.
func engine() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	var versions []string
	for _, m := range info.Deps {
		if strings.HasSuffix(m.Path, "/go-pdfium") || strings.HasSuffix(m.Path, "/wazero") {
			versions = append(versions, filepath.Base(m.Path)+" "+m.Version)
		}
	}
	return strings.Join(append(versions, info.GoVersion, reader.Compiled), " ")
}
