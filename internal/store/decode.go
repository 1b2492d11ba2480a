package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/counterstep/counterstep/fingerprint"
)

// last is the last line of a manifest.
type last struct {
	crc uint32
	sum [32]byte
	len int64
}

// decodeLast reads the last line, with its line break.
func decodeLast(line []byte) (last, error) {
	p := parser{s: string(line)}
	var l last
	p.must(`{"end":true,"crc":"`)
	l.crc = p.crc()
	p.must(`,"sha256":"`)
	p.hex(l.sum[:])
	p.must(`,"len":"`)
	digits := p.until('"')
	p.must("}\n")
	n, err := strconv.ParseInt(digits, 10, 64)
	if p.err != nil || err != nil || p.s != "" || int64(len(line)) != lastLen || n < lastLen {
		return l, errors.New("the last line of the manifest is damaged")
	}
	l.len = n
	return l, nil
}

// decodeManifest reads a manifest. It uses memory in proportion to data, and
// encoding what it returns gives data again.
func decodeManifest(data []byte) (*manifest, last, error) {
	cut := int64(len(data)) - lastLen
	if cut < 0 {
		return nil, last{}, errors.New("the manifest is too short")
	}
	end, err := decodeLast(data[cut:])
	if err != nil {
		return nil, end, err
	}
	body := data[:cut]
	if end.len != int64(len(data)) || sha256.Sum256(body) != end.sum {
		return nil, end, errors.New("the manifest is damaged")
	}
	m := &manifest{}
	// Room in one piece, but never more than the text can ask for.
	if most := min(bytes.Count(body, []byte{'\n'}), len(body)/128); most > 64 {
		m.entries, m.members = make([]fingerprint.Entry, 0, most), make([]member, 0, most)
	}
	for n := 1; len(body) > 0; n++ {
		i := bytes.IndexByte(body, '\n')
		if i < 0 {
			return nil, end, fmt.Errorf("manifest line %d: %w", n, errSyntax)
		}
		p := parser{s: string(body[:i])}
		m.line(&p, n)
		if p.err != nil || p.s != "" {
			return nil, end, fmt.Errorf("manifest line %d: %w", n, errSyntax)
		}
		body = body[i+1:]
	}
	if m.id == "" {
		return nil, end, errors.New("the manifest has no first line")
	}
	return m, end, nil
}

// line reads the n-th line into m: the head, entries, orphans, the call.
func (m *manifest) line(p *parser, n int) {
	switch {
	case n == 1:
		p.must(`{"counterstep":"manifest","v":1,"id":`)
		if m.id = p.str(); !validID(m.id) {
			p.fail()
		}
	case m.call.at != 0:
		p.fail() // nothing comes behind the call
	case p.take(`{"call":true`):
		if m.call = p.member(); m.call.at == 0 {
			p.fail()
		}
		p.must(`,"sha256":"`)
		p.hex(m.callSHA[:])
	case p.take(`{"orphan":true`):
		o := p.member()
		if o.at == 0 {
			p.fail()
		}
		m.orphans = append(m.orphans, o)
	case len(m.orphans) > 0:
		p.fail()
	default:
		m.entry(p)
	}
	p.must("}")
}

// entry reads what appendEntry writes.
func (m *manifest) entry(p *parser) {
	var e fingerprint.Entry
	p.must("{")
	e.Path = p.text("path")
	p.must(`,"type":"`)
	t := p.until('"')
	if len(t) != 1 || !isType(fingerprint.Type(t[0])) {
		p.fail()
		return
	}
	e.Type = fingerprint.Type(t[0])
	if p.take(`,"mode":"`) {
		text := p.until('"')
		mode, err := strconv.ParseUint(text, 8, 32)
		if err != nil || mode == 0 || text[0] == '0' {
			p.fail()
		}
		e.Mode = uint32(mode)
	}
	e.UID = uint32(p.uint("uid", 32))
	e.GID = uint32(p.uint("gid", 32))
	e.MTime = p.int("mtime")
	e.ATime = p.int("atime")
	e.Size = p.int("size")
	if rest := p.s; p.take(`,"target`) {
		p.s = rest[1:]
		if e.Target = p.text("target"); e.Target == "" {
			p.fail()
		}
	}
	e.Group = p.small("group")
	e.Links = uint32(p.uint("links", 32))
	e.Dev = p.uint("dev", 64)
	e.Ino = p.uint("ino", 64)
	e.Rdev = p.uint("rdev", 64)
	e.Xattrs = p.xattrs()
	e.Extents = p.extents()
	if p.take(`,"xxh64":"`) {
		var b [8]byte
		p.hex(b[:])
		if e.XXH = binary.BigEndian.Uint64(b[:]); e.XXH == 0 {
			p.fail()
		}
	}
	if p.take(`,"sha256":"`) {
		p.hex(e.SHA[:])
		if e.SHA == [32]byte{} {
			p.fail()
		}
	}
	e.Off = p.int("off")
	e.Big = p.small("big")
	m.entries = append(m.entries, e)
	m.members = append(m.members, p.member())
}

// isType reports whether t is one of the types of an observation.
func isType(t fingerprint.Type) bool {
	switch t {
	case fingerprint.Absent, fingerprint.File, fingerprint.Dir, fingerprint.Symlink,
		fingerprint.FIFO, fingerprint.Socket, fingerprint.Block, fingerprint.Char:
		return true
	default:
		return false
	}
}

// small is an optional field that is an int everywhere.
func (p *parser) small(key string) int {
	n := p.int(key)
	if n < -1<<31 || n > 1<<31-1 {
		p.fail()
		return 0
	}
	return int(n)
}

// member reads what appendMember writes.
func (p *parser) member() member {
	var m member
	if m.at = p.int("at"); m.at == 0 {
		return m
	}
	m.size = p.int("stored")
	m.packed = p.take(`,"packed":true`)
	p.must(`,"crc":"`)
	m.crc = p.crc()
	return m
}

func (p *parser) xattrs() []fingerprint.Xattr {
	if !p.take(`,"xattrs":[`) {
		return nil
	}
	var list []fingerprint.Xattr
	for p.err == nil {
		var x fingerprint.Xattr
		p.must("{")
		x.Name = p.text("name")
		p.must(",")
		x.Value = p.text("value")
		p.must("}")
		list = append(list, x)
		if p.take("]") {
			return list
		}
		p.must(",")
	}
	return nil
}

func (p *parser) extents() []fingerprint.Extent {
	if !p.take(`,"extents":[`) {
		return nil
	}
	list := []fingerprint.Extent{}
	if p.take("]") {
		return list
	}
	for p.err == nil {
		var x fingerprint.Extent
		p.must("[")
		x.Off = p.number()
		p.must(",")
		x.Len = p.number()
		p.must("]")
		list = append(list, x)
		if p.take("]") {
			return list
		}
		p.must(",")
	}
	return nil
}
