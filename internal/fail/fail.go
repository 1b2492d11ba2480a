//go:build !failpoints

// Package fail names the places where a crash or a fault matters.
//
// In an ordinary build a point costs nothing and cannot be switched on. Built
// with -tags failpoints, the variable COUNTERSTEP_FAIL makes one of them
// misbehave, so that tests can kill the process or fail an operation there.
package fail

// Point marks a named place. It returns nil.
func Point(string) error { return nil }
