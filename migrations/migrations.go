// Package migrations holds the database schema as numbered SQL files that only
// go forward, and the grants of the serving login. Package store applies them.
package migrations

import "embed"

// FS holds the migrations, 00001_name.sql and up.
//
//go:embed 0*.sql
var FS embed.FS

// Grants is the SQL that gives the serving login its rights. It reads the
// login's name from the setting polaris.app_role.
//
//go:embed grants.sql
var Grants string
