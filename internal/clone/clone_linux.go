package clone

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Try shares all blocks of src with dst, or changes nothing and says what the
// system answered.
func Try(dst, src *os.File) error {
	if err := unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())); err != nil {
		return fmt.Errorf("clone %q: %w", src.Name(), err)
	}
	return nil
}
