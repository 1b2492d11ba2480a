package ledger

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
)

const (
	// MaxLine is the length in bytes of the longest line that is written,
	// with its line break.
	MaxLine = 4096
	// MaxCommand is the length in bytes of the longest command in a record.
	MaxCommand = 512
)

// AppendOptions say how durable an append is.
type AppendOptions struct {
	// Sync makes Append return only when the record would survive a power cut.
	Sync bool
	// Locked says that the caller holds the lock of [LockPath] already.
	Locked bool
}

// Append adds r to the ledger in dir and returns it as written. It holds the
// lock of [LockPath] while it does and waits for it until ctx is done. It
// reads the tail only, so its cost does not depend on the ledger's length.
//
// A line that would be too long is shortened, see [Record.Cut]. A torn tail is
// healed first. After an error the record may or may not be in the ledger; it
// must not be relied on, and the same append must not be tried again on the
// strength of reading it back.
func Append(ctx context.Context, dir string, r Record, o AppendOptions) (_ Record, err error) {
	if !o.Locked {
		unlock, err := durable.Lock(ctx, LockPath(dir))
		if err != nil {
			return r, fmt.Errorf("lock ledger: %w", err)
		}
		defer unlock()
	}
	f, made, err := open(dir)
	if err != nil {
		return r, fmt.Errorf("open ledger: %w", err)
	}
	defer f.Close()
	if made { // also when r need not be durable: a later record relies on it
		if err := durable.SyncDir(dir); err != nil {
			return r, fmt.Errorf("sync folder of ledger: %w", err)
		}
	}
	info, err := f.Stat()
	if err != nil {
		return r, fmt.Errorf("look at ledger: %w", err)
	}
	return appendTo(f, info.Size(), r, o.Sync)
}

// open opens the ledger in dir for appending and reports whether it made it.
func open(dir string) (f *os.File, made bool, err error) {
	const flags = os.O_RDWR | os.O_APPEND | noFollow
	f, err = os.OpenFile(Path(dir), flags, 0)
	if !os.IsNotExist(err) {
		return f, false, err
	}
	f, err = os.OpenFile(Path(dir), flags|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, false, err
	}
	return f, true, f.Chmod(0o600)
}

// file is what an append needs of a file that was opened for appending.
type file interface {
	io.ReaderAt
	io.Writer
	Sync() error
}

// appendTo adds r behind the size bytes of f. Each record is one write.
func appendTo(f file, size int64, r Record, sync bool) (Record, error) {
	end, err := findEnd(f, size)
	if err != nil {
		return r, fmt.Errorf("read end of ledger: %w", err)
	}
	if end.gap != nil {
		heal := Record{ID: r.ID, Kind: Recovered, Time: r.Time, Gap: end.gap}
		if _, err := end.write(f, heal, "ledger.heal"); err != nil {
			return r, fmt.Errorf("heal ledger: %w", err)
		}
	}
	if r, err = end.write(f, r, "ledger.write"); err != nil {
		return r, fmt.Errorf("write ledger: %w", err)
	}
	if !sync {
		return r, nil
	}
	if err = fail.Point("ledger.sync"); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return r, fmt.Errorf("sync ledger: %w", err)
	}
	return r, fail.Point("ledger.synced")
}

// end is where a ledger ends and what the next record has to follow.
type end struct {
	seq   uint64 // of the last good record
	prev  string
	count Count
	// gap is what lies behind the last good record; nil when nothing does.
	gap *Gap
	// lineBreak says that the file does not end with a line break.
	lineBreak bool
}

// findEnd looks for the last good line, from the end.
func findEnd(r io.ReaderAt, size int64) (*end, error) {
	b, err := backward(r, size, 8<<10)
	if err != nil {
		return nil, err
	}
	e := &end{prev: noPrev, lineBreak: !b.whole}
	good := int64(0)
	for {
		off, line, err := b.line()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		last, err := decode(line)
		if err != nil {
			continue
		}
		e.seq, e.prev = last.Seq, prevOf(sha256.Sum256(line))
		good = min(off+int64(len(line))+1, size)
		if e.count, err = countOf(last, b); err != nil {
			return nil, err
		}
		break
	}
	if good == size {
		return e, nil
	}
	h := sha256.New()
	if n, err := io.Copy(h, io.NewSectionReader(r, good, size-good)); err != nil || n != size-good {
		return nil, fmt.Errorf("read damaged bytes: %w", err)
	}
	e.gap = &Gap{Offset: good, Len: size - good, SHA256: prevOf([32]byte(h.Sum(nil)))}
	return e, nil
}

// write appends r as one write and moves on behind it.
func (e *end) write(w io.Writer, r Record, point string) (Record, error) {
	count := e.count.add(r)
	r.V, r.Seq, r.Prev, r.Count = Version, e.seq+1, e.prev, &count
	r, line, err := fit(r)
	if err != nil {
		return r, err
	}
	e.count = count
	e.seq, e.prev = r.Seq, prevOf(sha256.Sum256(line))
	var buf []byte
	if e.lineBreak {
		buf = append(buf, '\n')
		e.lineBreak = false
	}
	buf = append(append(buf, line...), '\n')
	if err := fail.Point(point); err != nil {
		return r, err
	}
	n, err := w.Write(buf)
	if err == nil && n < len(buf) {
		err = io.ErrShortWrite
	}
	return r, err
}
