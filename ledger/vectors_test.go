package ledger

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const vectors = "../docs/format/vectors"

// vector is what a vector says about its ledger.
type vector struct {
	About   string
	Records []struct {
		Seq  uint64
		ID   string
		Kind Kind
	}
	Damage []struct {
		State       State
		Offset, Len int64
	}
}

// TestVectors reads every docs/format/vectors/ledger-*.jsonl and compares it
// with the .json beside it.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob(vectors + "/ledger-*.jsonl")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want, got vector
		text, err := os.ReadFile(strings.TrimSuffix(file, "l"))
		if err == nil {
			err = json.Unmarshal(text, &want)
		}
		if err != nil {
			t.Fatal(err)
		}
		lines, report := scan(t, data)
		for _, l := range lines {
			got.Records = append(got.Records, struct {
				Seq  uint64
				ID   string
				Kind Kind
			}{l.Record.Seq, l.Record.ID, l.Record.Kind})
			again, err := encode(l.Record)
			if start := l.Offset; err != nil || !bytes.Equal(again, data[start:start+int64(l.Len)]) {
				t.Errorf("%s: record %d is written differently:\n%s", file, l.Record.Seq, again)
			}
		}
		for _, d := range report.Damage {
			got.Damage = append(got.Damage, struct {
				State       State
				Offset, Len int64
			}{d.State, d.Offset, d.Len})
		}
		got.About = want.About
		if !cmp.Equal(want, got) {
			t.Errorf("%s: %s", filepath.Base(file), cmp.Diff(want, got))
		}
	}
}

// TestDocumentedExamples: every record that the format page shows is one that
// can be read.
func TestDocumentedExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/format/ledger-v1.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, `{"v":`) {
			n++
			if _, err := decode([]byte(strings.TrimSuffix(line, "\n"))); err != nil {
				t.Errorf("%v: %s", err, line)
			}
		}
	}
	if n == 0 {
		t.Error("the page shows no record")
	}
}
