//go:build long

package classify_test

// long says that there is time for everything.
const long = true
