package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/internal/fail"
)

// ErrNotRestored says that a rehearsal did not bring a ref back.
var ErrNotRestored = errors.New("the rehearsal did not bring it back")

// Rehearse fires r on a bare stand-in of the remote that is left by the call
// as it is expected to leave it, and reads the result. The stand-in borrows
// the objects of the private store below dir and of l, the pushing repository,
// and is gone afterwards; the remote is not touched or asked.
//
// It shows that the names, objects and leases work. It does not show that the
// server will take the push: only the server knows that.
func (d *Door) Rehearse(ctx context.Context, r Remote, l *Layout, dir string) error {
	store, err := openStore(dir, r)
	if err != nil {
		return fmt.Errorf("rehearse: %w: %w", ErrDamaged, err)
	}
	stand, remove, err := d.scratch("standin")
	if err != nil {
		return fmt.Errorf("rehearse: %w", err)
	}
	defer remove()
	lend := []string{filepath.Join(store, "objects")}
	if l != nil {
		lend = append(lend, l.Objects())
	}
	if err := bareSkeleton(stand, r.Format, lend); err != nil {
		return fmt.Errorf("rehearse: make the stand-in: %w", err)
	}
	moves, err := forward(stand, r)
	if err != nil {
		return fmt.Errorf("rehearse: leave the stand-in as the call will: %w", err)
	}
	if err := fail.Point("git.rehearse"); err != nil {
		return fmt.Errorf("rehearse: %w", err)
	}
	shadow := r
	shadow.URL, shadow.GitDir, shadow.Embedded = stand, "", false
	alone := *d
	alone.Config = Config{NoSystem: true, Global: os.DevNull}
	_, pushErr := alone.push(ctx, store, shadow, moves)
	after, err := alone.read(ctx, stand, "")
	if err != nil {
		return fmt.Errorf("rehearse: %w", err)
	}
	for _, u := range r.Refs {
		if now := after.find(u.Name); now != u.Old {
			return fmt.Errorf("rehearse: %w: %s is %q: %w", ErrNotRestored, u.Name, now, cmpErr(pushErr))
		}
	}
	return nil
}

// cmpErr is err, or what can be said without one.
func cmpErr(err error) error {
	if err == nil {
		return errors.New("git reported no trouble")
	}
	return err
}

// forward gives the stand-in the refs that the call leaves, and returns the
// moves that take them back. What cannot be told beforehand is stood in for by
// a commit of ours.
func forward(stand string, r Remote) ([]move, error) {
	var refs []ref
	var moves []move
	dummy := Unknown
	for _, u := range r.Refs {
		post := u.New
		if post == Unknown || post == u.Old {
			if dummy == Unknown {
				var err error
				if dummy, err = emptyCommit(stand, r.Format); err != nil {
					return nil, err
				}
			}
			post = dummy
		}
		if post.Is() {
			refs = append(refs, ref{Name: u.Name, OID: post})
		}
		moves = append(moves, move{u.Name, post, u.Old})
	}
	slices.SortFunc(refs, func(a, b ref) int { return strings.Compare(a.Name, b.Name) })
	return moves, writePacked(stand, refs)
}

// emptyCommit writes a commit of an empty tree into the stand-in.
func emptyCommit(stand, format string) (OID, error) {
	tree, err := writeObject(stand, format, "tree", nil)
	if err != nil {
		return Unknown, err
	}
	return writeObject(stand, format, "commit", []byte("tree "+string(tree)+
		"\nauthor counterstep <> 0 +0000\ncommitter counterstep <> 0 +0000\n\nstand-in\n"))
}

func writeObject(dir, format, kind string, body []byte) (OID, error) {
	raw := append([]byte(fmt.Sprintf("%s %d\x00", kind, len(body))), body...)
	sum := sha1.Sum(raw)
	id := hex.EncodeToString(sum[:])
	if format == "sha256" {
		sum := sha256.Sum256(raw)
		id = hex.EncodeToString(sum[:])
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write(raw)
	if err = errors.Join(err, z.Close()); err != nil {
		return Unknown, err
	}
	fan := filepath.Join(dir, "objects", id[:2])
	if err := os.MkdirAll(fan, 0o700); err != nil {
		return Unknown, err
	}
	return OID(id), os.WriteFile(filepath.Join(fan, id[2:]), packed.Bytes(), 0o400)
}
