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

// ErrSplit says that an index has most of its entries in another file.
var ErrSplit = errors.New("the index is split")

// IndexObjects lists the objects that an index names, in no order. Those of
// submodules, which are in other repositories, are left out. The error is
// ErrSplit for an index that does not name all of them.
func (d *Door) IndexObjects(ctx context.Context, index io.Reader) ([]OID, error) {
	data, err := io.ReadAll(index)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	if isSplit(data) {
		return nil, ErrSplit
	}
	list, err := d.index(ctx, data, "--stage")
	if err != nil {
		return nil, err
	}
	var out []OID
	for entry := range strings.SplitSeq(list, "\x00") {
		mode, rest, _ := strings.Cut(entry, " ")
		id, _, _ := strings.Cut(rest, " ")
		if mode != "160000" && isOID(id) && strings.Trim(id, "0") != "" {
			out = append(out, OID(id))
		}
	}
	return out, nil
}

// SameIndex reports whether two indexes say the same: modes, contents, stages,
// names and flags of all entries. What git remembers of the files' times does
// not count. Of indexes that are split it is not known.
func (d *Door) SameIndex(ctx context.Context, a, b []byte) (bool, error) {
	if isSplit(a) || isSplit(b) {
		return bytes.Equal(a, b), nil
	}
	was, err := d.index(ctx, a, "--stage", "-v")
	if err != nil {
		return false, err
	}
	is, err := d.index(ctx, b, "--stage", "-v")
	return err == nil && was == is, err
}

// index lists the entries of an index.
func (d *Door) index(ctx context.Context, data []byte, options ...string) (string, error) {
	dir, remove, err := d.scratch("index")
	if err != nil {
		return "", err
	}
	defer remove()
	if err := errors.Join(
		bareSkeleton(dir, indexFormat(data), nil),
		os.WriteFile(filepath.Join(dir, "index"), data, 0o600),
	); err != nil {
		return "", fmt.Errorf("read index: %w", err)
	}
	res, err := d.git(ctx, run{gitDir: dir, workTree: dir, limit: 512 << 20, args: append([]string{"ls-files", "-z"}, options...)})
	if err != nil {
		return "", fmt.Errorf("read index: %w", err)
	}
	return string(res.Stdout), nil
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
