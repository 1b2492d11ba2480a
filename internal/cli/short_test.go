//go:build !long

package cli

// middleHistories is how many random histories are tried.
const middleHistories = 200

// gitCells is how many pairs of shapes and calls of git are tried.
const gitCells = 30

// raceRounds is how often a race is run.
const raceRounds = 40
