package workspace

import (
	"path"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
)

// stat is what the system says about one inode.
type stat struct {
	typ                 fingerprint.Type
	mode                uint32 // 07777
	uid, gid            uint32
	links               uint32
	size, blocks        int64 // blocks of 512 bytes; -1 where the system does not say
	mtime, atime, ctime int64
	dev, ino, rdev      uint64
}

// unchanged reports whether the same inode was looked at twice without a write
// or a change of its metadata in between.
func (s stat) unchanged(o stat) bool {
	s.atime, o.atime = 0, 0
	s.blocks, o.blocks = 0, 0 // a delayed allocation is no change
	return s == o
}

// entry is the part of an entry that needs no further look.
func (s stat) entry(path string) fingerprint.Entry {
	e := fingerprint.Entry{
		Path: path, Type: s.typ, Mode: s.mode, UID: s.uid, GID: s.gid,
		MTime: s.mtime, ATime: s.atime, Links: s.links, Dev: s.dev, Ino: s.ino,
	}
	switch s.typ {
	case fingerprint.File:
		e.Size = s.size
	case fingerprint.Block, fingerprint.Char:
		e.Rdev = s.rdev
	}
	return e
}

// dirent is one name in a directory. typ is 0 where the listing does not say.
type dirent struct {
	name string
	typ  fingerprint.Type
}

// isClean reports whether path is absolute and has no empty, "." or ".."
// element, so that it can be taken apart at its slashes.
func isClean(p string) bool {
	return strings.HasPrefix(p, "/") && path.Clean(p) == p && !strings.Contains(p, "\x00")
}

// split is the directory and the last element of a clean path.
func split(p string) (dir, name string) {
	i := strings.LastIndexByte(p, '/')
	if i == 0 {
		return "/", p[1:]
	}
	return p[:i], p[i+1:]
}

// join is the path of name in dir.
func join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// isUnder reports whether p is dir or below it.
func isUnder(p, dir string) bool {
	if dir == "/" {
		return true
	}
	return strings.HasPrefix(p, dir) && (len(p) == len(dir) || p[len(dir)] == '/')
}

// stat is what the walk saw, as far as it can be compared with a later look.
func (f *found) stat() stat {
	return stat{
		typ: f.Type, mode: f.Mode, uid: f.UID, gid: f.GID, links: f.Links, size: f.Size,
		mtime: f.MTime, ctime: f.ctime, dev: f.Dev, ino: f.Ino, rdev: f.Rdev,
	}
}

// set takes a new look over. The path and the link group stay.
func (f *found) set(s stat) {
	path, group := f.Path, f.Group
	f.Entry = s.entry(path)
	f.Group, f.ctime, f.blocks = group, s.ctime, s.blocks
}
