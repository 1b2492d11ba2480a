//go:build linux && long

package oracle

// long says that all of our own commands are run, not one in three.
const long = true
