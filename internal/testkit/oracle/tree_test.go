//go:build linux

package oracle

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// node is one thing of a tree. Type is 'f', 'd', 'l', or 'h' for another name
// of the file Target.
type node struct {
	Type   byte
	Mode   fs.FileMode
	Data   []byte
	Target string
	Time   int64
}

// tree is everything below the roots, by the path that it has in the sandbox.
type tree map[string]node

// mounts says where the folders of a fixture lie in the sandbox.
func mounts() map[string]string {
	return map[string]string{"home": home, "tmp": "/tmp", "srv": "/srv", "log": "/var/log"}
}

// roots are the places that are compared.
func roots() []string { return []string{home, "/tmp", "/srv", "/var/log"} }

// readTree reads the fixture in dir.
func readTree(dir string) (tree, error) {
	t, names := tree{}, map[[2]uint64]string{}
	for folder, at := range mounts() {
		top := filepath.Join(dir, folder)
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || path == top {
				return err
			}
			inside := at + strings.TrimPrefix(path, top)
			n, key, err := readNode(path)
			if err != nil {
				return err
			}
			if first, again := names[key]; again && n.Type == 'f' {
				n = node{Type: 'h', Target: first}
			}
			names[key] = inside
			t[inside] = n
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

func readNode(path string) (n node, key [2]uint64, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return n, key, err
	}
	st := info.Sys().(*syscall.Stat_t)
	n = node{Mode: info.Mode().Perm(), Time: info.ModTime().UnixNano()}
	switch {
	case info.IsDir():
		n.Type = 'd'
	case info.Mode()&fs.ModeSymlink != 0:
		n.Type = 'l'
		n.Target, err = os.Readlink(path)
	default:
		n.Type = 'f'
		n.Data, err = os.ReadFile(path)
	}
	return n, [2]uint64{uint64(st.Dev), st.Ino}, err
}

// put makes path what n says.
func (n node) put(path string) error {
	switch n.Type {
	case 'd':
		if err := os.Mkdir(path, 0o700); err != nil && !os.IsExist(err) {
			return err
		}
		return os.Chmod(path, n.Mode|0o700)
	case 'l':
		return os.Symlink(n.Target, path)
	case 'h':
		return os.Link(n.Target, path)
	}
	if err := os.WriteFile(path, n.Data, 0o600); err != nil {
		return err
	}
	if err := os.Chmod(path, n.Mode); err != nil {
		return err
	}
	return os.Chtimes(path, time.Unix(0, n.Time), time.Unix(0, n.Time))
}

// sorted lists the paths, parents first, other names of a file last.
func (t tree) sorted() []string {
	var plain, links []string
	for p, n := range t {
		if n.Type == 'h' {
			links = append(links, p)
		} else {
			plain = append(plain, p)
		}
	}
	slices.Sort(plain)
	slices.Sort(links)
	return append(plain, links...)
}

// file follows another name to the file.
func (t tree) file(path string) node {
	if n := t[path]; n.Type == 'h' {
		return t[n.Target]
	}
	return t[path]
}

// plant adds what a command names: a seed with a dot in its name is a file, any
// other is one as well for an output and a folder for an input.
func (t tree) plant(seeds []string, output bool) tree {
	out := tree{}
	for p, n := range t {
		out[p] = n
	}
	for _, p := range seeds {
		if !below(p) || inGit(p) {
			continue
		}
		text := []byte(strings.Repeat(filepath.Base(p)+" planted\n", 7))
		if !output && !strings.Contains(filepath.Base(p), ".") {
			for _, sub := range []string{"a.txt", "sub/b.txt", "old.log"} {
				out.add(filepath.Join(p, sub), text)
			}
			continue
		}
		out.add(p, text)
	}
	return out
}

// add puts a file and the folders on the way, where nothing is.
func (t tree) add(path string, data []byte) {
	if _, ok := t[path]; ok {
		return
	}
	for d := filepath.Dir(path); below(d); d = filepath.Dir(d) {
		if n, ok := t[d]; ok && n.Type != 'd' {
			return
		}
	}
	for d := filepath.Dir(path); below(d); d = filepath.Dir(d) {
		if _, ok := t[d]; !ok {
			t[d] = node{Type: 'd', Mode: 0o755, Time: old}
		}
	}
	t[path] = node{Type: 'f', Mode: 0o644, Data: data, Time: old}
}

// below reports whether path lies in one of the roots.
func below(path string) bool {
	return slices.ContainsFunc(roots(), func(r string) bool { return strings.HasPrefix(path, r+"/") })
}

// inGit reports whether path is git's own, which is compared by what it means.
// Settings and hooks are compared as they are.
func inGit(path string) bool {
	for _, dir := range []string{"/.git/", "/remote.git/"} {
		if _, in, ok := strings.Cut(path, dir); ok {
			return in != "config" && !strings.HasPrefix(in, "hooks/")
		}
	}
	return false
}

func same(a, b node) bool {
	return a.Type == b.Type && a.Target == b.Target && bytes.Equal(a.Data, b.Data)
}
