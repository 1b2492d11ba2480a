package store

import (
	"archive/tar"
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
)

// holes reports whether the extents of a file of that size are well formed and
// leave something out.
func holes(list []fingerprint.Extent, size int64) bool {
	if list == nil {
		return false
	}
	var end, sum int64
	for _, x := range list {
		if x.Off < end || x.Len <= 0 || x.Off > size-x.Len {
			return false
		}
		end = x.Off + x.Len
		sum += x.Len
	}
	return sum < size
}

// stored is how many bytes the extents hold.
func stored(list []fingerprint.Extent) (n int64) {
	for _, x := range list {
		n += x.Len
	}
	return n
}

// sparseMap is what stands before the data of a sparse member: the number of
// extents and each one's start and length, then zeros up to a full block. An
// empty extent at the end gives the length of the file, as tar expects it.
func sparseMap(list []fingerprint.Extent, size int64) []byte {
	b := fmt.Appendf(nil, "%d\n", len(list)+1)
	for _, x := range list {
		b = fmt.Appendf(b, "%d\n%d\n", x.Off, x.Len)
	}
	b = fmt.Appendf(b, "%d\n0\n", size)
	return append(b, make([]byte, padding(int64(len(b))))...)
}

// padding is how far n is from a full block.
func padding(n int64) int64 { return -n & 511 }

// sparseHeader is the header of a sparse file in the form that GNU tar calls
// 1.0, which the standard library reads but does not write.
func sparseHeader(h *tar.Header, body, size int64) ([]byte, error) {
	records := map[string]string{
		"GNU.sparse.major": "1", "GNU.sparse.minor": "0",
		"GNU.sparse.name": h.Name, "GNU.sparse.realsize": strconv.FormatInt(size, 10),
		"size": strconv.FormatInt(body, 10),
	}
	for k, v := range h.PAXRecords {
		records[k] = v
	}
	var pax []byte
	for _, k := range sortedKeys(records) {
		pax = append(pax, paxRecord(k, records[k])...)
	}
	base := path.Base(h.Name)
	if i := strings.IndexFunc(base, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 || len(base) > 60 {
		base = "file"
	}
	var out []byte
	head, err := block(tar.Header{Name: "PaxHeaders.0/" + base, Mode: 0o644, Size: int64(len(pax))}, 'x')
	if err != nil {
		return nil, err
	}
	out = append(append(out, head...), pax...)
	out = append(out, make([]byte, padding(int64(len(pax))))...)
	small := body
	if small > 1<<33-1 {
		small = 0 // the record above says it
	}
	head, err = block(tar.Header{
		Name: "GNUSparseFile.0/" + base, Mode: h.Mode, Uid: h.Uid & 0o7777777, Gid: h.Gid & 0o7777777, Size: small,
		ModTime: h.ModTime.Truncate(time.Second),
	}, tar.TypeReg)
	return append(out, head...), err
}

// paxRecord is one record, which starts with its own length.
func paxRecord(k, v string) string {
	n := len(k) + len(v) + 3
	size := n + len(strconv.Itoa(n))
	if n+len(strconv.Itoa(size)) != size {
		size = n + len(strconv.Itoa(size))
	}
	return strconv.Itoa(size) + " " + k + "=" + v + "\n"
}

// block is a single header block of a type that tar.Writer may not write.
func block(h tar.Header, typeflag byte) ([]byte, error) {
	h.Typeflag, h.Format = tar.TypeReg, tar.FormatUSTAR
	if h.ModTime.Unix() < 0 || h.ModTime.Unix() > 1<<33-1 {
		h.ModTime = time.Unix(0, 0)
	}
	var buf bytes.Buffer
	if err := tar.NewWriter(&buf).WriteHeader(&h); err != nil {
		return nil, err
	}
	b := buf.Bytes()
	b[156] = typeflag
	copy(b[148:156], "        ")
	sum := 0
	for _, c := range b {
		sum += int(c)
	}
	copy(b[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return b, nil
}
