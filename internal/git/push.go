package git

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// move is one ref to be moved at a remote.
type move struct {
	name string
	// from is what the remote must have, to is what it gets; both may be
	// Absent.
	from, to OID
}

// answer is what git reports about one ref.
type answer struct {
	flag   byte // as in the porcelain format; 0 without an answer
	reason string
}

// chunk is how many refs go into one push: their names are arguments.
const chunk = 400

// push moves refs at url, each under an explicit lease: a ref that is not what
// the move says stays as it is. There is no form of force here, because force
// switches leases off. Objects come from store.
//
// The answers are hints only; what happened is decided by reading the remote.
// When the error is not nil, answers may be missing.
func (d *Door) push(ctx context.Context, store string, r Remote, moves []move) (map[string]answer, error) {
	config, err := d.reach(r.URL, r.GitDir)
	if err != nil {
		return nil, err
	}
	answers := map[string]answer{}
	var errs []error
	for part := range slices.Chunk(moves, chunk) {
		res, err := d.git(ctx, run{
			gitDir: store, person: true, config: config, limit: 32 << 20,
			args: pushArgs(d.Git, r, part),
		})
		readAnswers(answers, string(res.Stdout))
		errs = append(errs, err)
	}
	return answers, errors.Join(errs...)
}

// pushArgs is the command line of one push.
func pushArgs(git string, r Remote, moves []move) []string {
	args := []string{
		"push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-progress",
		"--no-force-if-includes", "--recurse-submodules=no",
	}
	if r.Embedded {
		args = append(args, "--receive-pack="+quietReceiver(git))
	}
	// A lease is also found by the end of a longer name, so the longer names
	// come first.
	sorted := slices.Clone(moves)
	slices.SortFunc(sorted, func(a, b move) int { return len(b.name) - len(a.name) })
	for _, m := range sorted {
		args = append(args, "--force-with-lease="+m.name+":"+string(m.from))
	}
	args = append(args, "--", r.URL)
	for _, m := range moves {
		args = append(args, string(m.to)+":"+m.name)
	}
	return args
}

// quietReceiver is the program at the other end of a push into the pushing
// repository itself: its hooks, filters and monitors are not to run.
func quietReceiver(git string) string {
	quoted := "'" + strings.ReplaceAll(git, "'", `'\''`) + "'"
	return quoted + " -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=:" +
		" -c receive.autogc=false -c receive.denyCurrentBranch=refuse -c receive.procReceiveRefs= receive-pack"
}

// readAnswers reads the porcelain output of a push.
func readAnswers(into map[string]answer, out string) {
	for line := range strings.Lines(out) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(parts) != 3 || len(parts[0]) != 1 {
			continue
		}
		_, name, ok := strings.Cut(parts[1], ":")
		if !ok {
			continue
		}
		into[name] = answer{flag: parts[0][0], reason: parts[2]}
	}
}
