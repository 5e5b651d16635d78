package store

import (
	"errors"
	"net"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"polaris/models/fault"
)

// notConnected says why a login could not connect, in one line for whoever
// wrote its address. It is put together from the address's
// harmless parts and the server's code, never from a text in which a password
// could be.
func notConnected(cfg *pgx.ConnConfig, err error) *fault.Error {
	down := func(format string, args ...any) *fault.Error {
		return fault.New(fault.Unavailable, format+".", args...).WithCode("database_refused")
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case "28P01":
			return down("PostgreSQL at %s refused the password of the login %q", cfg.Host, cfg.User)
		case "28000":
			return down("PostgreSQL at %s does not let the login %q in from here; its pg_hba.conf decides, and whether there is such a login", cfg.Host, cfg.User)
		case "3D000":
			return down("PostgreSQL at %s has no database %q", cfg.Host, cfg.Database)
		case "42501":
			return down("The login %q may not connect to the database %q", cfg.User, cfg.Database)
		case "53300":
			return down("PostgreSQL at %s has no connection left for the login %q", cfg.Host, cfg.User)
		case "57P03":
			return down("PostgreSQL at %s is starting up or shutting down; try again in a moment", cfg.Host)
		}
		return down("PostgreSQL at %s refused the connection (SQLSTATE %s)", cfg.Host, pg.Code)
	}
	var name *net.DNSError
	var call *os.SyscallError
	switch {
	case errors.As(err, &name):
		return down("There is no host %q", cfg.Host)
	case errors.As(err, &call):
		return down("Nothing answers at %s, port %d: %v", cfg.Host, cfg.Port, call.Err)
	case pgconn.Timeout(err):
		return down("Nothing answers at %s, port %d", cfg.Host, cfg.Port)
	}
	return down("No connection to %s, port %d; whether both ends want TLS (sslmode) is one reason", cfg.Host, cfg.Port)
}

// notAllowed reports whether the database refused a statement for want of
// rights.
func notAllowed(err error) bool {
	var s interface{ SQLState() string }
	return errors.As(err, &s) && s.SQLState() == "42501"
}
