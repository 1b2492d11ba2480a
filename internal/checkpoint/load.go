package checkpoint

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
)

// ErrGone says that the set does not hold a checkpoint: it never did, or it
// was forgotten.
var ErrGone = errors.New("no such checkpoint")

// DamageError says that a checkpoint is not what was kept.
type DamageError struct {
	ID string
	// Path is the file whose content is damaged; empty when it is the record.
	Path string
	Err  error
}

// Error names the checkpoint, the path and what is wrong.
func (e *DamageError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("checkpoint %s: %v", e.ID, e.Err)
	}
	return fmt.Sprintf("checkpoint %s: %q: %v", e.ID, e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *DamageError) Unwrap() error { return e.Err }

// attempts is how often something is looked for that Collect may be moving.
const attempts = 3

// retry does something again while packs disappear under its hands.
func retry(f func() error) (err error) {
	for range attempts {
		if err = f(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// List lists the checkpoints, the oldest first.
func (s *Set) List() (out []Info, err error) {
	err = retry(func() error {
		idx, err := s.openIndex()
		if err != nil {
			return err
		}
		idx.packs.close()
		out = make([]Info, len(idx.recs))
		for i := range idx.recs {
			out[i] = idx.recs[i].Info
		}
		return nil
	})
	return out, err
}

// Load reads a checkpoint. The error is ErrGone when there is none of that id,
// and a *DamageError when its record cannot be trusted.
func (s *Set) Load(id string) (c *Checkpoint, err error) {
	err = retry(func() error {
		idx, err := s.openIndex()
		if err != nil {
			return err
		}
		defer idx.packs.close()
		c, err = s.load(idx, id)
		return err
	})
	return c, err
}

func (s *Set) load(idx *index, id string) (*Checkpoint, error) {
	chain, err := s.chain(idx, id)
	if err != nil {
		return nil, err
	}
	last := &chain[len(chain)-1]
	c := &Checkpoint{Info: last.Info, Roots: last.roots, Rules: last.rules, set: s}
	if len(chain) == 1 {
		c.items = last.items
		return c, nil
	}
	st := make(state, len(chain[0].items))
	for i := range chain {
		st.apply(&chain[i])
	}
	c.items = st.items()
	return c, nil
}

// chain reads a record and those it builds on, the first one first.
func (s *Set) chain(idx *index, id string) ([]record, error) {
	var out []record
	for next := id; next != ""; {
		i, ok := idx.byID[next]
		switch {
		case !ok && next == id:
			return nil, hint.New("counterstep checkpoints", "checkpoint %s: %w", id, ErrGone)
		case !ok:
			return nil, &DamageError{ID: id, Err: fmt.Errorf("it builds on %s, which is gone", next)}
		case len(out) > len(idx.recs):
			return nil, &DamageError{ID: id, Err: errors.New("it builds on itself")}
		}
		r, err := s.read(idx, idx.recs[i].at)
		if err != nil {
			return nil, wrapDamage(id, err)
		}
		out = append(out, r)
		next = r.parent
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out, nil
}

// wrapDamage names the checkpoint unless the pack has just gone.
func wrapDamage(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return &DamageError{ID: id, Err: err}
}

// read reads one record and checks its bytes.
func (s *Set) read(idx *index, at place) (record, error) {
	r, err := idx.packs.body(s, at)
	if err != nil {
		return record{}, err
	}
	top, ok := parseHead(readAt(idx, s, place{pack: at.pack, off: at.off - headSize, size: headSize}))
	if !ok || top.size != at.size || top.kind != aRecord {
		return record{}, errDamaged
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return record{}, fmt.Errorf("read: %w", err)
	}
	if int64(len(body)) != at.size || sha256.Sum256(body) != top.sha {
		return record{}, errDamaged
	}
	return decodeRecord(body)
}

// readAt is what lies at a place, nil when it cannot be read.
func readAt(idx *index, s *Set, at place) []byte {
	r, err := idx.packs.body(s, at)
	if err != nil {
		return nil
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return b
}

// Open reads the content of a file among the Entries. Instead of io.EOF the
// last Read returns a *DamageError when the bytes are not those that were kept:
// nothing that was read may be used then.
func (c *Checkpoint) Open(e fingerprint.Entry) (io.ReadCloser, error) {
	var out io.ReadCloser
	err := retry(func() error {
		at, err := c.locate(e.SHA)
		if err != nil {
			return err
		}
		if at == (place{}) {
			return &DamageError{ID: c.ID, Path: e.Path, Err: errors.New("its content is not held")}
		}
		r, err := c.files.body(c.set, at)
		if err != nil {
			c.forget()
			return err
		}
		out = &reader{r: r, hash: sha256.New(), want: e.SHA, damage: &DamageError{ID: c.ID, Path: e.Path, Err: errDamaged}}
		return nil
	})
	return out, err
}

// locate finds a content, and for that reads the index when it is needed first.
func (c *Checkpoint) locate(sha [32]byte) (place, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idx == nil {
		idx, err := c.set.openIndex()
		if err != nil {
			return place{}, err
		}
		idx.packs.close()
		c.idx = idx
	}
	at, _ := c.idx.content(sha)
	return at, nil
}

// forget makes the next locate read the index again.
func (c *Checkpoint) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idx = nil
}

// reader checks what it reads.
type reader struct {
	r      io.Reader
	hash   hash.Hash
	want   [32]byte
	damage error
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.hash.Write(p[:n])
	if err == io.EOF && [32]byte(r.hash.Sum(nil)) != r.want {
		return n, r.damage
	}
	return n, err
}

// Close lets go of the reader. The pack stays open for the next one.
func (r *reader) Close() error { return nil }
