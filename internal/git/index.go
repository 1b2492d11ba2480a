package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// IndexObjects lists the objects that an index names, in no order. Those of
// submodules, which are in other repositories, are left out, and so are those of
// a shared index that it may be split from.
func (d *Door) IndexObjects(ctx context.Context, index io.Reader) ([]OID, error) {
	dir, remove, err := d.scratch("index")
	if err != nil {
		return nil, err
	}
	defer remove()
	data, err := io.ReadAll(index)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	if bytes.Contains(data, []byte("link")) && isSplit(data) {
		return nil, nil
	}
	if err := errors.Join(
		bareSkeleton(dir, indexFormat(data), nil),
		os.WriteFile(filepath.Join(dir, "index"), data, 0o600),
	); err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	res, err := d.git(ctx, run{gitDir: dir, workTree: dir, limit: 512 << 20, args: []string{"ls-files", "--stage", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	var out []OID
	for entry := range strings.SplitSeq(string(res.Stdout), "\x00") {
		mode, rest, _ := strings.Cut(entry, " ")
		id, _, _ := strings.Cut(rest, " ")
		if mode != "160000" && isOID(id) && strings.Trim(id, "0") != "" {
			out = append(out, OID(id))
		}
	}
	return out, nil
}

// indexFormat tells by the checksum at the end which hash an index is made
// with. One without a checksum is taken for SHA-1.
func indexFormat(data []byte) string {
	if n := len(data) - sha256.Size; n > 0 {
		if sum := sha256.Sum256(data[:n]); bytes.Equal(sum[:], data[n:]) {
			return "sha256"
		}
	}
	return "sha1"
}

// isSplit reports an index that has most entries in a shared one: its last
// extensions begin with the word link and a length.
func isSplit(data []byte) bool {
	for at := 12; ; at++ {
		i := bytes.Index(data[at:], []byte("link"))
		if i < 0 {
			return false
		}
		at += i
		if at+8 <= len(data) && data[at+4] == 0 && data[at+5] == 0 {
			return true
		}
	}
}
