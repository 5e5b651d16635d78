package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"polaris/mcp"
	"polaris/models/fault"
	"polaris/ops/door"
	"polaris/web"
	"polaris/web/openai"
)

type serveCmd struct {
	Settings `embed:""`
	Demo     bool `help:"Make the demo brain calliope if it is not there, and print ways in."`
}

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
	l, err := net.Listen("tcp", set.Listen)
	if err != nil {
		return cannotBind(set.Listen, err)
	}
	defer l.Close()
	d, err := set.open(ctx, log, true)
	if err != nil {
		return err
	}
	defer d.Close()
	return set.serve(ctx, c, d, l, log, s.Demo)
}

// cannotBind says why the address is not ours, and what to do where another
// program has it: most often a server that was left running.
func cannotBind(addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fault.New(fault.Conflict, "%s cannot be bound: another program, perhaps another Polaris, listens there. Stop it, or choose another address with --listen and --public-url.", addr)
	}
	return fault.New(fault.Conflict, "%s cannot be bound: %v.", addr, errors.Unwrap(err))
}

// serve runs the server on an open database.
func (c *checked) serve(ctx context.Context, con *console, d *opened, l net.Listener, log *slog.Logger, demo bool) error {
	// A secret key that is not the one of last time is found now, and not by the
	// first program that signs in.
	if err := d.PrepareSigning(ctx); err != nil {
		return err
	}
	site, err := c.site(d, log)
	if err != nil {
		return err
	}
	srv := &http.Server{
		Handler:           site.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       2 * time.Minute, // an upload of the largest document on a slow line
		WriteTimeout:      2 * time.Minute, // over the 50 s that any answer may take
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()

	c.warnOfRates(log)

	// The sealer outlives the requests, so that their rows are sealed too.
	background, endBackground := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() { d.SealForever(background) })
	work.Go(func() { d.SweepRates(background) })
	work.Go(func() { site.Watch(background) })
	defer work.Wait()
	defer endBackground()

	if err := c.ready(ctx, con, d, site, l, demo); err != nil {
		_ = srv.Close() // the error that ended the start is the one to tell
		return err
	}
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	site.SetReady(false)
	log.Info("stopping: finishing what is in flight", "grace", c.ShutdownGrace)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.ShutdownGrace)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		log.Warn("requests were cut off at the end of the grace period", "error", err)
		return srv.Close()
	}
	return nil
}

// ready makes what must be there before the first request, says so, and prints
// how to get in.
func (c *checked) ready(ctx context.Context, con *console, d *opened, site *web.Server, l net.Listener, demo bool) error {
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
	fmt.Fprintf(con.out, "Polaris is ready on %s (listening on %s)\n", c.PublicURL, l.Addr())
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
	return web.New(d.Desk, at, endpoint, web.Config{
		PublicURL: c.PublicURL, CookieKey: cookies, MCPPath: c.MCPPath, Log: log, MaxBody: c.MaxBodyBytes,
		OpenAI: openai.New(d.Desk, at, openai.Config{MaxBody: c.MaxBodyBytes, Log: log}),
	}), nil
}
