//go:build !linux

package classify_test

import "time"

var processStart = time.Now()

// spent stands for processor time where that is not to be had.
func spent() time.Duration { return time.Since(processStart) }
