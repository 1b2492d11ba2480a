package doctor

import (
	"os"
	"testing"
)

// TestMemoryIsNoPlaceForAStore: after a restart nothing could be fired.
func TestMemoryIsNoPlaceForAStore(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "counterstep-doctor-")
	if err != nil || !kindOf(dir).volatile {
		t.Skipf("SKIPPED: /dev/shm is no memory file system that can be written to: %v", err)
	}
	defer os.RemoveAll(dir)
	if all := place("the store", dir); !has(all, Warn, "empty after a restart") {
		t.Error(all)
	}
	if all := place("the workspace", dir); len(all) > 0 {
		t.Error(all)
	}
	if sameDevice(dir, "/proc") || !sameDevice(dir, dir) {
		t.Error("devices are not told apart")
	}
	if _, ok := freeSpace(dir); !ok {
		t.Error("free space is not known")
	}
}
