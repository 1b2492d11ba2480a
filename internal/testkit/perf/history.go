package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/counterstep/counterstep/ledger"
)

// history measures what looks into a ledger of 100,000 records with 1,000
// prompts, against the same with a new one. The newest records are those of a
// real call, which can be fired.
func (b *bench) history() error {
	short, long := filepath.Join(b.base, "few"), filepath.Join(b.base, "many")
	cwd := filepath.Join(b.base, "h")
	if err := os.MkdirAll(cwd, 0o755); err != nil {
		return err
	}
	for _, s := range []string{short, long} {
		if _, err := b.hook(s, cwd, "ls"); err != nil {
			return err
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(long, "counterstep", "*", "ledger"))
	if len(dirs) != 1 {
		return fmt.Errorf("no ledger below %s", long)
	}
	if err := age(dirs[0], 100_000, 1000); err != nil {
		return err
	}
	for _, s := range []string{short, long} {
		if err := os.WriteFile(filepath.Join(cwd, "f"), []byte("f"), 0o644); err != nil {
			return err
		}
		if _, err := b.hook(s, cwd, "rm f"); err != nil {
			return err
		}
	}
	for _, m := range []struct {
		what string
		args []string
	}{
		{"list, the last 50", []string{"list", "-n", "50"}},
		{"checkpoints, the last 20 with what they led to", []string{"checkpoints"}},
		{"checkpoints, all 1,000", []string{"checkpoints", "-n", "0"}},
		{"show of the newest action by number", []string{"show", "NEWEST"}},
		{"fire --last --dry-run, the whole chain checked", []string{"fire", "--last", "--dry-run"}},
	} {
		if err := b.look(m.what, m.args, cwd, short, long); err != nil {
			return err
		}
	}
	return nil
}

// look measures one command in both ledgers.
func (b *bench) look(what string, args []string, cwd, short, long string) error {
	var ratios []float64
	slowest := time.Duration(0)
	for range *rounds {
		var took [2]time.Duration
		for i, s := range []string{short, long} {
			words := append([]string{}, args...)
			for k, w := range words {
				if w == "NEWEST" {
					words[k] = []string{"1", fmt.Sprint(newest)}[i]
				}
			}
			c := exec.Command(b.bin, words...)
			c.Env, c.Dir = b.env(s), cwd
			var err error
			if took[i], err = timed(c); err != nil {
				return err
			}
		}
		ratios = append(ratios, float64(took[1])/float64(took[0]))
		slowest = max(slowest, took[1])
	}
	row("100,000 records: "+what, "–", ratios, fmt.Sprintf("the same with a new ledger (at most %d ms)", slowest.Milliseconds()))
	return nil
}

// newest is the number of the real call behind the records that age appends.
var newest int

// age appends n records as years of work leave them, with prompts among them.
func age(dir string, n, prompts int) error {
	at := time.Now().Add(-time.Hour)
	for i := range n {
		k := i - i%4
		r := ledger.Record{
			ID: fmt.Sprintf("01HZZZZZZZZZZZZZZZ%08d", k), Kind: ledger.Call, Time: at, Harness: "claude", Session: fmt.Sprintf("s-%d", i/1000),
			Prompt: fmt.Sprintf("prompt-%d", i/(n/prompts)), Tool: "Bash", Cwd: "/home/u/src", Class: "inert", Command: "go test ./...",
		}
		switch {
		case i%(n/prompts) == 0:
			r.ID, r.Kind, r.Checkpoint, r.Command = fmt.Sprintf("01HYYYYYYYYYYYYYYY%08d", i), ledger.Checkpoint, "01HYYYYYYYYYYYYYYY00000000", "Please look at the tests that fail"
		case i%4 == 1:
			r.Kind, r.Class, r.Command, r.Inverse = ledger.Armed, "invertible", "rm -rf build", "restore 2 files"
			r.Proof, r.Fingerprint, r.Intent = &ledger.Proof{Kind: "simulated"}, "ef46db3751d8e999", "Remove what the build left"
		case i%4 == 2:
			r.Kind, r.Paths = ledger.Settled, []ledger.Name{"/home/u/src/build/a"}
		default:
			r.ID = fmt.Sprintf("01HXXXXXXXXXXXXXXX%08d", i)
		}
		got, err := ledger.Append(context.Background(), dir, r, ledger.AppendOptions{})
		if err != nil {
			return err
		}
		newest = got.Count.Actions + 1
	}
	return nil
}
