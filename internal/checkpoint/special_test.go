//go:build unix

package checkpoint_test

import (
	"os"
	"syscall"
	"testing"
)

func TestSpecialFilesAreRecordedNotOpened(t *testing.T) {
	b := newBench(t)
	b.must(syscall.Mkfifo(b.path("fifo"), 0o640))
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	b.must(err)
	defer syscall.Close(fd)
	b.must(os.Chdir(b.root))
	b.must(syscall.Bind(fd, &syscall.SockaddrUnix{Name: "sock"}))
	b.must(os.Chdir("/"))
	b.same(b.take(), b.truth())
	if c := b.take(); c.Stats.Opened != 0 {
		t.Error("something was opened")
	}
}
