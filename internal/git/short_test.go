//go:build !long

package git_test

// long says that more rounds are wanted, see -tags long.
const long = false
