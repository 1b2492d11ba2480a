package classify_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/testkit/shelloracle"
)

// rich is a tree in which every command of the shared list has its target: the
// corpus writes ~ and src, list and x.patch, and a repository around them.
func rich() memory {
	f := lived()
	for p, e := range map[string]shelloracle.Entry{
		app + "/file":                     file("x\n"),
		app + "/x/y":                      file("x\n"),
		app + "/a":                        file("a\n"),
		app + "/b":                        file("b\n"),
		app + "/~":                        file("a file of this name\n"),
		app + "/a.ts":                     file("a\n"),
		app + "/SRC/a":                    file("a\n"),
		app + "/real_link/q":              file("q\n"),
		app + "/x.tar":                    file("ustar"),
		app + "/x.zip":                    file("PK"),
		app + "/x.patch":                  file("--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-alpha\n+beta\n"),
		app + "/x.go":                     file("package main\n"),
		app + "/script.sh":                {Type: 'f', Mode: 0o755, Data: "make clean\n"},
		app + "/evil.sh":                  {Type: 'f', Mode: 0o755, Data: "python3 x.py\n"},
		app + "/evil.mk":                  file("x:\n\trm -rf src\n"),
		app + "/package.json":             file(`{"scripts":{"clean":"rm -rf build"}}`),
		app + "/db.sqlite":                file("SQLite format 3\x00"),
		app + "/manage.py":                file("import sys\n"),
		app + "/Cargo.toml":               file("[package]\n"),
		app + "/target/x":                 file("x\n"),
		app + "/wt/.git":                  file("gitdir: ../.git/worktrees/wt\n"),
		app + "/.git/HEAD":                file("ref: refs/heads/main\n"),
		app + "/.git/config":              file("[core]\n\tbare = false\n[user]\n\tname = Dev\n[remote \"origin\"]\n\turl = /srv/r.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"),
		app + "/.git/index":               file("DIRC"),
		app + "/.git/refs/heads/main":     file(strings.Repeat("1", 40) + "\n"),
		app + "/.git/refs/heads/foo":      file(strings.Repeat("2", 40) + "\n"),
		app + "/.git/refs/tags/v1":        file(strings.Repeat("3", 40) + "\n"),
		app + "/.git/refs/stash":          file(strings.Repeat("4", 40) + "\n"),
		app + "/.git/logs/HEAD":           file("0 1 x\n"),
		app + "/.git/MERGE_HEAD":          file(strings.Repeat("2", 40) + "\n"),
		app + "/.git/BISECT_LOG":          file("# bad\n"),
		app + "/.git/rebase-apply/next":   file("1\n"),
		app + "/.git/worktrees/wt/gitdir": file("x\n"),
		app + "/.gitmodules":              file("[submodule \"m\"]\n\tpath = m\n"),
		app + "/m/f":                      file("f\n"),
		app + "/empty/.keep":              file(""),
		"/home/u/f":                       file("f\n"),
		"/h/f":                            file("f\n"),
		"/data/f":                         file("f\n"),
		"/tmp/x":                          file("x\n"),
	} {
		f.Entries[p] = e
	}
	return disk(f)
}

type peerRow struct{ line, category, command string }

func peerRows(t *testing.T) []peerRow {
	if *shared == "" {
		t.Skip("NOT TESTED: needs -shared DIR with corpora/peer-weaknesses.tsv")
	}
	f, err := os.Open(filepath.Join(*shared, "corpora", "peer-weaknesses.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []peerRow
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.SplitN(s.Text(), "\t", 3)
		if len(fields) == 3 && fields[0] != "set" {
			rows = append(rows, peerRow{s.Text(), fields[1], strings.ReplaceAll(fields[2], `\n`, "\n")})
		}
	}
	return rows
}

// mayBeInert lists rows that destroy nothing though they look like it.
func mayBeInert() map[string]string {
	return map[string]string{
		"history -c": "forgets lines of this shell only; the file stays",
	}
}

// TestPeers reads the commands that guards of this field get wrong.
func TestPeers(t *testing.T) {
	rows := peerRows(t)
	if len(rows) != 340 {
		t.Errorf("%d rows, want 340", len(rows))
	}
	m := rich()
	counts := map[string]map[classify.Class]int{}
	for _, r := range rows {
		for _, shell := range []string{"bash", "zsh"} {
			v := classify.Command(context(m, shell), r.command)
			key := r.category[:1] + " " + shell
			if counts[key] == nil {
				counts[key] = map[classify.Class]int{}
			}
			counts[key][v.Class]++
			if problem := peerProblem(r, v); problem != "" {
				t.Errorf("%s: %s: %q: %s: %s", r.category, shell, r.command, problem, describe(v))
			}
		}
	}
	for k, c := range counts {
		t.Logf("%s: %v", k, c)
	}
}

func peerProblem(r peerRow, v classify.Verdict) string {
	switch r.category[:1] {
	case "9":
		if v.Class != classify.Inert {
			return "want inert"
		}
	case "8":
		if v.Class == classify.Inert && len(v.Barriers) == 0 {
			return "want bounded or a barrier"
		}
	default:
		if _, excused := mayBeInert()[r.command]; v.Class == classify.Inert && len(v.Barriers) == 0 && !excused {
			return "destructive, yet inert"
		}
	}
	return ""
}
