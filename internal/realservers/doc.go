// Package realservers asks real servers of other products through frank's public
// tools. It holds nothing but tests and the scripts that install, seed and start
// the servers on loopback, from Debian's packages.
//
// Hence the build tag realservers. No test here skips: what is missing fails. The
// servers keep what they were seeded with below FRANK_REAL_SERVERS, or below the
// user's cache folder, so that only the first run takes long. None is asked by
// anybody else, and none needs an account.
package realservers
