package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os/exec"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium/requests"
)

// What makes a page a scan, and how it is read.
const (
	fewChars   = 20  // that a scan may hold besides its image: a stamp, a page number
	ofThePage  = 0.3 // that its images cover at least
	scanDPI    = 200 // what Tesseract reads well
	maxPixels  = 40_000_000
	maxScanOut = 4 << 20 // bytes of text for a page
)

// scan reads a page that is only an image.
func (r *reading) scan(i int, p *page) error {
	if len(p.layer) > 0 && count(p.layer) > count(p.words) {
		p.words, p.layer, p.ocr = append(p.layer, p.words...), nil, true
		r.layered = append(r.layered, p.number)
		return nil
	}
	p.hidden, p.layer = append(p.hidden, p.layer...), nil
	if count(p.words) > fewChars || !p.pictured() {
		return nil
	}
	program := r.tesseract()
	if program == "" {
		r.unread = append(r.unread, p.number)
		return nil
	}
	img, err := r.render(i, p)
	if err != nil {
		return err
	}
	lines, err := r.recognise(program, img)
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case err != nil:
		r.warn("p. %d: no text, only an image; the program that reads scans failed (%v).", p.number, err)
	case len(lines) == 0:
		r.warn("p. %d: no text, only an image in which no text was found.", p.number)
	default:
		p.scanned, p.ocr = lines, true
		r.read = append(r.read, p.number)
	}
	return nil
}

func count(ws []*word) (n int) {
	for _, w := range ws {
		n += w.chars
	}
	return n
}

// pictured reports whether images cover much of the page. They may be strips.
func (p *page) pictured() bool {
	area := 0.0
	for _, b := range p.images {
		area += max(0, min(b.x1, p.w)-max(b.x0, 0)) * max(0, min(b.y1, p.h)-max(b.y0, 0))
	}
	return area >= ofThePage*p.w*p.h
}

// tesseract returns the program, or "".
func (r *reading) tesseract() string {
	switch r.options.Tesseract {
	case "-":
		return ""
	case "":
		found, err := exec.LookPath("tesseract")
		if err != nil {
			return ""
		}
		return found
	}
	return r.options.Tesseract
}

// render paints a page in grey, as a PGM file.
func (r *reading) render(i int, p *page) ([]byte, error) {
	dpi := scanDPI
	for dpi > 30 && p.w*p.h*float64(dpi*dpi)/(72*72) > maxPixels {
		dpi /= 2
	}
	out, err := r.RenderPageInDPI(&requests.RenderPageInDPI{DPI: dpi, Page: requests.Page{
		ByIndex: &requests.PageByIndex{Document: r.engine.doc, Index: i},
	}})
	if err != nil {
		return nil, err
	}
	defer out.Cleanup()
	return pgm(out.Result.RenderedImage), nil
}

// pgm writes an image in the simplest format that Tesseract reads.
func pgm(m image.Image) []byte {
	b := m.Bounds()
	out := fmt.Appendf(make([]byte, 0, b.Dx()*b.Dy()+32), "P5\n%d %d\n255\n", b.Dx(), b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c, _ := color.GrayModel.Convert(m.At(x, y)).(color.Gray)
			out = append(out, c.Y)
		}
	}
	return out
}

// recognise runs Tesseract over an image and returns the lines that it found,
// an empty one between paragraphs.
func (r *reading) recognise(program string, img []byte) ([]string, error) {
	limit := r.options.PageTime
	if limit <= 0 {
		limit = time.Minute
	}
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "stdin", "stdout", "-l", r.languages(ctx, program), "--dpi", fmt.Sprint(scanDPI)) //nolint:gosec // the program is a setting of the operator
	cmd.Env = []string{"OMP_THREAD_LIMIT=1", "PATH=/usr/local/bin:/usr/bin:/bin"}
	cmd.Stdin = bytes.NewReader(img)
	var out capped
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("it took longer than %s", limit)
		}
		return nil, err
	}
	text := strings.ToValidUTF8(out.String(), "")
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	return strings.Split(strings.TrimSpace(text), "\n"), nil
}

// capped keeps the beginning of what is written to it.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := maxScanOut - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
