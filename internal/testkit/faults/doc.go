// Package faults holds no code of the product. Its tests run the real binary,
// built with the failpoints, and the real bash, and let things go wrong: the
// process is killed at every named point and at any system call, every
// operation fails in turn, disks are full, the power is cut, many run at once,
// and every byte of a store is damaged. What must hold afterwards is always the
// same: an armed record has a payload that verifies, a call that was let go has
// a record, what a firing began can be finished, and nothing else was touched.
//
// The tests run on Linux. The longer rounds are behind the tag long; what
// needs root, or a program that is missing, is skipped loudly.
package faults
