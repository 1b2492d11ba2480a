package store

import (
	"crypto/sha256"

	"github.com/counterstep/counterstep/fingerprint"
)

// manifest is the content of a manifest: what was captured and where in the
// payload it lies. docs/format/store-v1.md describes how it is written.
type manifest struct {
	id      string
	entries []fingerprint.Entry
	// members are parallel to entries.
	members []member
	// orphans are members of the tar that belong to no entry any more.
	orphans []member
	call    member
	callSHA [32]byte
}

// member is the place of an entry in payload.tar.
type member struct {
	// at is where the header of the member ends and its content starts; 0 when
	// the entry has no member.
	at int64
	// size is the length of the content as stored, 0 without one.
	size int64
	// crc is the CRC-32C of everything between the content before and at.
	crc uint32
	// packed says that the content is the data extents only.
	packed bool
}

// encoded is a manifest whose last line is still to come.
type encoded struct {
	buf []byte
	sum [32]byte // of buf
}

// sizeOf is how long the manifest will be.
func (e *encoded) size() int64 { return int64(len(e.buf)) + lastLen }

// encode writes all lines but the last.
func (m *manifest) encode() *encoded {
	buf := make([]byte, 0, 256+360*len(m.entries))
	buf = append(buf, `{"counterstep":"manifest","v":1,"id":`...)
	buf = append(appendString(buf, m.id), "}\n"...)
	for i := range m.entries {
		buf = appendEntry(buf, &m.entries[i], m.members[i])
	}
	for _, o := range m.orphans {
		buf = append(buf, `{"orphan":true`...)
		buf = appendMember(buf, o)
		buf = append(buf, "}\n"...)
	}
	if m.call.at != 0 {
		buf = append(buf, `{"call":true`...)
		buf = appendMember(buf, m.call)
		buf = append(buf, `,"sha256":"`...)
		buf = append(appendHex(buf, m.callSHA[:]), "\"}\n"...)
	}
	return &encoded{buf: buf, sum: sha256.Sum256(buf)}
}

// lastLen is the length of the last line of a manifest, which is the same for
// all: {"end":true,"crc":"8 hex","sha256":"64 hex","len":"12 digits"}
const lastLen = int64(len(`{"end":true,"crc":"","sha256":"","len":""}`+"\n") + 8 + 64 + 12)

// finish writes the last line. crc is that of the frame of the manifest's own
// member.
func (e *encoded) finish(crc uint32) (data []byte, hash [32]byte) {
	size := e.size()
	buf := append(e.buf, `{"end":true,"crc":"`...)
	buf = appendCRC(buf, crc)
	buf = append(buf, `","sha256":"`...)
	buf = appendHex(buf, e.sum[:])
	buf = append(buf, `","len":"`...)
	buf = appendDigits(buf, size, 12)
	buf = append(buf, "\"}\n"...)
	return buf, sha256.Sum256(buf)
}
