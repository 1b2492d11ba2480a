//go:build !long

package cli

// middleHistories is how many random histories are tried.
const middleHistories = 200

// raceRounds is how often a race is run.
const raceRounds = 40
