//go:build !unix

package ledger

// noFollow is nothing here: links need rights that users do not have.
const noFollow = 0
