//go:build !unix

package doctor

// private says that modes decide who can read a file; here access lists do.
const private = false

// writable cannot tell here, so it assumes the weaker case.
func writable(string) bool { return true }

// isRoot is not known here.
func isRoot() bool { return false }
