package store

import (
	"archive/tar"
	"strings"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
)

// header is the tar header of an entry, or nil when tar has no such thing. The
// name is the path without its leading slash, so that any tar brings the entry
// back with -C /.
func header(e *fingerprint.Entry) *tar.Header {
	h := &tar.Header{
		Name:    strings.TrimPrefix(e.Path, "/"),
		Mode:    int64(e.Mode & 0o7777),
		Uid:     int(e.UID),
		Gid:     int(e.GID),
		ModTime: time.Unix(floorDiv(e.MTime), 0),
	}
	switch e.Type {
	case fingerprint.File:
		h.Typeflag, h.Size = tar.TypeReg, e.Size
	case fingerprint.Dir:
		h.Typeflag = tar.TypeDir
		h.Name += "/"
	case fingerprint.Symlink:
		h.Typeflag, h.Linkname = tar.TypeSymlink, e.Target
	case fingerprint.FIFO:
		h.Typeflag = tar.TypeFifo
	case fingerprint.Block:
		h.Typeflag = tar.TypeBlock
		h.Devmajor, h.Devminor = devNumbers(e.Rdev)
	case fingerprint.Char:
		h.Typeflag = tar.TypeChar
		h.Devmajor, h.Devminor = devNumbers(e.Rdev)
	default:
		return nil
	}
	for _, x := range e.Xattrs {
		if x.Name == "" || strings.ContainsAny(x.Name, "=\x00") {
			continue // only the manifest can hold it
		}
		if h.PAXRecords == nil {
			h.PAXRecords = map[string]string{}
			h.Format = tar.FormatPAX
			h.ModTime = time.Unix(0, e.MTime)
		}
		h.PAXRecords["SCHILY.xattr."+x.Name] = x.Value
	}
	return h
}

// linkTo turns h into a hard link to another path of the tar.
func linkTo(h *tar.Header, path string) {
	h.Typeflag, h.Linkname, h.Size = tar.TypeLink, strings.TrimPrefix(path, "/"), 0
	h.PAXRecords, h.Format, h.ModTime = nil, tar.FormatUnknown, h.ModTime.Truncate(time.Second)
}

// floorDiv is the seconds of a time in nanoseconds, also before 1970.
func floorDiv(ns int64) int64 {
	s := ns / 1e9
	if ns%1e9 < 0 {
		s--
	}
	return s
}

// extraName is where the members lie that are not captured entries. Extracted
// with -C / they end up in a folder of their own.
func extraName(id, name string) string { return "tmp/counterstep-" + id + "/" + name }

// extra is the header of such a member.
func extra(id, name string, size int64) *tar.Header {
	return &tar.Header{
		Typeflag: tar.TypeReg, Name: extraName(id, name), Mode: 0o600, Size: size,
		ModTime: time.Unix(0, 0),
	}
}
