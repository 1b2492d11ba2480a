//go:build !long

package cli

// rewinds is how many random histories are rewound; more of them with -tags long.
const rewinds = 15
