//go:build linux && long

package faults

// long runs everything; else a sample is taken.
const long = true
