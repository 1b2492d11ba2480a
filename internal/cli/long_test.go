//go:build long

package cli

// middleHistories is how many random histories are tried.
const middleHistories = 2000
