//go:build linux

package oracle

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	// The binary is made of it: a change there makes a cached result stale.
	_ "github.com/counterstep/counterstep/internal/cli"
)

var (
	shared = flag.String("shared", "", "directory with corpora/oracle_results.dev.jsonl, whose commands are run instead of our own")
	corpus = flag.String("corpus", "", "directory of *.txt (a command a line) and *.jsonl files, whose commands are run instead of our own")
	slice  = flag.String("slice", "", "I/N: only every Nth command, from the Ith on; without -tags long one in three of our own")
	record = flag.String("record", "", "file to which each outcome is added as a line of JSON")
	only   = flag.String("try", "", "one command to be run instead of a corpus; everything about it is shown")
)

func TestMain(m *testing.M) {
	if isDriver() {
		os.Exit(serve())
	}
	m.Run()
}

// build makes the binary under test.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "counterstep")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", bin, "github.com/counterstep/counterstep/cmd/counterstep")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// TestOracle holds what is predicted against what real commands destroy: no
// change without a prediction among inert and invertible calls, and what was
// armed comes back byte for byte.
func TestOracle(t *testing.T) {
	if _, err := os.Stat(bwrap); err != nil {
		t.Skip("NOT TESTED: needs bubblewrap (apt-get install bubblewrap)")
	}
	jobs := jobs(t)
	outcomes := run(t, world{Tree: fixture(t), Jobs: jobs}, build(t), max(1, runtime.GOMAXPROCS(0)))
	var s total
	for _, o := range outcomes {
		s.add(o)
		if o.Open && o.sound() {
			t.Errorf("%s holds now: take the ? away", o.name())
		}
		if *only != "" {
			data, _ := json.MarshalIndent(o, "", " ")
			t.Logf("%s", data)
		}
	}
	keep(t, outcomes)
	t.Log("\n" + s.String())
	for _, list := range [][]string{s.MissedRows, s.NotBackRows, s.Broke} {
		for _, row := range list {
			t.Error(row)
		}
	}
	for _, row := range s.OpenRows {
		t.Log("open: " + row)
	}
	for _, row := range s.RefusedNothingRows {
		t.Log("refused, though it changed nothing here: " + row)
	}
}

// jobs are the commands that the flags ask for.
func jobs(t *testing.T) []job {
	var list []job
	switch {
	case *only != "":
		list = []job{{Command: *only, Variant: "base"}}
	case *shared != "":
		list = measured(t, filepath.Join(*shared, "corpora", "oracle_results.dev.jsonl"))
	case *corpus != "":
		names, _ := filepath.Glob(filepath.Join(*corpus, "*"))
		for _, name := range names {
			switch filepath.Ext(name) {
			case ".txt":
				list = append(list, plain(t, name)...)
			case ".jsonl":
				list = append(list, measured(t, name)...)
			}
		}
	default:
		list = plain(t, "testdata/commands.txt")
		if !long && *slice == "" {
			*slice = "0/3"
		}
	}
	if len(list) == 0 {
		t.Fatal("no commands")
	}
	return sliced(t, list)
}

func sliced(t *testing.T, list []job) []job {
	if *slice == "" {
		return list
	}
	a, b, _ := strings.Cut(*slice, "/")
	i, n := number(t, a), number(t, b)
	var some []job
	for ; i < len(list); i += n {
		some = append(some, list[i])
	}
	return some
}

func number(t *testing.T, s string) (n int) {
	if err := json.Unmarshal([]byte(s), &n); err != nil || n < 0 {
		t.Fatalf("-slice I/N: %q", *slice)
	}
	return n
}

// plain reads commands, one a line, with ␤ for a newline. What is known not to
// hold is marked with ? and reported without failing.
func plain(t *testing.T, name string) (list []job) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !strings.HasPrefix(line, "# ") {
			command, open := strings.CutPrefix(line, "? ")
			list = append(list, job{Command: strings.ReplaceAll(command, "␤", "\n"), Variant: "base", Open: open})
		}
	}
	return list
}

// measured reads the ways in which commands were tried before, with what was
// planted for each.
func measured(t *testing.T, name string) (list []job) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type way struct {
		Measured *bool
		Seeded   []string
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var row struct {
			Command                 string
			Base, Seeded, Overwrite *way
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if row.Base == nil && row.Seeded == nil && row.Command != "" {
			list = append(list, job{Command: row.Command, Variant: "base"})
		}
		for variant, w := range map[string]*way{"base": row.Base, "seeded": row.Seeded, "overwrite": row.Overwrite} {
			if w != nil && w.Measured != nil && *w.Measured {
				list = append(list, job{Command: row.Command, Variant: variant, Seeds: w.Seeded})
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// keep adds the outcomes to the file of -record.
func keep(t *testing.T, outcomes []outcome) {
	if *record == "" {
		return
	}
	f, err := os.OpenFile(*record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	for _, o := range outcomes {
		if err := enc.Encode(o); err != nil {
			t.Fatal(err)
		}
	}
}
