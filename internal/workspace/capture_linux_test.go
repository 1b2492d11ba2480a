package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

func try(o workspace.Options, paths ...string) ([]fingerprint.Entry, error) {
	roots := make([]workspace.Root, len(paths))
	for i, p := range paths {
		roots[i] = workspace.Root{Path: p, Tree: true}
	}
	return workspace.Capture(context.Background(), roots, o)
}

// rootOnly says loudly that a part of the tests needs privileges.
func rootOnly(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: needs root")
	}
}

func userOnly(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("NOT TESTED: root may read everything")
	}
}

func TestCaptureKinds(t *testing.T) {
	dir := realTemp(t)
	path := func(name string) string { return filepath.Join(dir, name) }
	write(t, path("file"), "content")
	must(t, os.Chmod(path("file"), 0o640))
	must(t, os.Link(path("file"), path("hard")))
	must(t, os.Symlink("no/such", path("link")))
	must(t, os.Symlink("loop", path("loop")))
	must(t, unix.Mkfifo(path("fifo"), 0o600))
	l, err := net.Listen("unix", path("socket"))
	must(t, err)
	defer l.Close()
	must(t, os.Mkdir(path("empty"), 0o1755))
	must(t, os.Chmod(path("empty"), 0o755|fs.ModeSticky))

	got := scan(t, dir, path("none"))
	for _, want := range []struct {
		name   string
		typ    fingerprint.Type
		mode   uint32
		target string
	}{
		{"empty", fingerprint.Dir, 0o1755, ""},
		{"fifo", fingerprint.FIFO, 0o600, ""},
		{"file", fingerprint.File, 0o640, ""},
		{"link", fingerprint.Symlink, 0o777, "no/such"},
		{"loop", fingerprint.Symlink, 0o777, "loop"},
		{"none", fingerprint.Absent, 0, ""},
		{"socket", fingerprint.Socket, 0, ""},
	} {
		e := at(got, path(want.name))
		if e.Type != want.typ || want.mode != 0 && e.Mode != want.mode || e.Target != want.target {
			t.Errorf("%s: %c %o %q", want.name, e.Type, e.Mode, e.Target)
		}
	}
	a, b := at(got, path("file")), at(got, path("hard"))
	if a.Group == 0 || a.Group != b.Group || a.Links != 2 || a.Ino != b.Ino || a.SHA != b.SHA {
		t.Errorf("hard links: %+v, %+v", a, b)
	}
	if a.XXH != fingerprint.ContentOf([]byte("content")) {
		t.Errorf("content hash %x", a.XXH)
	}
	if len(got) != 9 {
		t.Errorf("%d entries", len(got))
	}
}

func TestCaptureDevices(t *testing.T) {
	got := scan(t, "/dev/null")
	if len(got) != 1 || got[0].Type != fingerprint.Char || got[0].Rdev != unix.Mkdev(1, 3) {
		t.Errorf("got %+v", got)
	}
}

// Roots may be given twice, inside each other, or may not exist.
func TestCaptureOverlap(t *testing.T) {
	dir := realTemp(t)
	sub := filepath.Join(dir, "sub")
	must(t, os.Mkdir(sub, 0o755))
	write(t, filepath.Join(sub, "f"), "x")
	want := scan(t, dir)
	for _, skip := range []func(string) (string, bool){nil, func(string) (string, bool) { return "", false }} {
		got, err := try(workspace.Options{Skip: skip}, sub, dir, dir, filepath.Join(sub, "f"))
		must(t, err)
		sameState(t, want, got)
	}
	alone, err := workspace.Capture(context.Background(), []workspace.Root{{Path: dir}}, workspace.Options{})
	if err != nil || len(alone) != 1 || alone[0].Type != fingerprint.Dir {
		t.Errorf("without the tree: %v, %v", alone, err)
	}
	write(t, filepath.Join(dir, "file"), "")
	under := filepath.Join(dir, "file", "x", "y")
	if got := scan(t, under); len(got) != 1 || got[0].Type != fingerprint.Absent {
		t.Errorf("below a file: %v", got)
	}
	for _, bad := range []string{"", "rel", "/a/../b", "/a/", "/a//b", "/a\x00"} {
		if _, err := workspace.Scan(context.Background(), bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestCaptureTheRootDirectoryAlone(t *testing.T) {
	got, err := workspace.Capture(context.Background(), []workspace.Root{{Path: "/"}}, workspace.Options{})
	if err != nil || len(got) != 1 || got[0].Path != "/" || got[0].Type != fingerprint.Dir {
		t.Errorf("%v, %v", got, err)
	}
}

// A link on the way to a path is an error, whatever it points to.
func TestCaptureDoesNotFollowParents(t *testing.T) {
	check := func(t *testing.T) {
		dir := realTemp(t)
		must(t, os.MkdirAll(filepath.Join(dir, "real", "sub"), 0o755))
		write(t, filepath.Join(dir, "real", "sub", "f"), "secret")
		must(t, os.Symlink("real", filepath.Join(dir, "link")))
		_, err := try(workspace.Options{}, filepath.Join(dir, "link", "sub", "f"))
		moved, ok := errors.AsType[*workspace.MovedError](err)
		if !ok || moved.At != filepath.Join(dir, "link") {
			t.Errorf("got %v", err)
		}
		if got := scan(t, filepath.Join(dir, "link")); len(got) != 1 || got[0].Type != fingerprint.Symlink {
			t.Errorf("the link itself: %v", got)
		}
	}
	t.Run("openat2=yes", check)
	t.Run("openat2=no", func(t *testing.T) { workspace.WithoutOpenat2(t); check(t) })
}

func TestCaptureWithoutOpenat2(t *testing.T) {
	root := benchTree(t, 50)
	want := scan(t, root)
	workspace.WithoutOpenat2(t)
	sameState(t, want, scan(t, root))
}

func TestCaptureSkip(t *testing.T) {
	dir := realTemp(t)
	must(t, os.MkdirAll(filepath.Join(dir, "out", "deep"), 0o755))
	write(t, filepath.Join(dir, "out", "deep", "f"), "x")
	write(t, filepath.Join(dir, "in"), "x")
	got, err := try(workspace.Options{Skip: func(p string) (string, bool) {
		return "asked", strings.HasSuffix(p, "/out")
	}}, dir)
	must(t, err)
	if len(got) != 2 || got[1].Path != filepath.Join(dir, "in") {
		t.Errorf("got %v", got)
	}
}

func TestCaptureLimits(t *testing.T) {
	dir := realTemp(t)
	for i := range 5 {
		write(t, filepath.Join(dir, fmt.Sprint(i)), strings.Repeat("x", 1000))
	}
	for _, c := range []struct {
		limit workspace.Limits
		over  bool
	}{
		{workspace.Limits{Files: 6, Bytes: 5000}, false},
		{workspace.Limits{Files: 5}, true},
		{workspace.Limits{Files: 1}, true},
		{workspace.Limits{Bytes: 4999}, true},
	} {
		sink := &memory{}
		_, err := try(workspace.Options{Limit: c.limit, Sink: sink}, dir)
		over, ok := errors.AsType[*workspace.LimitError](err)
		if ok != c.over || !ok && err != nil || ok && over.Limit != c.limit {
			t.Errorf("%+v: %v", c.limit, err)
		}
		if ok && len(sink.blobs) > 0 {
			t.Errorf("%+v: content was read before it was refused", c.limit)
		}
	}
	// Linked names are one content, and a hole is none.
	must(t, os.Link(filepath.Join(dir, "0"), filepath.Join(dir, "again")))
	must(t, os.Truncate(filepath.Join(dir, "1"), 0))
	must(t, os.Truncate(filepath.Join(dir, "1"), 1<<30))
	if _, err := try(workspace.Options{StatOnly: true, Limit: workspace.Limits{Bytes: 4000}}, dir); err != nil {
		t.Error(err)
	}
}

func TestCaptureUnreadable(t *testing.T) {
	userOnly(t)
	for _, kind := range []string{"file", "dir"} {
		dir := realTemp(t)
		path := filepath.Join(dir, kind)
		if kind == "file" {
			write(t, path, "x")
		} else {
			must(t, os.Mkdir(path, 0o755))
			write(t, filepath.Join(path, "inner"), "x")
		}
		must(t, os.Chmod(path, 0))
		t.Cleanup(func() { os.Chmod(path, 0o700) })
		_, err := try(workspace.Options{}, dir)
		u, ok := errors.AsType[*workspace.UnreadableError](err)
		if !ok || u.Path != path || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", kind, err)
		}
		got, err := workspace.Capture(context.Background(), []workspace.Root{{Path: path}}, workspace.Options{StatOnly: true})
		if err != nil || len(got) != 1 || got[0].Mode != 0 {
			t.Errorf("%s, its metadata: %v, %v", kind, got, err)
		}
	}
}

func TestCaptureMounts(t *testing.T) {
	rootOnly(t)
	check := func(t *testing.T, bind bool) {
		dir := realTemp(t)
		point := filepath.Join(dir, "sub", "mnt")
		must(t, os.MkdirAll(point, 0o755))
		var err error
		if bind {
			err = unix.Mount(dir, point, "", unix.MS_BIND, "")
		} else {
			err = unix.Mount("tmpfs", point, "tmpfs", 0, "size=64k")
		}
		if err != nil {
			t.Skip("NOT TESTED: cannot mount here: ", err)
		}
		t.Cleanup(func() { unix.Unmount(point, unix.MNT_DETACH) })
		_, err = try(workspace.Options{OneFS: true}, dir)
		if m, ok := errors.AsType[*workspace.MountError](err); !ok || m.Path != point {
			t.Errorf("got %v", err)
		}
		if _, err := try(workspace.Options{}, dir); err != nil {
			t.Errorf("when it may be entered: %v", err)
		}
		if _, err := try(workspace.Options{OneFS: true}, point+"/none"); err != nil {
			t.Errorf("on the way to a root: %v", err)
		}
	}
	t.Run("bind=no", func(t *testing.T) { check(t, false) })
	t.Run("bind=yes", func(t *testing.T) { check(t, true) })
	t.Run("openat2=no", func(t *testing.T) { workspace.WithoutOpenat2(t); check(t, false) })
}

func TestCaptureHoles(t *testing.T) {
	path := filepath.Join(realTemp(t), "sparse")
	f, err := os.Create(path)
	must(t, err)
	_, err = f.WriteAt([]byte("data"), 1<<20)
	must(t, err)
	must(t, f.Truncate(4<<20))
	must(t, f.Close())
	e := scan(t, path)[0]
	if e.Extents == nil {
		t.Skip("NOT TESTED: no holes on this file system")
	}
	if len(e.Extents) != 1 || e.Extents[0].Off > 1<<20 || e.Extents[0].Off+e.Extents[0].Len < 1<<20+4 || e.Extents[0].Len > 1<<19 {
		t.Errorf("extents %v", e.Extents)
	}
}

// growing is a sink during whose work the file changes.
type growing struct {
	memory
	path    string
	changes int
	calls   int
}

func (g *growing) Big(e *fingerprint.Entry, f *os.File) error {
	g.calls++
	err := g.memory.Big(e, f)
	if g.changes > 0 {
		g.changes--
		os.WriteFile(g.path, bytes.Repeat([]byte{byte('0' + g.changes)}, 2<<20), 0o644)
	}
	return err
}

func TestCaptureOfAChangingFile(t *testing.T) {
	for changes, wantErr := range []bool{false, false, true} {
		path := filepath.Join(realTemp(t), "f")
		write(t, path, strings.Repeat("x", 2<<20))
		sink := &growing{path: path, changes: changes}
		got, err := try(workspace.Options{Sink: sink}, path)
		changed, ok := errors.AsType[*workspace.ChangedError](err)
		if ok != wantErr || ok && changed.Path != path {
			t.Errorf("%d changes: %v", changes, err)
		}
		if wantErr {
			continue
		}
		data, err := os.ReadFile(path)
		must(t, err)
		if got[0].XXH != fingerprint.ContentOf(data) || !bytes.Equal(sink.blobs[got[0].Off], data) {
			t.Errorf("%d changes: what was kept is not what is there", changes)
		}
	}
}

// Whatever a writer does meanwhile, what a capture keeps was there at some
// time: one of the whole contents, never a mixture.
func TestCaptureNeverTears(t *testing.T) {
	dir := realTemp(t)
	path := filepath.Join(dir, "f")
	contents := []string{strings.Repeat("a", 50_000), strings.Repeat("b", 50_000)}
	write(t, path, contents[0])
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !stop.Load(); i++ {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				continue
			}
			f.WriteAt([]byte(contents[i%2]), 0)
			f.Close()
		}
	}()
	defer func() { stop.Store(true); <-done }()
	for range 200 {
		sink := &memory{}
		got, err := try(workspace.Options{Sink: sink}, path)
		if _, ok := errors.AsType[*workspace.ChangedError](err); ok {
			continue
		}
		must(t, err)
		if len(sink.blobs) != 1 || got[0].XXH != fingerprint.ContentOf(sink.blobs[0]) {
			t.Fatal("the hash is not that of the bytes")
		}
	}
}

// A directory that is swapped for a link again and again never leads out of
// the tree.
func TestCaptureAgainstASwappedParent(t *testing.T) {
	dir, outside := realTemp(t), realTemp(t)
	write(t, filepath.Join(outside, "f"), "canary")
	sub, link := filepath.Join(dir, "sub"), filepath.Join(dir, "link")
	must(t, os.MkdirAll(sub, 0o755))
	write(t, filepath.Join(sub, "f"), "mine")
	must(t, os.Symlink(outside, link))
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			unix.Renameat2(unix.AT_FDCWD, sub, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
			runtime.Gosched()
		}
	}()
	defer func() { stop.Store(true); <-done }()
	for range 500 {
		sink := &memory{}
		got, _ := try(workspace.Options{Sink: sink}, filepath.Join(sub, "f"), dir)
		for _, e := range got {
			if e.XXH == fingerprint.ContentOf([]byte("canary")) {
				t.Fatal("it looked outside")
			}
		}
		for _, b := range sink.blobs {
			if string(b) == "canary" {
				t.Fatal("it kept what is outside")
			}
		}
	}
}

func TestCaptureKeepsAccessTimes(t *testing.T) {
	path := filepath.Join(realTemp(t), "f")
	write(t, path, "x")
	old := time.Unix(1e9, 0)
	must(t, os.Chtimes(path, old, time.Unix(2e9, 0))) // relatime would move it
	if e := scan(t, path)[0]; e.ATime != old.UnixNano() {
		t.Errorf("recorded %d", e.ATime)
	}
	if e := scan(t, path)[0]; e.ATime != old.UnixNano() {
		t.Errorf("reading moved it to %d", e.ATime)
	}
}

func TestCaptureAttributes(t *testing.T) {
	dir := realTemp(t)
	path := filepath.Join(dir, "f")
	write(t, path, "x")
	if err := unix.Setxattr(path, "user.b", []byte("2\x00"), 0); err != nil {
		t.Skip("NOT TESTED: no extended attributes here: ", err)
	}
	must(t, unix.Setxattr(path, "user.a", nil, 0))
	must(t, unix.Setxattr(dir, "user.dir", []byte(strings.Repeat("v", 900)), 0))
	got := scan(t, dir)
	want := []fingerprint.Xattr{{Name: "user.a"}, {Name: "user.b", Value: "2\x00"}}
	if x := got[1].Xattrs; len(x) != 2 || x[0] != want[0] || x[1] != want[1] {
		t.Errorf("file: %v", x)
	}
	if x := got[0].Xattrs; len(x) != 1 || len(x[0].Value) != 900 {
		t.Errorf("directory: %v", x)
	}
}

func TestCaptureCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := workspace.Scan(ctx, benchTree(t, 20))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCaptureProgress(t *testing.T) {
	var files int
	var size int64
	sum, err := try(workspace.Options{Progress: func(f int, b int64) { files, size = f, b }}, benchTree(t, 200))
	must(t, err)
	var want int64
	for _, e := range sum {
		want += e.Size
	}
	if files != 200 || size != want {
		t.Errorf("%d files, %d bytes", files, size)
	}
}

// Paths longer than the system takes in one piece are no obstacle.
func TestCaptureDeep(t *testing.T) {
	dir := realTemp(t)
	name := strings.Repeat("d", 200)
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	must(t, err)
	const depth = 30
	for range depth {
		must(t, unix.Mkdirat(fd, name, 0o755))
		next, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		must(t, err)
		unix.Close(fd)
		fd = next
	}
	out, err := unix.Openat(fd, "f", unix.O_CREAT|unix.O_WRONLY, 0o644)
	must(t, err)
	unix.Close(out)
	unix.Close(fd)
	got := scan(t, dir)
	if len(got) != depth+2 || len(got[depth+1].Path) < 6000 {
		t.Fatalf("%d entries", len(got))
	}
	m := &memory{}
	pre := m.keep(t, dir+"/"+name)
	must(t, os.Rename(filepath.Join(dir, name), filepath.Join(dir, "away")))
	allDone(t, apply(t, m, back(pre, nil)...))
	sameState(t, pre, scan(t, dir+"/"+name))
}
