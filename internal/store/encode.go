package store

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
)

// appendEntry writes one line. Fields that are zero are left out, so that
// there is one way to write an entry.
func appendEntry(b []byte, e *fingerprint.Entry, m member) []byte {
	b = append(b, '{')
	b = appendText(b, "path", e.Path)
	b = append(b, `,"type":"`...)
	b = append(b, byte(e.Type), '"')
	if e.Mode != 0 {
		b = append(b, `,"mode":"`...)
		b = strconv.AppendUint(b, uint64(e.Mode), 8)
		b = append(b, '"')
	}
	b = appendUint(b, "uid", uint64(e.UID))
	b = appendUint(b, "gid", uint64(e.GID))
	b = appendInt(b, "mtime", e.MTime)
	b = appendInt(b, "atime", e.ATime)
	b = appendInt(b, "size", e.Size)
	if e.Target != "" {
		b = append(b, ',')
		b = appendText(b, "target", e.Target)
	}
	b = appendInt(b, "group", int64(e.Group))
	b = appendUint(b, "links", uint64(e.Links))
	b = appendUint(b, "dev", e.Dev)
	b = appendUint(b, "ino", e.Ino)
	b = appendUint(b, "rdev", e.Rdev)
	b = appendXattrs(b, e.Xattrs)
	b = appendExtents(b, e.Extents)
	if e.XXH != 0 {
		b = append(b, `,"xxh64":"`...)
		b = appendHex(b, be64(e.XXH))
		b = append(b, '"')
	}
	if e.SHA != [32]byte{} {
		b = append(b, `,"sha256":"`...)
		b = appendHex(b, e.SHA[:])
		b = append(b, '"')
	}
	b = appendInt(b, "off", e.Off)
	b = appendInt(b, "big", int64(e.Big))
	b = appendMember(b, m)
	return append(b, "}\n"...)
}

// appendMember writes where something lies in the tar.
func appendMember(b []byte, m member) []byte {
	if m.at == 0 {
		return b
	}
	b = appendInt(b, "at", m.at)
	b = appendInt(b, "stored", m.size)
	if m.packed {
		b = append(b, `,"packed":true`...)
	}
	b = append(b, `,"crc":"`...)
	b = appendCRC(b, m.crc)
	return append(b, '"')
}

func appendXattrs(b []byte, list []fingerprint.Xattr) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(b, `,"xattrs":[`...)
	for i, x := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		b = appendText(b, "name", x.Name)
		b = append(b, ',')
		b = appendText(b, "value", x.Value)
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendExtents writes a list that is not nil, since an empty one says that
// the file is one hole.
func appendExtents(b []byte, list []fingerprint.Extent) []byte {
	if list == nil {
		return b
	}
	b = append(b, `,"extents":[`...)
	for i, x := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		b = strconv.AppendInt(b, x.Off, 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, x.Len, 10)
		b = append(b, ']')
	}
	return append(b, ']')
}

// appendText writes "key":"…" for clean UTF-8, else "key_b64":"…".
func appendText(b []byte, key, s string) []byte {
	b = append(b, '"')
	b = append(b, key...)
	if clean(s) {
		b = append(b, '"', ':')
		return appendString(b, s)
	}
	b = append(b, `_b64":"`...)
	b = base64.StdEncoding.AppendEncode(b, []byte(s))
	return append(b, '"')
}

// clean reports whether s can be written as it is.
func clean(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return hint.Clean(s) == s
		}
	}
	return true
}

// appendString writes clean text.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

func appendInt(b []byte, key string, n int64) []byte {
	if n == 0 {
		return b
	}
	b = append(b, ',', '"')
	b = append(b, key...)
	b = append(b, '"', ':')
	return strconv.AppendInt(b, n, 10)
}

func appendUint(b []byte, key string, n uint64) []byte {
	if n == 0 {
		return b
	}
	b = append(b, ',', '"')
	b = append(b, key...)
	b = append(b, '"', ':')
	return strconv.AppendUint(b, n, 10)
}

func appendHex(b, p []byte) []byte { return hex.AppendEncode(b, p) }

func appendCRC(b []byte, crc uint32) []byte {
	return appendHex(b, []byte{byte(crc >> 24), byte(crc >> 16), byte(crc >> 8), byte(crc)})
}

// appendDigits writes n with leading zeros.
func appendDigits(b []byte, n int64, width int) []byte {
	s := strconv.FormatInt(n, 10)
	for range width - len(s) {
		b = append(b, '0')
	}
	return append(b, s...)
}

func be64(n uint64) []byte {
	return []byte{
		byte(n >> 56), byte(n >> 48), byte(n >> 40), byte(n >> 32),
		byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n),
	}
}
