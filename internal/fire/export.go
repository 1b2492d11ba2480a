package fire

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

// Export writes the held files of a saga as a tar archive. Every byte is
// checked while it is written; an error means that the archive is not whole.
// Link groups are written as copies.
func (e *Engine) Export(ctx context.Context, s ledger.Saga, w io.Writer) error {
	if s.Manifest == "" {
		return hint.New("counterstep ledger", "%s holds nothing", short(s.ID))
	}
	j, err := e.load(s)
	if err != nil {
		return err
	}
	defer j.payload.Close()
	tw := tar.NewWriter(w)
	readme := fmt.Sprintf(`What counterstep held for call %s

call   %s
in     %s
when   %s

Paths are absolute, without the first slash. To put everything back:
  tar -xpf THIS.tar -C / --exclude README.counterstep --exclude 'remote-*.bundle'
Refs of remotes, if any, are in remote-N.bundle:
  git fetch remote-1.bundle 'refs/kept/*'
`, s.ID, hint.CleanText(j.call.Command), hint.Clean(string(j.call.Cwd)), s.Armed.Time.UTC().Format(time.RFC3339))
	if err := add(tw, &tar.Header{Name: "README.counterstep", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(readme)), ModTime: s.Armed.Time}, strings.NewReader(readme)); err != nil {
		return err
	}
	for _, entry := range j.pre {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.export(tw, entry); err != nil {
			return err
		}
	}
	if err := e.exportRemotes(ctx, j, tw); err != nil {
		return err
	}
	return tw.Close()
}

// exportRemotes adds a git bundle for each remote: git fetch FILE 'refs/kept/*'
// takes the old tips out of it.
func (e *Engine) exportRemotes(ctx context.Context, j *job, tw *tar.Writer) error {
	for i, r := range j.remotes {
		d, err := e.door()
		if err != nil {
			return err
		}
		dir, err := os.MkdirTemp(e.Store.CacheDir(), "export-")
		if err != nil {
			return fmt.Errorf("make room for a bundle: %w", err)
		}
		defer durable.RemoveAll(dir)
		path := filepath.Join(dir, "bundle")
		if err := d.Export(ctx, r, e.Store.RemoteDir(), path); err != nil {
			return err
		}
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it holds nothing
		}
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		h := &tar.Header{Name: fmt.Sprintf("remote-%d.bundle", i+1), Typeflag: tar.TypeReg, Mode: 0o600, Size: info.Size(), ModTime: j.saga.Armed.Time}
		if err := add(tw, h, f); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) export(tw *tar.Writer, e fingerprint.Entry) error {
	h := &tar.Header{
		Name: strings.TrimPrefix(e.Path, "/"), Mode: int64(e.Mode), Uid: int(e.UID), Gid: int(e.GID),
		ModTime: time.Unix(0, e.MTime), Format: tar.FormatPAX,
	}
	switch e.Type {
	case fingerprint.File:
		h.Typeflag, h.Size = tar.TypeReg, e.Size
		r, err := j.payload.Open(e)
		if err != nil {
			return err
		}
		defer r.Close()
		return add(tw, h, r)
	case fingerprint.Dir:
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
	case fingerprint.Symlink:
		h.Typeflag, h.Linkname = tar.TypeSymlink, e.Target
	case fingerprint.FIFO:
		h.Typeflag = tar.TypeFifo
	default:
		return nil
	}
	return add(tw, h, nil)
}

func add(tw *tar.Writer, h *tar.Header, r io.Reader) error {
	if err := tw.WriteHeader(h); err != nil {
		return fmt.Errorf("write %q to the archive: %w", h.Name, err)
	}
	if r == nil {
		return nil
	}
	if _, err := io.Copy(tw, r); err != nil {
		return fmt.Errorf("write %q to the archive: %w", h.Name, err)
	}
	return nil
}
