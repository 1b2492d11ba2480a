package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// rewindFlags are the flags of rewind.
type rewindFlags struct {
	prompt                           int
	before                           string
	paths                            []string
	dryRun, yes, git, noWait, asJSON bool
}

func newRewind(env Env) *cobra.Command {
	var f rewindFlags
	c := &cobra.Command{
		Use: "rewind ID|--prompt N|--before-call N|ID", Short: "Bring the workspace back to before a prompt",
		Long: `Brings every path that calls of agents changed since a prompt back to what it was
before that prompt: what they deleted or overwrote is put back, what they created
is removed if it still is as they left it. Nothing else is touched. What a person
changed in the same files stays: it is merged, or the file is kept and the state
before the prompt is put beside it as NAME.counterstep-ID.

ID is that of a checkpoint, of a prompt, or of the prompt's message; a bare number
is the number in 'counterstep checkpoints'. Commits, branches and the index stay
as they are unless --git is given. 'counterstep redo' takes a rewind back.

The agent's conversation is not changed: the last line says how to bring that
back too. While a call runs, rewind waits for it for up to 20 seconds.

Exit codes: 0 done, 1 error, 3 something was skipped.`,
		Args: cobra.MaximumNArgs(1),
	}
	c.Flags().IntVar(&f.prompt, "prompt", 0, "to before prompt `N` of 'counterstep checkpoints'")
	c.Flags().StringVar(&f.before, "before-call", "", "to before an action: `N` of 'counterstep list', or an id")
	c.Flags().StringSliceVar(&f.paths, "paths", nil, "only these `PATHS` and what is below them")
	c.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "say what would be done, path by path, and do nothing")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&f.git, "git", false, "bring repositories back too: HEAD, branches, index")
	c.Flags().BoolVar(&f.noWait, "no-wait", false, "do not wait for calls in flight")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the result as JSON")
	c.RunE = func(_ *cobra.Command, args []string) error {
		return f.run(env, c, args)
	}
	return c
}

func (f *rewindFlags) run(env Env, c *cobra.Command, args []string) error {
	ways := len(args)
	for _, set := range []bool{f.prompt != 0, f.before != ""} {
		if set {
			ways++
		}
	}
	if ways != 1 || f.prompt < 0 {
		return hint.Exit(hint.New("counterstep checkpoints", "rewind takes an id, --prompt N or --before-call N"), 2)
	}
	p, err := open(env, c, !f.dryRun)
	if err != nil {
		return notSetUp(err, p)
	}
	if p.store == nil {
		return hint.New("counterstep init", "counterstep is not set up here: nothing was recorded for %s", hint.Clean(p.ws.Root))
	}
	to, err := f.target(env, p, args)
	if err != nil {
		return err
	}
	bar := newProgress(env, "writing")
	p.engine.Progress = bar.update
	r, err := p.engine.Rewind(c.Context(), to, f.options(env, p))
	bar.done()
	if err != nil {
		return err
	}
	if f.asJSON {
		err = writeJSON(env.Stdout, r)
	} else {
		reportRewind(env.Stdout, r)
	}
	if err == nil && len(r.Skipped) > 0 {
		return hint.Exit(hint.New("counterstep list", "%s could not be brought back", plural(len(r.Skipped), "path")), fire.ExitStale)
	}
	return err
}

// notSetUp says more than that nothing was recorded.
func notSetUp(err error, p place) error {
	if errors.Is(err, store.ErrMissing) || p.store == nil && p.dir != "" {
		if _, serr := os.Stat(p.dir); errors.Is(serr, os.ErrNotExist) {
			return hint.New("counterstep init", "counterstep is not set up here: nothing was recorded for %s", hint.Clean(p.ws.Root))
		}
	}
	return err
}

func (f *rewindFlags) options(env Env, p place) fire.RewindOptions {
	o := fire.RewindOptions{DryRun: f.dryRun, Git: f.git, Root: p.ws.Root, Wait: 20 * time.Second}
	if f.noWait {
		o.Wait = -1
	}
	o.Paths = within(env, f.paths)
	if env.Terminal && !f.yes && !f.asJSON {
		o.Confirm = func(r fire.Rewound) error {
			reportRewind(env.Stderr, r)
			ok, err := confirm(env, "Rewind?", "add --yes")
			if err == nil && !ok {
				return hint.New("", "stopped; nothing was changed")
			}
			return err
		}
	}
	return o
}

// target looks up the point to rewind to.
func (f *rewindFlags) target(env Env, p place, args []string) (fire.Target, error) {
	if f.before != "" {
		return p.engine.BeforeCall(f.before)
	}
	what := strconv.Itoa(f.prompt)
	if len(args) == 1 {
		what = args[0]
	}
	to, err := p.engine.Prompt(what)
	var none *fire.ErrNoPrompt
	if errors.As(err, &none) {
		return to, f.unknown(env, p, what)
	}
	return to, err
}

// unknown says why there is no checkpoint for a prompt, as far as it can be told.
func (f *rewindFlags) unknown(env Env, p place, what string) error {
	if root := elsewhere(env, p, what); root != "" {
		return hint.New("cd "+root+" && counterstep rewind "+hint.Clean(what), "no checkpoint for this prompt here: it was given in another workspace, %s", hint.Clean(root))
	}
	records, _, err := ledger.ReadAll(p.store.LedgerDir())
	if err != nil || len(records) == 0 {
		return hint.New("counterstep checkpoints", "no checkpoint for this prompt: nothing was recorded here yet")
	}
	return hint.New("counterstep checkpoints", "no checkpoint for this prompt: nothing is known of %q; what was recorded here begins on %s, and prompts from before that have none",
		hint.Clean(what), records[0].Time.Local().Format("2006-01-02 15:04"))
}

// elsewhere is the root of another workspace in which a prompt was given.
func elsewhere(env Env, p place, what string) string {
	if len(what) < 8 || p.gate.Store != "" {
		return ""
	}
	dirs, err := filepath.Glob(filepath.Join(env.stateHome(), "counterstep", "*", "ledger"))
	if err != nil {
		return ""
	}
	for _, dir := range dirs[:min(len(dirs), 200)] {
		st, err := store.OpenReadOnly(filepath.Dir(dir))
		if err != nil || st.Dir() == p.dir {
			continue
		}
		e := fire.Engine{Store: st, Now: env.Now, NewID: env.newID}
		if to, err := e.Prompt(what); err == nil {
			return p.gate.Workspace(string(to.Saga.Armed.Cwd)).Root
		}
	}
	return ""
}

// reportRewind says what was done.
func reportRewind(w io.Writer, r fire.Rewound) {
	verb := map[string]string{"would rewind": "would rewind", "rewound": "rewound"}[r.Status]
	to := fmt.Sprintf("prompt %d \"%s\"", r.Point.Number, cut(oneLine(r.Point.Text), 50))
	if r.Point.Call > 0 {
		to = fmt.Sprintf("call #%d", r.Point.Call)
	}
	if verb == "" {
		fmt.Fprintf(w, "nothing to do: everything that agents changed is as it was before %s\n", to)
	} else {
		fmt.Fprintf(w, "%s to before %s: %d restored, %d removed, %d merged, %d kept, %d skipped\n", verb, to,
			len(r.Restored), len(r.Removed), len(r.Merged), len(r.Kept), len(r.Skipped))
	}
	some := lister{w: w, most: 40}
	if r.Status == "would rewind" {
		for _, p := range r.Restored {
			some.line("restore", p, "")
		}
		for _, p := range r.Removed {
			some.line("remove", p, "")
		}
	}
	for _, k := range r.Merged {
		some.line("merge", k.Path, k.Reason)
	}
	for _, k := range r.Kept {
		reason := k.Reason
		if k.Beside != "" {
			reason += ": " + hint.Clean(string(k.Beside))
		}
		some.line("keep", k.Path, reason)
	}
	for _, s := range r.Skipped {
		reason := s.Reason
		if s.Call > 0 {
			reason = fmt.Sprintf("#%d: %s", s.Call, reason)
		}
		some.line("skip", s.Path, reason)
	}
	some.end()
	reportRest(w, r)
}

// reportRest says what a rewind leaves, and what to do next.
func reportRest(w io.Writer, r fire.Rewound) {
	if len(r.Repository) > 0 {
		fmt.Fprintf(w, "commits, branches and index stay; %s moved them: --git\n", numbersOf(r.Repository))
	}
	reportRefs(w, r)
	for i, n := range r.NotUndone {
		if i == 10 {
			fmt.Fprintf(w, "and %d more that are not undone; all of them: --json\n", len(r.NotUndone)-i)
			break
		}
		next := ""
		if n.Next != "" {
			next = "; " + n.Next
		}
		fmt.Fprintf(w, "not undone: %s %s: %s%s\n", label(n.Number, n.ID), cut(oneLine(n.Command), 40), hint.Clean(n.Why), next)
	}
	if r.Redo != "" {
		fmt.Fprintln(w, "take this back: counterstep redo")
	}
	if r.Status == "rewound" {
		fmt.Fprintln(w, align(r.Point))
	}
}

// reportRefs names refs that are elsewhere than they were, and stay.
func reportRefs(w io.Writer, r fire.Rewound) {
	if len(r.Refs) == 0 {
		return
	}
	ran := ""
	if len(r.Git) > 0 {
		ran = "; git ran in " + numbersOf(r.Git)
	}
	stay := "stay"
	if len(r.Refs) == 1 {
		stay = "stays"
	}
	fmt.Fprintf(w, "%s moved since then, and %s%s\n", plural(len(r.Refs), "ref"), stay, ran)
	for i, m := range r.Refs {
		if i == 10 {
			fmt.Fprintf(w, "  and %d more; all of them: --json\n", len(r.Refs)-i)
			break
		}
		fmt.Fprintf(w, "  moved    %s  %s → %s  (%s)\n", hint.Clean(m.Ref), at(m.Was), at(m.Now), hint.Clean(string(m.Repository)))
	}
}

// at is where a ref is, for people.
func at(ref string) string {
	switch {
	case ref == "":
		return "nothing"
	case strings.HasPrefix(ref, "refs/"):
		return hint.Clean(ref)
	}
	return hint.Clean(ref[:min(len(ref), 10)])
}

// align says how to bring the conversation to the same point.
func align(p fire.Point) string {
	if p.Harness != "claude" || p.Call > 0 {
		return "the conversation stays as it is: tell the agent that the files were rewound"
	}
	text := fmt.Sprintf("the conversation stays as it is: in Claude Code, /rewind to \"%s\"", cut(oneLine(p.Text), 50))
	if p.UUID != "" {
		text += "; headless, the message is " + hint.Clean(p.UUID)
	}
	return text
}

func numbersOf(list []int) string {
	text := ""
	for i, n := range slices.Sorted(slices.Values(list)) {
		switch {
		case i == 8:
			return text + " and others"
		case i > 0:
			text += ", "
		}
		text += "#" + strconv.Itoa(n)
	}
	return text
}

// lister prints the first lines of many.
type lister struct {
	w       io.Writer
	n, most int
}

func (l *lister) line(do string, p ledger.Name, reason string) {
	if l.n++; l.n > l.most {
		return
	}
	if reason != "" {
		reason = "  (" + reason + ")"
	}
	fmt.Fprintf(l.w, "  %-8s %s%s\n", do, hint.Clean(string(p)), hint.Clean(reason))
}

func (l *lister) end() {
	if l.n > l.most {
		fmt.Fprintf(l.w, "  and %d more; all of them: --json\n", l.n-l.most)
	}
}
