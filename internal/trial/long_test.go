//go:build long

package trial_test

const rounds = 150
