//go:build long

package cli

// rewinds is how many random histories are rewound.
const rewinds = 300
