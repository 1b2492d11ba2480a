package store

import (
	"archive/tar"
)

// writeManifest ends a tar with m and returns the SHA-256 of its bytes.
func writeManifest(out *framed, tw *tar.Writer, m *manifest) ([32]byte, error) {
	e := m.encode()
	if err := tw.WriteHeader(extra(m.id, "manifest.jsonl", e.size())); err != nil {
		return [32]byte{}, err
	}
	data, hash := e.finish(out.member(0).crc)
	out.content = true
	_, err := tw.Write(data)
	out.content = false
	return hash, err
}
