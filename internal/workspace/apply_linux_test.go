package workspace_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

func TestTypesChangeWithoutExchange(t *testing.T) {
	workspace.WithoutExchange(t)
	typesChange(t)
}

func inode(t testing.TB, path string) uint64 {
	t.Helper()
	var st unix.Stat_t
	must(t, unix.Lstat(path, &st))
	return st.Ino
}

func TestTypesChangeWithoutOpenat2(t *testing.T) {
	workspace.WithoutOpenat2(t)
	typesChange(t)
}

// A path whose inode has other names outside is written in place.
func TestInPlace(t *testing.T) {
	dir := realTemp(t)
	path, other := filepath.Join(dir, "f"), filepath.Join(dir, "elsewhere")
	m, _ := kept(t, path, "the content before")
	must(t, os.Link(path, other))
	pre := m.keep(t, path)[0]
	ino := inode(t, path)
	write(t, path, "after") // in place, as a shell would
	now := scan(t, path)[0]
	put := workspace.Action{Op: workspace.Put, Entry: pre, Now: now, InPlace: true}
	for range 2 {
		is(t, one(t, m, put), true, workspace.StatusRestored, "")
		reads(t, other, "the content before")
		if inode(t, path) != ino || inode(t, other) != ino {
			t.Error("the inode is another one")
		}
	}
	sameState(t, []fingerprint.Entry{pre}, m.keep(t, path))
	write(t, path, "somebody's")
	is(t, one(t, m, put), false, workspace.StatusDrifted, "changed")
	reads(t, path, "somebody's")
	noTemps(t, dir)
}

// A name that was removed comes back as a link to the inode that still has
// the others, when the actions say that they were one.
func TestLinkGroupsAreJoined(t *testing.T) {
	dir := realTemp(t)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "sub", "b")
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	write(t, a, "x")
	must(t, os.Link(a, b))
	m := &memory{}
	pre := m.keep(t, a, b)
	for _, op := range []workspace.Op{workspace.Keep, workspace.Put, workspace.Meta} {
		must(t, os.Remove(b))
		allDone(t, apply(t, m, workspace.Action{Op: op, Entry: pre[0], Now: pre[0]}, workspace.Action{Op: workspace.Put, Entry: pre[1]}))
		if inode(t, a) != inode(t, b) {
			t.Errorf("op %d: two files", op)
		}
	}
	// What is kept has changed since: then it is not linked to.
	must(t, os.Remove(b))
	write(t, a, "y")
	allDone(t, apply(t, m, workspace.Action{Entry: pre[0]}, workspace.Action{Op: workspace.Put, Entry: pre[1]}))
	reads(t, a, "y")
	reads(t, b, "x")
}

// Modes keep an ordinary user out of directories; they must neither prevent
// the way back nor stay open afterwards.
func TestReadOnlyDirectories(t *testing.T) {
	dir := realTemp(t)
	root := filepath.Join(dir, "ro")
	must(t, os.MkdirAll(filepath.Join(root, "in", "ner"), 0o755))
	write(t, filepath.Join(root, "in", "ner", "f"), "x")
	write(t, filepath.Join(root, "in", "g"), "x")
	closeAll := func() {
		for _, d := range []string{"in/ner", "in", ""} {
			must(t, os.Chmod(filepath.Join(root, d), 0o555))
		}
	}
	closeAll()
	t.Cleanup(func() { remove(t, root) })
	m := &memory{}
	pre := m.keep(t, root)
	t.Run("missing", func(t *testing.T) {
		remove(t, root)
		allDone(t, apply(t, m, back(pre, nil)...))
		sameState(t, pre, scan(t, root))
	})
	t.Run("merged", func(t *testing.T) {
		must(t, os.Chmod(filepath.Join(root, "in"), 0o755))
		must(t, os.Remove(filepath.Join(root, "in", "g")))
		must(t, os.Chmod(filepath.Join(root, "in"), 0o555))
		allDone(t, apply(t, m, back(pre, scan(t, root))...))
		sameState(t, pre, scan(t, root))
	})
	t.Run("drifted", func(t *testing.T) {
		now := scan(t, root)
		must(t, os.Chmod(filepath.Join(root, "in"), 0o511))
		for _, o := range apply(t, m, workspace.Action{Op: workspace.Meta, Entry: at(pre, filepath.Join(root, "in")), Now: at(now, filepath.Join(root, "in"))}) {
			if o.Path == filepath.Join(root, "in") {
				is(t, o, false, workspace.StatusDrifted, "mode")
			}
		}
		info, err := os.Stat(filepath.Join(root, "in"))
		if err != nil || info.Mode().Perm() != 0o511 {
			t.Errorf("left with %v, %v", info.Mode(), err)
		}
	})
}

// chmod -R 000 and its way back: nothing can be read on the way.
func TestMetaWithoutReading(t *testing.T) {
	dir := realTemp(t)
	root := filepath.Join(dir, "d")
	must(t, os.MkdirAll(filepath.Join(root, "sub"), 0o755))
	for _, f := range []string{"sub/f", "g"} {
		write(t, filepath.Join(root, f), "x")
	}
	must(t, os.Symlink("f", filepath.Join(root, "link")))
	must(t, unix.Mkfifo(filepath.Join(root, "fifo"), 0o640))
	m := &memory{}
	pre := m.keep(t, root)
	now := make([]fingerprint.Entry, len(pre))
	var actions []workspace.Action
	for i := len(pre) - 1; i >= 0; i-- {
		now[i] = pre[i]
		if pre[i].Type != fingerprint.Symlink {
			now[i].Mode = 0
			must(t, os.Chmod(pre[i].Path, 0))
		}
		actions = append(actions, workspace.Action{Op: workspace.Meta, Entry: pre[i], Now: now[i]})
	}
	t.Cleanup(func() { remove(t, root) })
	for range 2 {
		allDone(t, apply(t, m, actions...))
		sameState(t, pre, scan(t, root))
	}
	must(t, os.Chmod(filepath.Join(root, "g"), 0o604))
	is(t, one(t, m, workspace.Action{Op: workspace.Meta, Entry: at(pre, filepath.Join(root, "g")), Now: at(now, filepath.Join(root, "g"))}),
		false, workspace.StatusDrifted, "changed")
	must(t, os.Remove(filepath.Join(root, "g")))
	is(t, one(t, m, workspace.Action{Op: workspace.Meta, Entry: at(pre, filepath.Join(root, "g"))}), false, workspace.StatusDrifted, "gone")
}

func TestOwnersComeBack(t *testing.T) {
	rootOnly(t)
	dir := realTemp(t)
	root := filepath.Join(dir, "d")
	must(t, os.Mkdir(root, 0o755))
	write(t, filepath.Join(root, "f"), "x")
	must(t, os.Symlink("x", filepath.Join(root, "l")))
	for i, name := range []string{"", "f", "l"} {
		must(t, os.Lchown(filepath.Join(root, name), 1000+i, 2000+i))
	}
	must(t, unix.Chmod(filepath.Join(root, "f"), 0o6755)) // after the owner, which clears it
	capability := binary.LittleEndian.AppendUint32(nil, 0x02000001)
	capability = append(capability, make([]byte, 16)...)
	capability[5] = 4 // CAP_NET_BIND_SERVICE
	must(t, unix.Setxattr(filepath.Join(root, "f"), "security.capability", capability, 0))
	m := &memory{}
	pre := m.keep(t, root)
	if len(pre[1].Xattrs) != 1 || pre[1].UID != 1001 || pre[1].Mode != 0o6755 {
		t.Fatalf("captured %+v", pre[1])
	}
	must(t, os.RemoveAll(root))
	allDone(t, apply(t, m, back(pre, nil)...))
	sameState(t, pre, scan(t, root))
}

// A setuid program of somebody else must not become one of ours.
func TestNoForeignSetuid(t *testing.T) {
	userOnly(t)
	path := filepath.Join(realTemp(t), "su")
	m, pre := kept(t, path, "#!/bin/sh")
	must(t, os.Remove(path))
	pre.UID, pre.GID, pre.Mode = 0, 0, 0o6755
	is(t, one(t, m, workspace.Action{Op: workspace.Put, Entry: pre}), true, workspace.StatusRestored, "owner 0:0")
	if e := scan(t, path)[0]; e.Mode != 0o755 {
		t.Errorf("mode %o", e.Mode)
	}
}

// acl is the binary form of an access control list with one named user.
func acl(perm uint16) string {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{1, 7, ^uint32(0)}, {2, perm, 12345}, {4, 5, ^uint32(0)}, {16, 7, ^uint32(0)}, {32, 0, ^uint32(0)}} {
		b = binary.LittleEndian.AppendUint16(b, e.tag)
		b = binary.LittleEndian.AppendUint16(b, e.perm)
		b = binary.LittleEndian.AppendUint32(b, e.id)
	}
	return string(b)
}

// What a folder hands down to new things must not stick to what comes back.
func TestNothingIsInherited(t *testing.T) {
	dir := realTemp(t)
	root := filepath.Join(dir, "d")
	must(t, os.MkdirAll(filepath.Join(root, "sub"), 0o755))
	write(t, filepath.Join(root, "sub", "f"), "x")
	write(t, filepath.Join(dir, "single"), "x")
	withACL := filepath.Join(root, "sub", "acl")
	write(t, withACL, "x")
	if err := unix.Setxattr(withACL, "system.posix_acl_access", []byte(acl(4)), 0); err != nil {
		t.Skip("NOT TESTED: no access control lists here: ", err)
	}
	m := &memory{}
	pre := m.keep(t, root, filepath.Join(dir, "single"))
	remove(t, root)
	must(t, os.Remove(filepath.Join(dir, "single")))
	must(t, os.Chmod(dir, 0o755|os.ModeSetgid))
	if os.Geteuid() == 0 {
		must(t, os.Chown(dir, 0, 4321))
		must(t, os.Chmod(dir, 0o755|os.ModeSetgid))
	}
	must(t, unix.Setxattr(dir, "system.posix_acl_default", []byte(acl(7)), 0))
	allDone(t, apply(t, m, back(pre, nil)...))
	sameState(t, pre, scan(t, root, filepath.Join(dir, "single")))
}

func TestSparseFilesStaySparse(t *testing.T) {
	path := filepath.Join(realTemp(t), "sparse")
	f, err := os.Create(path)
	must(t, err)
	_, err = f.WriteAt([]byte("data"), 8<<20)
	must(t, err)
	must(t, f.Truncate(32<<20))
	must(t, f.Close())
	m := &memory{}
	pre := m.keep(t, path)
	if pre[0].Extents == nil {
		t.Skip("NOT TESTED: no holes on this file system")
	}
	must(t, os.Remove(path))
	allDone(t, apply(t, m, back(pre, nil)...))
	sameState(t, pre, scan(t, path))
	var st unix.Stat_t
	must(t, unix.Stat(path, &st))
	if st.Blocks > 64 {
		t.Errorf("%d blocks", st.Blocks)
	}
}

// Where the holes are said to be decides what is saved, not what is written.
func TestHolesAreNotBelieved(t *testing.T) {
	path := filepath.Join(realTemp(t), "f")
	data := string(noise(3*workspace.BigFile, "x"))
	m, pre := kept(t, path, data)
	for _, extents := range [][]fingerprint.Extent{
		{}, {{}}, {{Off: 5, Len: 7}, {Off: 1 << 20, Len: 9}}, {{Off: 2 << 20, Len: 1 << 40}}, {{Off: 1 << 40, Len: 1}}, {{Off: 9, Len: 9}, {Off: 3, Len: 1}},
	} {
		must(t, os.Remove(path))
		pre.Extents = extents
		is(t, one(t, m, workspace.Action{Op: workspace.Put, Entry: pre}), true, workspace.StatusRestored, "")
		if got, err := os.ReadFile(path); err != nil || string(got) != data {
			t.Errorf("%v: %d bytes differ, %v", extents, len(got), err)
		}
	}
}

func TestDevicesNeedRights(t *testing.T) {
	dir := realTemp(t)
	root := filepath.Join(dir, "d")
	e := []fingerprint.Entry{
		{Path: root, Type: fingerprint.Dir, Mode: 0o755, UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())},
		{Path: root + "/null", Type: fingerprint.Char, Mode: 0o600, Rdev: unix.Mkdev(1, 3), UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())},
	}
	out := apply(t, &memory{}, back(e, nil)...)
	is(t, out[0], true, workspace.StatusRestored, "")
	if os.Geteuid() == 0 {
		is(t, out[1], true, workspace.StatusRestored, "")
		sameState(t, e[1:], scan(t, root+"/null"))
	} else {
		is(t, out[1], false, workspace.StatusSkipped, "cannot be made")
	}
}

// Somebody who writes at any moment never loses what was written: it is at the
// path or beside it.
func TestRacingWriter(t *testing.T) {
	writers := map[string]func(path, data string){
		"replace": func(path, data string) {
			os.WriteFile(path+".new", []byte(data), 0o644)
			os.Rename(path+".new", path)
		},
		"rewrite": func(path, data string) { os.WriteFile(path, []byte(data), 0o644) },
		"append": func(path, data string) {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
			if err == nil {
				runtime.Gosched()
				f.WriteString(data)
				f.Close()
			}
		},
	}
	for name, writer := range writers {
		for _, op := range []workspace.Op{workspace.Put, workspace.Remove} {
			t.Run(fmt.Sprintf("%s/op=%d", name, op), func(t *testing.T) { race(t, op, writer) })
		}
	}
}

func race(t *testing.T, op workspace.Op, writer func(path, data string)) {
	base := realTemp(t)
	drifted := 0
	for round := range 60 {
		dir := filepath.Join(base, fmt.Sprint(round))
		must(t, os.Mkdir(dir, 0o755))
		path := filepath.Join(dir, "f")
		m, pre := kept(t, path, "pre")
		write(t, path, "post")
		now := scan(t, path)[0]
		var start atomic.Bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			for !start.Load() {
				runtime.Gosched()
			}
			for range round * 7 % 400 {
				runtime.Gosched()
			}
			writer(path, "WRITTEN")
		}()
		start.Store(true)
		o := one(t, m, workspace.Action{Op: op, Entry: pre, Now: now})
		<-done
		if o.Status == workspace.StatusDrifted {
			drifted++
		}
		found := false
		names, err := os.ReadDir(dir)
		must(t, err)
		for _, n := range names {
			data, err := os.ReadFile(filepath.Join(dir, n.Name()))
			must(t, err)
			found = found || strings.Contains(string(data), "WRITTEN")
			if strings.HasPrefix(n.Name(), ".counterstep") {
				t.Errorf("round %d: %q is left, %+v", round, n.Name(), o)
			}
		}
		if !found {
			t.Fatalf("round %d: what was written is lost; %+v", round, o)
		}
	}
	t.Logf("%d of 60 drifted", drifted)
}

// A folder that is swapped for a link again and again never leads outside.
func TestApplyAgainstASwappedParent(t *testing.T) {
	dir, outside := realTemp(t), realTemp(t)
	write(t, filepath.Join(outside, "f"), "post")
	write(t, filepath.Join(outside, "g"), "created")
	canary := scan(t, outside)
	sub, link := filepath.Join(dir, "sub"), filepath.Join(dir, "link")
	must(t, os.Mkdir(sub, 0o755))
	m, pre := kept(t, filepath.Join(sub, "f"), "pre")
	write(t, filepath.Join(sub, "f"), "post")
	write(t, filepath.Join(sub, "g"), "created")
	now := scan(t, sub)
	must(t, os.Symlink(outside, link))
	inside, err := os.OpenRoot(sub) // stays with the folder wherever it is
	must(t, err)
	defer inside.Close()
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			unix.Renameat2(unix.AT_FDCWD, sub, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
			runtime.Gosched()
		}
	}()
	put := 0
	for range 300 {
		must(t, inside.WriteFile("f", []byte("post"), 0o644))
		must(t, inside.WriteFile("g", []byte("created"), 0o644))
		out, _ := workspace.Live().Apply(t.Context(), "ID", []workspace.Action{
			{Op: workspace.Put, Entry: pre, Now: now[1]},
			{Op: workspace.Remove, Entry: now[2], Now: now[2]},
			{Op: workspace.Meta, Entry: now[0]},
		}, m.open, workspace.ApplyOptions{})
		if out[0].Done {
			put++
		}
	}
	stop.Store(true)
	<-done
	if put == 0 || put == 300 {
		t.Logf("no race: %d of 300 were put", put)
	}
	sameState(t, canary, scan(t, outside))
}
