package checkpoint_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/store"
)

// watch asks the kernel to report every file that is opened below root.
func watch(t *testing.T, root string) (opened func() []string) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_, err = unix.InotifyAddWatch(fd, p, unix.IN_OPEN)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() (names []string) {
		buf := make([]byte, 256<<10)
		for {
			n, err := unix.Read(fd, buf)
			if errors.Is(err, unix.EAGAIN) || n <= 0 {
				return names
			}
			for b := buf[:n]; len(b) > 0; {
				mask, size := binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[12:])
				if mask&unix.IN_ISDIR == 0 {
					names = append(names, string(bytes.TrimRight(b[16:16+size], "\x00")))
				}
				b = b[16+size:]
			}
		}
	}
}

// The kernel itself says that an unchanged checkpoint opens no user file, and a
// changed one only what changed.
func TestTheKernelSeesNoFileOpened(t *testing.T) {
	b := newBench(t)
	b.fixture()
	b.tree(100)
	b.take()
	opened := watch(t, b.root)
	b.again()
	b.take()
	if got := opened(); len(got) != 0 {
		t.Errorf("opened %q", got)
	}
	b.write("a.txt", "changed")
	b.tick()
	opened() // our own write
	b.take()
	if got := opened(); len(got) != 1 || got[0] != "a.txt" && got[0] != "hard" {
		t.Errorf("opened %q", got)
	}
}

// Attributes are part of the state, and a change of them alone is seen.
func TestExtendedAttributes(t *testing.T) {
	b := newBench(t)
	b.write("f", "f")
	if err := unix.Setxattr(b.path("f"), "user.note", []byte("1"), 0); err != nil {
		t.Skipf("LOUD: this file system has no user attributes: %v", err)
	}
	b.must(unix.Setxattr(b.root, "user.dir", []byte("d"), 0))
	first := b.take()
	b.same(first, b.truth())
	b.tick()
	b.must(unix.Setxattr(b.path("f"), "user.note", []byte("2"), 0))
	second := b.take()
	b.same(second, b.truth())
	if d := checkpoint.Diff(first, second); len(d) != 1 || d[0].TimesOnly() {
		t.Errorf("differences: %+v", d)
	}
}

func TestSparseFilesKeepTheirHoles(t *testing.T) {
	b := newBench(t)
	f, err := os.Create(b.path("sparse"))
	b.must(err)
	b.must(f.Truncate(8 << 20))
	_, err = f.WriteAt([]byte("end"), 8<<20-3)
	b.must(err)
	b.must(f.Close())
	c := b.take()
	b.same(c, b.truth())
	e, _ := b.load(c.ID).Entry(b.path("sparse"))
	if len(e.Extents) != 1 || e.Extents[0].Off == 0 {
		t.Errorf("extents %v", e.Extents)
	}
}

func TestMountPointsAreNamedAndNotEntered(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("LOUD: mounting needs root")
	}
	b := newBench(t)
	b.write("f", "f")
	b.must(os.Mkdir(b.path("volume"), 0o755))
	if err := unix.Mount("none", b.path("volume"), "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("LOUD: cannot mount: %v", err)
	}
	defer unix.Unmount(b.path("volume"), 0)
	b.write("volume/inside", "x")
	c := b.take()
	if _, why := c.Entry(b.path("volume/inside")); why != checkpoint.Mounted || !c.Partial {
		t.Errorf("it is %s, partial %v", why, c.Partial)
	}
	if again := b.take(); again.ID != c.ID {
		t.Error("not the same")
	}
}

// What the system does not let us read is named, and does not stop the rest.
// Run as root, the test looks at the tree as somebody else.
func TestUnreadableThingsAreNamed(t *testing.T) {
	if dir := os.Getenv("CHECKPOINT_TEST_UNREADABLE"); dir != "" {
		st, err := store.Create(filepath.Join(dir, "mine"))
		if err != nil {
			t.Fatal(err)
		}
		b := &bench{t: t, root: filepath.Join(dir, "w"), st: st, set: checkpoint.In(st)}
		b.opt = checkpoint.Options{Root: b.root, Now: func() time.Time { return time.Unix(1, 0) }}
		for range 2 {
			c := b.take()
			var got []string
			for _, g := range c.Missing() {
				got = append(got, filepath.Base(g.Path)+" "+g.Reason.String())
			}
			if s := strings.Join(got, ","); s != "closed not readable,secret not readable" || !c.Partial {
				t.Errorf("missing: %s", s)
			}
			if e, why := c.Entry(b.path("f")); why != checkpoint.Held || e.Size != 8 {
				t.Errorf("%+v %s", e, why)
			}
			if e, why := c.Entry(b.path("secret")); why != checkpoint.Unreadable || e.Size != 6 || e.Mode != 0 {
				t.Errorf("%+v %s", e, why)
			}
			if _, why := c.Entry(b.path("closed/x")); why != checkpoint.Unreadable {
				t.Errorf("below: %s", why)
			}
		}
		list, err := b.set.List()
		if err != nil || len(list) != 1 {
			t.Errorf("%d checkpoints, %v", len(list), err)
		}
		return
	}
	b := newBench(t)
	b.write("f", "readable")
	b.write("secret", "secret")
	b.write("closed/x", "x")
	b.must(os.Chmod(b.path("secret"), 0))
	b.must(os.Chmod(b.path("closed"), 0))
	top := filepath.Dir(b.root)
	cmd := exec.Command(os.Args[0], "-test.run=^TestUnreadableThingsAreNamed$")
	cmd.Env = append(os.Environ(), "CHECKPOINT_TEST_UNREADABLE="+top)
	if os.Getuid() == 0 {
		const nobody = 65534
		for _, p := range []string{top, b.root, b.path("f"), b.path("secret"), b.path("closed")} {
			b.must(os.Chown(p, nobody, nobody))
		}
		b.must(os.Chmod(filepath.Dir(top), 0o755))
		exe := filepath.Join(top, "test")
		data, err := os.ReadFile(os.Args[0])
		b.must(err)
		b.must(os.WriteFile(exe, data, 0o755))
		cmd.Path, cmd.Dir = exe, top
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	b.must(os.Chmod(b.path("closed"), 0o755))
}

// A Take, collections and readers at the same time.
func TestEverythingAtOnce(t *testing.T) {
	b := newBench(t)
	b.fixture()
	want := b.truth()
	keep := b.take()
	b.write("junk", string(pattern(3, 6<<20)))
	b.take()
	b.must(os.Remove(b.path("junk")))
	done := make(chan error, 3)
	go func() {
		set := checkpoint.In(b.st)
		var err error
		for i := 0; i < 40 && err == nil; i++ {
			_, err = set.Collect(context.Background(), checkpoint.CollectOptions{Keep: []string{keep.ID}, Now: b.now.AddDate(5, 0, 0)})
		}
		done <- err
	}()
	go func() {
		var err error
		for i := 0; i < 40 && err == nil; i++ {
			var c *checkpoint.Checkpoint
			if c, err = checkpoint.In(b.st).Load(keep.ID); err == nil {
				err = readAll(c)
				c.Close()
			}
		}
		done <- err
	}()
	go func() {
		var err error
		for i := 0; i < 40 && err == nil; i++ {
			if err = os.WriteFile(b.path("busy"), pattern(i, 200<<10), 0o644); err == nil {
				o := b.opt
				o.ID = "BUSY" + string(rune('A'+i))
				var c *checkpoint.Checkpoint
				if c, err = checkpoint.In(b.st).Take(context.Background(), o); err == nil {
					err = readAll(c)
					c.Close()
				}
			}
		}
		done <- err
	}()
	for range 3 {
		b.must(<-done)
	}
	b.again()
	b.same(b.load(keep.ID), want)
	rep, err := b.set.Verify(context.Background())
	b.must(err)
	if len(rep.Damage) > 0 {
		t.Errorf("damage: %v", rep.Damage)
	}
}
