package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"polaris/mcp"
	"polaris/ops/door"
	"polaris/web"
	"polaris/web/openai"
)

type serveCmd struct {
	Settings `embed:""`
	Demo     bool `help:"Make the demo brain calliope if it is not there, and print ways in."`
}

// warmAfter is how long after it is ready a server compiles the PDF engine: the
// processors are for its first requests until then.
const warmAfter = 10 * time.Second

// Run serves until ctx ends, then drains.
func (s *serveCmd) Run(ctx context.Context, c *console) error {
	s.DataDir = c.root.DataDir
	set, err := s.check()
	if err != nil {
		return err
	}
	log := set.logger(c.err, isTerminal(c.err))
	// The socket comes first: a second server on the address ends here, before it
	// touches anything, and probes learn at once that this one is not ready yet.
	at, err := listen(set.Listen, log)
	if err != nil {
		return err
	}
	err = set.openAndServe(ctx, c, at, log, s.Demo)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		log.Info("stopped before the server was ready")
		return nil //nolint:nilerr // being told to stop is no failure
	}
	return err
}

func (c *checked) openAndServe(ctx context.Context, con *console, at *entrance, log *slog.Logger, demo bool) error {
	defer at.close()
	d, err := c.open(ctx, log, true)
	if err != nil {
		return err
	}
	defer d.Close()
	defer at.close() // first: no request meets a database that is closed
	return c.serve(ctx, con, d, at, log, demo)
}

// serve runs the server on an open database.
func (c *checked) serve(ctx context.Context, con *console, d *opened, at *entrance, log *slog.Logger, demo bool) error {
	// A secret key that is not the one of last time is found now, and not by the
	// first program that signs in.
	if err := d.PrepareSigning(ctx); err != nil {
		return err
	}
	site, err := c.site(d, log)
	if err != nil {
		return err
	}
	at.serve(site.Handler())

	c.warnOfRates(log)

	// The sealer outlives the requests, so that their rows are sealed too.
	background, endBackground := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() { d.SealForever(background) })
	work.Go(func() { d.SweepRates(background) })
	work.Go(func() { d.ExpireForever(background) })
	work.Go(func() { d.LetGoForever(background) })
	work.Go(func() { site.Watch(background) })
	defer work.Wait()
	defer endBackground()

	workers, err := d.Work(ctx, d.workers)
	if err != nil {
		return err
	}
	handBack := sync.OnceFunc(func() {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.ShutdownGrace)
		defer cancel()
		if err := workers.Stop(within); err != nil {
			log.Warn("what was being read is handed back later", "error", err)
		}
	})
	defer handBack()

	if err := c.ready(ctx, con, d, site, at.Addr(), demo); err != nil {
		return err
	}
	work.Go(func() { // so that the first PDF need not wait for it; nothing else does
		select {
		case <-ctx.Done():
		case <-time.After(warmAfter):
			d.reader.Warm(ctx)
		}
	})
	select {
	case err := <-at.ended:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping: finishing what is in flight", "requests", site.InFlight(), "grace", c.ShutdownGrace.String()) // as the setting is written
	site.Drain(c.ShutdownGrace)
	work.Go(handBack)
	return at.drain(c.ShutdownGrace, site.InFlight)
}

// ready makes what must be there before the first request, says so, and prints
// how to get in.
func (c *checked) ready(ctx context.Context, con *console, d *opened, site *web.Server, addr net.Addr, demo bool) error {
	var ways []string
	var err error
	if demo {
		ways, err = c.makeDemo(ctx, d)
	} else {
		ways, err = c.setupLink(ctx, d)
	}
	if err != nil {
		return err
	}
	if err := d.Warm(ctx); err != nil {
		return err
	}
	site.SetReady(true)
	fmt.Fprintf(con.out, "Polaris is ready on %s (listening on %s)\n", c.PublicURL, addr)
	for _, w := range ways {
		fmt.Fprintln(con.out, w)
	}
	return nil
}

// setupLink returns how to make the first person, while there is none.
func (c *checked) setupLink(ctx context.Context, d *opened) ([]string, error) {
	token, err := d.PrepareSetup(ctx)
	if token == "" || err != nil {
		return nil, err
	}
	return []string{"Nobody can sign in yet. Set Polaris up with this one-time link (24 hours):", "  " + c.PublicURL + "/setup?token=" + token}, nil
}

// site puts the surfaces together.
func (c *checked) site(d *opened, log *slog.Logger) (*web.Server, error) {
	cookies, err := c.derive("session cookies")
	if err != nil {
		return nil, err
	}
	at, err := door.New(d.Desk, door.Config{
		PublicURL: c.PublicURL, AllowedHosts: c.AllowedHosts, AllowedOrigins: c.AllowedOrigins, CORSOrigins: c.CORSOrigins,
		TrustedProxies: c.proxies, SessionCookie: web.SessionCookie, Log: log,
	})
	if err != nil {
		return nil, err
	}
	endpoint, err := mcp.Hosted(d.Desk, at, mcp.Config{Path: c.MCPPath, MaxBody: c.MaxBodyBytes, Version: release(), Log: log})
	if err != nil {
		return nil, err
	}
	site := web.New(d.Desk, at, endpoint, web.Config{
		PublicURL: c.PublicURL, CookieKey: cookies, MCPPath: c.MCPPath, Log: log, MaxBody: c.MaxBodyBytes, Version: release(), MetricsAllow: c.scrapers,
		OpenAI: openai.New(d.Desk, at, openai.Config{MaxBody: c.MaxBodyBytes, Log: log}),
	})
	site.Measure()
	return site, nil
}
