package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const vectors = "../../docs/format/vectors/"

// TestVectors reads the payload of docs/format/vectors and finds what the
// .json beside it says.
func TestVectors(t *testing.T) {
	var want struct {
		ID, Manifest, Call string
		Entries            []struct{ Path, Type, Content string }
	}
	text, err := os.ReadFile(vectors + "store-payload.json")
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	data, err := os.ReadFile(vectors + "store-payload.tar")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "payload.tar"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var hash [32]byte
	if _, err := hex.Decode(hash[:], []byte(want.Manifest)); err != nil {
		t.Fatal(err)
	}
	p, err := openPayload(dir, want.ID, hash)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Verify(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if call, err := p.Call(); err != nil || string(call) != want.Call {
		t.Errorf("call: %q, %v", call, err)
	}
	if len(p.Entries()) != len(want.Entries) {
		t.Fatalf("%d entries, want %d", len(p.Entries()), len(want.Entries))
	}
	for i, e := range p.Entries() {
		w := want.Entries[i]
		if e.Path != w.Path && hex.EncodeToString([]byte(e.Path)) != strings.TrimPrefix(w.Path, "hex:") || string(e.Type) != w.Type {
			t.Errorf("entry %d is %q %c, want %q %s", i, e.Path, e.Type, w.Path, w.Type)
		}
		if w.Type != "f" {
			continue
		}
		if got, err := read(p, e.Path); err != nil || got != w.Content {
			t.Errorf("%q holds %q, %v", e.Path, got, err)
		}
	}
	manifest := data[p.start : p.start+p.end.len]
	if again := bytesOf(p.m, p.end.crc); !bytes.Equal(again, manifest) {
		t.Errorf("the manifest is written differently:\n%s", again)
	}
	page, err := os.ReadFile("../../docs/format/store-v1.md")
	if err != nil || !bytes.Contains(page, manifest) {
		t.Errorf("the format page does not show this manifest:\n%s%v", manifest, err)
	}
}
