package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"polaris/advisor/fetch"
	"polaris/models"
	"polaris/ops"
)

// uploaded is a form with files.
func uploaded(t *testing.T, files map[string]string) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, text := range files {
		p, err := w.CreateFormFile("files", name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(p, text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// reading has this process read imports until the test ends.
func (s *site) reading(n int) {
	s.t.Helper()
	w, err := s.desk.Work(context.Background(), n)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			s.t.Error(err)
		}
	})
}

// Files are chosen at the page of the sources; the page of the import says what
// became of each, with and without script.
func TestUploadAtThePage(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	b.get("/brains/calliope/sources").want(http.StatusOK, `href="/brains/calliope/imports/new"`)
	b.get("/brains/calliope/imports/new").want(http.StatusOK, `type="file"`, `enctype="multipart/form-data"`, `multiple`)
	body, kind := uploaded(t, map[string]string{"pets.md": "# Pets\n\nCats sleep sixteen hours a day.\n", "bad.md": "GIF89a", "turned.md": "# Prices\n\nA stamp is \u202e12\u202c euros.\n"})
	a := b.do(http.MethodPost, "/brains/calliope/imports", body, "Content-Type", kind).want(http.StatusSeeOther)
	at := a.Header.Get("Location")
	b.get(at).want(http.StatusOK, "0 of 3\u00a0documents are read.", `hx-trigger="refresh, every 5s"`, `data-events="/v1`, "Look again", "Cancel what is left")
	s.reading(1)
	done := eventually(t, func() (*answer, bool) { a := b.get(at); return a, strings.Contains(a.text, "All is read") })
	done.want(http.StatusOK, "new, revision 1", "/brains/calliope/sources/PETS", "GIF", "failed", "held: 1\u00a0flag", "All is read: 1 imported, 1 held for a curator, 1 not imported.")
	part := b.do(http.MethodGet, at, "", "HX-Request", "true").want(http.StatusOK, `id="import"`, "All is read")
	if strings.Contains(part.text, "<html") || strings.Contains(part.text, "hx-trigger") {
		t.Errorf("the part that is asked for again: %s", part.text)
	}
	b.get("/brains/calliope/sources").want(http.StatusOK, "held: 1\u00a0flag")
	l := run(s, terminalOf("calliope"), ops.ListSources, ops.Page{})
	for _, src := range l.Sources {
		if l.Held[src.ID] > 0 {
			b.get("/brains/calliope/sources/"+src.Code).want(http.StatusOK, "Found in it", "reading direction", "until a curator has looked", "Read in")
		}
	}
	empty, kind := uploaded(t, nil)
	b.do(http.MethodPost, "/brains/calliope/imports", empty, "Content-Type", kind).want(http.StatusUnprocessableEntity, "Send between 1 and", `type="file"`)
	s.person("reader@example.org", "calliope", models.RoleReader)
	r := s.browser()
	r.signIn("reader@example.org", password)
	r.do(http.MethodPost, "/brains/calliope/imports", body, "Content-Type", kind).want(http.StatusForbidden)
}

// Addresses are given at the same page, and come back with the reason where one
// is none.
func TestImportByAddressAtThePage(t *testing.T) {
	t.Parallel()
	s, b := published(t)
	origin := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/pets.md" {
			http.NotFound(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "text/markdown")
		fmt.Fprint(rw, "# Pets\n\nCats sleep sixteen hours a day.\n")
	}))
	t.Cleanup(origin.Close)
	send := func(addresses string) *answer {
		var body strings.Builder
		w := multipart.NewWriter(&body)
		if err := errors.Join(w.WriteField("addresses", addresses), w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.do(http.MethodPost, "/brains/calliope/imports", body.String(), "Content-Type", w.FormDataContentType())
	}
	send(origin.URL+"/pets.md").want(http.StatusUnprocessableEntity, "fetches nothing from others")
	s.desk.Settings.Fetch = fetch.New(fetch.Settings{Reach: fetch.Reach{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
	send("ftp://example.org/x\n").want(http.StatusUnprocessableEntity, "Only http and https", "ftp://example.org/x\n</textarea>")
	at := send(origin.URL + "/pets.md\n\n http://10.0.0.1/\n").want(http.StatusSeeOther).Header.Get("Location")
	s.reading(1)
	done := eventually(t, func() (*answer, bool) { a := b.get(at); return a, strings.Contains(a.text, "All is read") })
	done.want(http.StatusOK, "new, revision 1", "/brains/calliope/sources/PETS", "not a public server")
	b.get("/brains/calliope/sources/PETS").want(http.StatusOK, origin.URL+"/pets.md")
}

func terminalOf(brain models.BrainID) ops.Call {
	return ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: owner, Brain: brain}, Brain: brain, Via: ops.CLI}
}

// eventually repeats a look until it is as it should be.
func eventually(t *testing.T, look func() (*answer, bool)) *answer {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		a, ok := look()
		if ok {
			return a
		}
		if time.Now().After(end) {
			t.Fatalf("still not so: %s", a.text)
		}
	}
}

// The progress of an import comes as it happens: each document when it has
// ended, the counts, and the end.
func TestProgressAsEvents(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	files := map[string]string{}
	for n := range 12 {
		files[fmt.Sprintf("m%d.md", n)] = fmt.Sprintf("# Manual %d\n\nStep %d costs %d euros.\n", n, n, n)
	}
	body, kind := uploaded(t, files)
	var made ops.ImportView
	a := b.do(http.MethodPost, "/v1/brains/calliope/imports", body, "Content-Type", kind).want(http.StatusCreated, `"state":"running"`)
	if err := json.Unmarshal([]byte(a.text), &made); err != nil || made.ID == "" || made.Total != 12 {
		t.Fatalf("%+v %v", made, err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/brains/calliope/imports/"+made.ID+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := b.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if k := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || k != "text/event-stream" || res.Header.Get("Content-Disposition") != "" {
		t.Fatalf("%d %s", res.StatusCode, k)
	}
	counts := map[string]int{}
	progress := 0
	var name string
	for sc := bufio.NewScanner(res.Body); sc.Scan(); {
		if n, ok := strings.CutPrefix(sc.Text(), "event: "); ok {
			name = n
		}
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		switch name {
		case "item":
			var i models.ImportItem
			if err := json.Unmarshal([]byte(data), &i); err != nil {
				t.Fatal(err)
			}
			counts[string(i.State)]++
			if counts["queued"] == 12 && counts["done"] == 0 && len(counts) == 1 {
				s.reading(1) // nobody read anything before the stream had begun
			}
		case "progress":
			progress++
		case "end":
			counts["end"]++
			var v ops.ImportView
			if err := json.Unmarshal([]byte(data), &v); err != nil || v.State != "finished" || v.Counts[models.ItemDone] != 12 {
				t.Errorf("at the end: %s %v", data, err)
			}
		}
	}
	if counts["queued"] != 12 || counts["done"] != 12 || counts["end"] != 1 || progress < 2 {
		t.Errorf("events: %v, %d times progress", counts, progress)
	}
}

// A server that stops does not wait for who watches.
func TestDrainingEndsEvents(t *testing.T) {
	t.Parallel()
	s, b := unhurried(t)
	v := run(s, terminalOf("calliope"), ops.StartImport, ops.StartImportIn{Files: []ops.ImportFile{{Name: "x.md", Data: []byte("# X\n\ny\n")}}})
	done := make(chan int)
	go func() { done <- b.get("/v1/brains/calliope/imports/" + v.ID + "/events").StatusCode }()
	time.Sleep(300 * time.Millisecond)
	began := time.Now()
	s.server.Drain(10 * time.Second)
	if status := <-done; status != http.StatusOK || time.Since(began) > 3*time.Second {
		t.Errorf("%d after %v", status, time.Since(began))
	}
}
