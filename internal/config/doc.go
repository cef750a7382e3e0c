// Package config reads frank.yaml, makes the configuration used where there is
// no file, and turns the description of a credential into the credential.
//
// It never opens a connection, never writes a file, and never puts the value
// of a secret, or anything that may be one, into an error, a log or a result.
package config
