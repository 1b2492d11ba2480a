package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/internal/clone"
)

// maxLoose bounds how many loose objects are taken over.
const maxLoose = 500_000

// borrow takes over the packs and loose objects of an object directory and of
// those it borrows from in turn. Objects are never changed in place, so that a
// link is as good as a copy and survives the deletion of its other name.
//
// Nothing is promised about what is there: the closure is checked afterwards,
// and a file that vanishes meanwhile is passed over.
func borrow(ctx context.Context, store, objects string) error {
	dst := filepath.Join(store, "objects")
	seen := map[string]bool{}
	dirs := []string{objects}
	for len(dirs) > 0 && len(seen) < 32 {
		dir := resolved(dirs[0])
		dirs = dirs[1:]
		if seen[dir] {
			continue
		}
		seen[dir] = true
		if err := borrowPacks(ctx, dst, dir); err != nil {
			return fmt.Errorf("take over packs: %w", err)
		}
		if err := borrowLoose(ctx, dst, dir); err != nil {
			return fmt.Errorf("take over objects: %w", err)
		}
		dirs = append(dirs, alternates(dir)...)
	}
	return nil
}

// alternates lists the object directories that dir borrows from.
func alternates(dir string) []string {
	text, err := readRegular(filepath.Join(dir, "info", "alternates"), maxFile)
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#' || line[0] == '"':
		case filepath.IsAbs(line):
			out = append(out, line)
		default:
			out = append(out, filepath.Join(dir, line))
		}
	}
	return out
}

// borrowPacks takes over whole packs: the data first, since git believes in a
// pack once it sees the index.
func borrowPacks(ctx context.Context, dst, dir string) error {
	entries, err := os.ReadDir(filepath.Join(dir, "pack"))
	if err != nil {
		return ignoreGone(err)
	}
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".idx")
		if hash, isPack := strings.CutPrefix(base, "pack-"); !ok || !isPack || !isOID(hash) {
			continue
		}
		for _, ext := range []string{".pack", ".idx"} {
			if err := ctx.Err(); err != nil {
				return err
			}
			name := filepath.Join("pack", base+ext)
			if err := takeOver(filepath.Join(dst, name), filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func borrowLoose(ctx context.Context, dst, dir string) error {
	fans, err := os.ReadDir(dir)
	if err != nil {
		return ignoreGone(err)
	}
	total := 0
	for _, fan := range fans {
		if len(fan.Name()) != 2 || !isOID(strings.Repeat(fan.Name(), 20)) || !fan.IsDir() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		files, err := os.ReadDir(filepath.Join(dir, fan.Name()))
		if err != nil {
			if err := ignoreGone(err); err != nil {
				return err
			}
			continue
		}
		if total += len(files); total > maxLoose {
			return fmt.Errorf("more than %d", maxLoose)
		}
		if err := os.Mkdir(filepath.Join(dst, fan.Name()), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		for _, f := range files {
			if !isOID(fan.Name() + f.Name()) {
				continue
			}
			name := filepath.Join(fan.Name(), f.Name())
			if err := takeOver(filepath.Join(dst, name), filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeOver makes dst a second name of src, or a copy where that cannot be. A
// dst that exists stays; a src that is gone, is no regular file or cannot be
// read is passed over. Errors are those of the store.
func takeOver(dst, src string) error {
	info, err := os.Lstat(src)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	switch err := os.Link(src, dst); {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err == nil:
		if got, err := os.Lstat(dst); err == nil && os.SameFile(got, info) {
			return nil
		}
		os.Remove(dst) // swapped since it was looked at
		return nil
	}
	in, err := os.OpenFile(src, os.O_RDONLY|nonblock|nofollow, 0)
	if err != nil {
		return nil
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(dst), "tmp_obj_*")
	if err != nil {
		return err
	}
	_, err = clone.File(out, in)
	err = errors.Join(err, out.Chmod(0o400), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), dst)
	}
	if err != nil {
		os.Remove(out.Name())
	}
	return err
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
