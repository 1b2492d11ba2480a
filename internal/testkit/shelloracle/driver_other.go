//go:build !linux

package shelloracle

import (
	"fmt"
	"io"
	"os"
)

// drive is never reached: Missing names this system, so Run is not called.
func drive(io.Reader, io.Writer) int {
	fmt.Fprintln(os.Stderr, "shelloracle: only on linux")
	return 1
}
