package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// plant makes a random tree at root and returns its directories and the rest.
func plant(t *rapid.T, root string) {
	dirs, files := []string{root}, []string{}
	mustRapid(t, os.Mkdir(root, 0o755))
	name := rapid.SampledFrom([]string{
		"a", "b", "a-b", "A", "-rf", " ", "new\nline", "\xff\xfe", "\u202etxt", "ü", ".git", "*", "a b", "con", "x\r",
	})
	fresh := func() string {
		dir := rapid.SampledFrom(dirs).Draw(t, "in")
		return filepath.Join(dir, fmt.Sprintf("%s%d", name.Draw(t, "name"), len(dirs)+len(files)))
	}
	for range rapid.IntRange(0, 25).Draw(t, "things") {
		path := fresh()
		switch rapid.SampledFrom([]string{"dir", "dir", "file", "file", "file", "big", "hole", "link", "hard", "fifo", "socket"}).Draw(t, "kind") {
		case "dir":
			mustRapid(t, os.Mkdir(path, 0o755))
			dirs = append(dirs, path)
			continue
		case "file":
			size := rapid.SampledFrom([]int{0, 1, 100, 4095, 4096, 70_000}).Draw(t, "size")
			mustRapid(t, os.WriteFile(path, noise(size, path), 0o600))
		case "big":
			mustRapid(t, os.WriteFile(path, noise(workspace.BigFile+rapid.IntRange(0, 2).Draw(t, "more"), path), 0o600))
		case "hole":
			f, err := os.Create(path)
			mustRapid(t, err)
			for range rapid.IntRange(0, 3).Draw(t, "ranges") {
				_, err := f.WriteAt(noise(4096, path), int64(rapid.IntRange(0, 60).Draw(t, "at"))*8192)
				mustRapid(t, err)
			}
			info, _ := f.Stat()
			mustRapid(t, f.Truncate(max(info.Size(), 512<<10)))
			f.Close()
		case "link":
			mustRapid(t, os.Symlink(rapid.SampledFrom([]string{"/etc/passwd", "a", "..", "dangling/\xff", "."}).Draw(t, "target"), path))
		case "hard":
			if len(files) > 0 && os.Link(rapid.SampledFrom(files).Draw(t, "of"), path) == nil {
				break
			}
			continue
		case "fifo":
			mustRapid(t, unix.Mkfifo(path, 0o640))
		case "socket":
			mustRapid(t, unix.Mknod(path, unix.S_IFSOCK|0o600, 0))
		}
		files = append(files, path)
	}
	decorate(t, files, dirs)
}

// decorate gives things odd modes, attributes and times, directories last and
// the deepest first.
func decorate(t *rapid.T, files, dirs []string) {
	mode := rapid.SampledFrom([]uint32{0o644, 0o600, 0o755, 0o400, 0o444, 0o4755, 0o2711, 0o666, 0o777})
	dirMode := rapid.SampledFrom([]uint32{0o755, 0o700, 0o500, 0o555, 0o1777, 0o2755, 0o775})
	set := func(path string, mode uint32) {
		info, err := os.Lstat(path)
		mustRapid(t, err)
		if info.Mode()&os.ModeSymlink == 0 {
			if (info.Mode().IsRegular() || info.IsDir()) && rapid.Bool().Draw(t, "attr") {
				err := unix.Lsetxattr(path, "user.counter", []byte(path), 0)
				if err != nil && err != unix.EOPNOTSUPP && err != unix.EACCES { // a second name of a read-only file
					mustRapid(t, err)
				}
			}
			mustRapid(t, unix.Chmod(path, mode))
		}
		ts := []unix.Timespec{{Sec: 1e9, Nsec: 1}, {Sec: rapid.Int64Range(-5, 2e9).Draw(t, "sec"), Nsec: rapid.Int64Range(0, 999_999_999).Draw(t, "ns")}}
		mustRapid(t, unix.UtimesNanoAt(unix.AT_FDCWD, path, ts, unix.AT_SYMLINK_NOFOLLOW))
	}
	for _, f := range files {
		set(f, mode.Draw(t, "mode"))
	}
	for i := len(dirs) - 1; i >= 0; i-- {
		set(dirs[i], dirMode.Draw(t, "mode"))
	}
}

func mustRapid(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever was there, capture and apply bring it back after it was removed:
// content, type, mode, links, holes, attributes and times.
func TestRandomTreesComeBack(t *testing.T) {
	base := realTemp(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		must(t, os.Mkdir(dir, 0o755))
		root := filepath.Join(dir, "tree")
		plant(rt, root)
		m := &memory{}
		pre := m.keep(t, root)
		if scanned := scan(t, root); fingerprint.Sum(scanned) != fingerprint.Sum(pre) {
			rt.Fatal("two looks differ")
		}
		remove(t, root)
		out := apply(t, m, back(pre, nil)...)
		allDone(t, out)
		sameState(t, pre, scan(t, root))
		noTemps(t, dir)
		if t.Failed() {
			rt.Fatal("see above")
		}
		remove(t, dir)
	})
}

// From one random tree to another one at the same place: everything that
// differs is replaced, removed or put back.
func TestRandomTreesReplaceEachOther(t *testing.T) {
	base := realTemp(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		must(t, os.Mkdir(dir, 0o755))
		root := filepath.Join(dir, "tree")
		plant(rt, root)
		m := &memory{}
		pre := m.keep(t, root)
		remove(t, root)
		plant(rt, root)
		now := scan(t, root)
		actions := back(pre, now)
		allDone(t, apply(t, m, actions...))
		sameState(t, pre, scan(t, root))
		noTemps(t, dir)
		again := apply(t, m, actions...) // nothing left to do
		allDone(t, again)
		sameState(t, pre, scan(t, root))
		if t.Failed() {
			rt.Fatal("see above")
		}
		remove(t, dir)
	})
}
