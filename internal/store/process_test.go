package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
)

// TestMain lets this binary be another process that writes one payload: see
// writePayload.
func TestMain(m *testing.M) {
	dir := os.Getenv("STORE_TEST_WRITE")
	if dir == "" {
		os.Exit(m.Run())
	}
	sealed, err := writePayload(dir)
	var trouble *TroubleError
	switch {
	case err == nil:
		fmt.Printf("%x\n", sealed.Manifest)
	case errors.As(err, &trouble) && errors.Is(err, ErrFull):
		fmt.Println("full:", err)
		os.Exit(3)
	default:
		fmt.Println(err)
		os.Exit(1)
	}
}

// writePayload makes the store at dir and writes a payload of each kind of
// content, like a call that is armed.
func writePayload(dir string) (Sealed, error) {
	s, err := Create(dir)
	if err != nil {
		return Sealed{}, err
	}
	st, err := s.Begin(ulid(7))
	if err != nil {
		return Sealed{}, err
	}
	defer st.Abort()
	small := entry("/tmp/a", "small")
	if err := st.Small(&small, []byte("small")); err != nil {
		return Sealed{}, err
	}
	f, err := os.Open(os.Args[0])
	if err != nil {
		return Sealed{}, err
	}
	defer f.Close()
	large := fingerprint.Entry{Path: "/tmp/b", Type: fingerprint.File}
	if err := st.Big(&large, f); err != nil {
		return Sealed{}, err
	}
	return st.Finish(context.Background(), []fingerprint.Entry{small, large}, []byte("{}"))
}

// writer is a process that writes the payload.
func writer(dir string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(append(os.Environ(), "STORE_TEST_WRITE="+dir), env...)
	return cmd
}

func TestAnotherProcessReadsIt(t *testing.T) {
	dir := t.TempDir() + "/store"
	out, err := writer(dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s, err := Open(dir)
	if err == nil {
		err = wholeAs(s, strings.TrimSpace(string(out)))
	}
	if err != nil {
		t.Error(err)
	}
}

// TestSyncsPerPayload: with the one of the ledger, arming takes three.
func TestSyncsPerPayload(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("SKIPPED LOUDLY: there is no strace on this machine")
	}
	s := newStore(t)
	log := t.TempDir() + "/log"
	plain := writer(s.Dir())
	cmd := exec.Command(strace, append([]string{"-f", "-y", "-o", log, "-e", "trace=fsync,fdatasync,syncfs,sync,msync"}, plain.Args...)...)
	cmd.Env = plain.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED LOUDLY: strace: %v: %s", err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	n := strings.Count(string(data), "sync(") + strings.Count(string(data), "syncfs(")
	if n != 2 || strings.Count(string(data), "payload.tar>") != 1 || strings.Count(string(data), "shadow>") != 1 {
		t.Errorf("%d syncs:\n%s", n, data)
	}
}

// wholeAs opens the payload and verifies every byte of it. It must have that manifest, in hex.
func wholeAs(s *Store, manifest string) error {
	var want [32]byte
	if _, err := hex.Decode(want[:], []byte(manifest)); err != nil {
		return err
	}
	p, err := s.Payload(ulid(7), want)
	if err != nil {
		return err
	}
	defer p.Close()
	return p.Verify(context.Background(), nil)
}
