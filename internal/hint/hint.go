// Package hint gives errors a next step and an exit code.
//
// An error that a person can act on is one line that says what happened and
// one or more hints, each with a command to paste. Both survive wrapping.
package hint

import (
	"errors"
	"fmt"
	"io"
)

// Error is a failure with something to do about it.
type Error struct {
	msg   string
	cause error
	hints []string
	code  int
}

// New returns an error that says what happened and what to type next. The
// message is formatted as by fmt.Errorf, so %w wraps.
func New(next, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	e := &Error{msg: err.Error(), cause: err}
	if next != "" {
		e.hints = []string{next}
	}
	return e
}

// With adds a hint to err. A nil err stays nil.
func With(err error, next string) error {
	if err == nil {
		return nil
	}
	return &Error{msg: err.Error(), cause: err, hints: []string{next}}
}

// Exit gives err the exit code that the process ends with. A nil err stays
// nil.
func Exit(err error, code int) error {
	if err == nil {
		return nil
	}
	return &Error{msg: err.Error(), cause: err, code: code}
}

// Error is what happened, without the hints.
func (e *Error) Error() string { return e.msg }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Of lists the hints of err, the outermost first.
func Of(err error) []string {
	var hints []string
	for e, ok := errors.AsType[*Error](err); ok; e, ok = errors.AsType[*Error](e.cause) {
		hints = append(hints, e.hints...)
	}
	return hints
}

// Code is the exit code of err: 0 for nil, the outermost stated code, else 1.
func Code(err error) int {
	if err == nil {
		return 0
	}
	for e, ok := errors.AsType[*Error](err); ok; e, ok = errors.AsType[*Error](e.cause) {
		if e.code != 0 {
			return e.code
		}
	}
	return 1
}

// Print writes err and its hints to w, each on a line of its own.
func Print(w io.Writer, err error) {
	if err == nil {
		return
	}
	fmt.Fprintf(w, "counterstep: %s\n", Clean(err.Error()))
	for _, h := range Of(err) {
		fmt.Fprintf(w, "hint: %s\n", Clean(h))
	}
}
