//go:build long

package cli

// middleHistories is how many random histories are tried.
const middleHistories = 2000

// gitCells is how many pairs of shapes and calls of git are tried.
const gitCells = 120

// gitSequences is how many random sequences of calls of git are fired in
// reverse.
const gitSequences = 300

// raceRounds is how often a race is run.
const raceRounds = 10000
