//go:build !long

package cli

// middleHistories is how many random histories are tried.
const middleHistories = 200

// gitCells is how many pairs of shapes and calls of git are tried.
const gitCells = 30

// gitSequences is how many random sequences of calls of git are fired in
// reverse.
const gitSequences = 10

// raceRounds is how often a race is run.
const raceRounds = 40
