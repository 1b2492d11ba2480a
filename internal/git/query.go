package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNotQuery says that a command is not one of the reading queries.
var ErrNotQuery = errors.New("not a reading query")

// query is one git command that only reads, with the options it may have.
type query struct {
	letters string   // of short options without a value
	long    []string // of long options, "=" at the end when they may have a value
	add     []string // put in front of the arguments
	need    []string // one of these must be there
	words   int      // most operands, -1 for any number
}

// queries is the allow-list. Options that write a file, run a program or go
// into submodules are in none of the entries.
func queries(verb string) (query, bool) {
	diff := query{
		letters: "zrR", words: -1,
		long: []string{
			"name-only", "name-status", "cached", "staged", "no-renames", "diff-filter=", "quiet", "exit-code", "raw",
			"numstat", "stat", "shortstat", "root", "merge-base", "relative=", "no-relative", "find-renames=", "no-commit-id",
		},
		add: []string{"--no-ext-diff", "--no-textconv", "--ignore-submodules=all"},
	}
	walk := query{letters: "0123456789", words: -1, long: []string{
		"count", "all", "branches=", "tags=", "remotes=", "max-count=", "skip=", "not", "reverse", "oneline", "format=", "pretty=",
		"first-parent", "left-right", "no-walk", "no-merges", "merges", "abbrev-commit", "no-abbrev-commit", "ancestry-path",
		"cherry-pick", "cherry-mark", "left-only", "right-only", "boundary", "objects", "no-object-names", "quiet", "topo-order", "date-order",
	}}
	list := []string{"format=", "sort=", "count=", "points-at=", "merged=", "no-merged=", "contains=", "no-contains=", "ignore-case"}
	switch verb {
	case "ls-files":
		return query{letters: "cdosumktiz", words: -1, long: []string{
			"cached", "deleted", "others", "ignored", "stage", "unmerged", "killed", "modified", "directory", "no-empty-directory",
			"exclude-standard", "exclude=", "error-unmatch", "full-name", "eol", "deduplicate",
		}}, true
	case "status":
		return query{letters: "szb", words: -1, add: []string{"--ignore-submodules=all"}, long: []string{
			"porcelain=", "short", "branch", "untracked-files=", "ignored=", "renames", "no-renames", "null",
		}}, true
	case "diff", "diff-index", "diff-tree", "diff-files":
		return diff, true
	case "rev-parse":
		return query{letters: "q", words: -1, long: []string{
			"verify", "quiet", "show-toplevel", "show-prefix", "show-cdup", "abbrev-ref=", "symbolic-full-name", "symbolic",
			"short=", "is-inside-work-tree", "is-bare-repository", "all", "branches=", "tags=", "remotes=",
		}}, true
	case "symbolic-ref":
		return query{letters: "q", words: 1, long: []string{"quiet", "short"}}, true
	case "for-each-ref":
		return query{words: -1, long: list}, true
	case "branch":
		return query{letters: "lar", words: -1, need: []string{"--list", "-l", "--show-current"}, long: append(list, "list", "all", "remotes", "show-current")}, true
	case "tag":
		return query{letters: "l", words: -1, need: []string{"--list", "-l"}, long: append(list, "list")}, true
	case "merge-base":
		return query{letters: "a", words: -1, long: []string{"is-ancestor", "all", "octopus", "independent"}}, true
	case "rev-list", "log":
		return walk, true
	case "ls-tree":
		return query{letters: "rtdzl", words: -1, long: []string{"name-only", "name-status", "full-tree", "full-name", "object-only", "long"}}, true
	case "cat-file":
		return query{letters: "tsep", words: 2}, true
	case "check-ignore":
		return query{letters: "qz", words: -1, long: []string{"quiet", "no-index"}}, true
	case "stash":
		return query{words: 1, need: []string{"list"}}, true
	case "remote":
		return query{letters: "v", words: 0, long: []string{"verbose"}}, true
	case "clean":
		return query{letters: "ndfxXq", words: -1, need: []string{"-n", "--dry-run"}, long: []string{"dry-run", "force", "quiet", "exclude="}}, true
	}
	return query{}, false
}

// allowed checks the arguments behind the verb.
func (q query) allowed(args []string) error {
	words, needed := 0, len(q.need) == 0
	options := true
	for _, a := range args {
		switch {
		case options && a == "--":
			options = false
			continue
		case options && strings.HasPrefix(a, "--"):
			name, _, has := strings.Cut(a[2:], "=")
			if !slices.Contains(q.long, name+"=") && (has || !slices.Contains(q.long, name)) {
				return fmt.Errorf("%w: option %q", ErrNotQuery, a)
			}
		case options && len(a) > 1 && a[0] == '-':
			if strings.Trim(a[1:], q.letters) != "" {
				return fmt.Errorf("%w: option %q", ErrNotQuery, a)
			}
			for _, n := range q.need {
				needed = needed || len(n) == 2 && n[0] == '-' && strings.ContainsRune(a, rune(n[1]))
			}
		default:
			words++
		}
		needed = needed || options && slices.Contains(q.need, a)
	}
	if !needed || q.words >= 0 && words > q.words {
		return fmt.Errorf("%w: in this form", ErrNotQuery)
	}
	return nil
}

// Query runs one reading git command as if in dir and returns its output. It
// sees the repository's refs, objects, a copy of its index and its plain
// settings, through a private git directory; nothing the repository names is
// run, nothing in it is written. args begin with the verb.
//
// The error wraps ErrNotQuery for anything that is not on the allow-list,
// ErrNoRepository outside a repository, and ErrFailed when git says no.
func (d *Door) Query(ctx context.Context, dir string, args ...string) ([]byte, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("%w: nothing", ErrNotQuery)
	}
	q, ok := queries(args[0])
	if !ok {
		return nil, fmt.Errorf("%w: git %s", ErrNotQuery, args[0])
	}
	if err := q.allowed(args[1:]); err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	l, err := Find(dir)
	if err != nil {
		return nil, err
	}
	if args[0] == "branch" && isDir(filepath.Join(l.CommonDir, "worktrees")) && !slices.Contains(args, "--show-current") {
		return nil, fmt.Errorf("%w: the list marks the branches of other worktrees", ErrNotQuery)
	}
	refs, err := d.refs(ctx, l)
	if err != nil {
		return nil, err
	}
	all, err := d.config(l, nil)
	if err != nil {
		return nil, err
	}
	v, remove, err := d.view(l, refs)
	if err != nil {
		return nil, err
	}
	defer remove()
	if err := v.copyState(); err != nil {
		return nil, fmt.Errorf("look at the repository: %w", err)
	}
	at, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the repository: %w", err)
	}
	res, err := d.git(ctx, run{
		gitDir: v.dir, dir: at, workTree: l.WorkTree, config: plain(all, l.WorkTree), limit: 64 << 20,
		args: append(append([]string{args[0]}, q.add...), args[1:]...),
	})
	return res.Stdout, err
}

// copyState copies what a query may read besides refs and objects.
func (v view) copyState() error {
	files := [][2]string{
		{v.l.GitDir, "index"},
		{v.l.CommonDir, "info/exclude"},
		{v.l.CommonDir, "info/attributes"},
		{v.l.GitDir, "info/sparse-checkout"},
		{v.l.CommonDir, "logs/refs/stash"},
		{v.l.GitDir, "logs/HEAD"},
	}
	shared, _ := filepath.Glob(filepath.Join(escapeGlob(v.l.GitDir), "sharedindex.*"))
	for _, path := range shared {
		files = append(files, [2]string{v.l.GitDir, filepath.Base(path)})
	}
	for _, f := range files {
		if err := copyRegular(filepath.Join(v.dir, f[1]), filepath.Join(f[0], f[1])); err != nil {
			return err
		}
	}
	return nil
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}

// copyRegular copies a file with its modification time, which git compares
// with those of the work tree. What is missing or no regular file is left out.
func copyRegular(dst, src string) error {
	info, err := os.Stat(src)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	in, err := os.OpenFile(src, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(dst), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(dst, info.ModTime(), info.ModTime())
}

// plain picks the settings that a query may see: values that change what is
// listed and how, never a program.
func plain(c config, workTree string) []setting {
	var out []setting
	for _, s := range c {
		if !isPlain(s.key) {
			continue
		}
		if s.bare {
			s.value = "true"
		}
		out = append(out, s)
	}
	if workTree != "" {
		out = append(out, setting{key: "core.bare", value: "false"})
	}
	return out
}

func isPlain(key string) bool {
	switch key {
	case "core.quotepath", "core.ignorecase", "core.filemode", "core.symlinks", "core.excludesfile", "core.attributesfile",
		"core.autocrlf", "core.eol", "core.precomposeunicode", "core.protecthfs", "core.protectntfs", "core.sparsecheckout",
		"core.sparsecheckoutcone", "core.checkstat", "core.trustctime", "core.longpaths", "core.abbrev", "core.bigfilethreshold",
		"status.showuntrackedfiles", "status.relativepaths", "status.renames", "diff.renames", "push.default", "remote.pushdefault",
		"clean.requireforce", "index.sparse":
		return true
	}
	section, rest, _ := strings.Cut(key, ".")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	switch section {
	case "branch":
		return name == "remote" || name == "merge" || name == "pushremote"
	case "remote":
		return name == "url" || name == "fetch"
	}
	return false
}
