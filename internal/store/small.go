package store

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/durable"
)

// PutPost records the post-state of the call of id, durably, in place of an
// earlier one. It returns the SHA-256 of the manifest.
func (s *Store) PutPost(id string, entries []fingerprint.Entry) ([32]byte, error) {
	if err := s.writable(); err != nil {
		return [32]byte{}, err
	}
	if !validID(id) {
		return [32]byte{}, fmt.Errorf("post-state: %q is no id", id)
	}
	list := make([]fingerprint.Entry, len(entries))
	for i, e := range entries {
		if !isType(e.Type) {
			return [32]byte{}, fmt.Errorf("post-state: %q has no type", e.Path)
		}
		e.Off, e.Big = 0, 0
		list[i] = e
	}
	var buf bytes.Buffer
	out := framed{w: &buf}
	tw := tar.NewWriter(&out)
	hash, err := writeManifest(&out, tw, &manifest{id: id, entries: list, members: make([]member, len(list))})
	if err == nil {
		err = tw.Close()
	}
	if err == nil {
		err = durable.WriteFile(s.postName(id), buf.Bytes(), 0o600)
	}
	return hash, trouble("write post-state", err)
}

func (s *Store) postName(id string) string { return filepath.Join(s.postDir(), id+".tar") }

// Post returns the post-state of the call of id and whether there is one.
// Damage is a *DamageError.
func (s *Store) Post(id string) ([]fingerprint.Entry, bool, error) {
	if !validID(id) {
		return nil, false, nil
	}
	f, err := openFile(s.postName(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, trouble("read post-state", err)
	}
	p := &Payload{id: id, f: f}
	defer p.Close()
	if err := p.load([32]byte{}); err != nil {
		return nil, false, err
	}
	return p.Entries(), true, nil
}

func (s *Store) pendingName(key string) string {
	h := sha256.Sum256([]byte(key))
	return hex.EncodeToString(h[:16])
}

// PutPending keeps data for the settle of the call that key names, in place of
// what was kept before. It is not synced: a power cut may lose it.
func (s *Store) PutPending(key string, data []byte) error {
	if err := s.writable(); err != nil {
		return err
	}
	name := s.pendingName(key)
	tmp := filepath.Join(s.pendingDir(), tempName("put", name))
	f, err := newFile(tmp)
	if errors.Is(err, fs.ErrExist) {
		os.Remove(tmp) // of a process that had our number and was killed
		f, err = newFile(tmp)
	}
	if err != nil {
		return trouble("keep pending call", err)
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, filepath.Join(s.pendingDir(), name))
	}
	if err != nil {
		os.Remove(tmp)
	}
	return trouble("keep pending call", err)
}

// TakePending returns what PutPending kept and removes it. Of several takers
// one gets it.
func (s *Store) TakePending(key string) ([]byte, bool, error) {
	if err := s.writable(); err != nil {
		return nil, false, err
	}
	name := s.pendingName(key)
	taken := filepath.Join(s.pendingDir(), tempName("take", name))
	err := os.Rename(filepath.Join(s.pendingDir(), name), taken)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, trouble("take pending call", err)
	}
	data, err := os.ReadFile(taken)
	if err == nil {
		err = os.Remove(taken)
	}
	return data, err == nil, trouble("take pending call", err)
}

// IDs lists the payloads that the store holds, in order.
func (s *Store) IDs() ([]string, error) {
	list, err := os.ReadDir(s.ShadowDir())
	if err != nil {
		return nil, trouble("list payloads", err)
	}
	var ids []string
	for _, d := range list {
		if !strings.HasPrefix(d.Name(), ".") && d.IsDir() {
			ids = append(ids, d.Name())
		}
	}
	return ids, nil
}

// Remove deletes the payload, the post-state and the contents kept with it for good. What is not there
// is no error. Killed in between, the payload is gone by name and [Store.Sweep]
// removes the rest.
func (s *Store) Remove(id string) error {
	if err := s.writable(); err != nil {
		return err
	}
	if !validID(id) {
		return nil
	}
	trash := filepath.Join(s.ShadowDir(), tempName("trash", id))
	err := os.Rename(filepath.Join(s.ShadowDir(), id), trash)
	if err == nil {
		err = errors.Join(durable.SyncDir(s.ShadowDir()), removeTree(trash))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return trouble("remove payload", err)
	}
	for _, name := range []string{s.postName(id), s.keptName(id), s.refsName(id)} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return trouble("remove post-state", err)
		}
	}
	return nil
}
