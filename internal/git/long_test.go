//go:build long

package git_test

const long = true
