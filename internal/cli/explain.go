package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
)

func newExplain(env Env) *cobra.Command {
	var asJSON, batch bool
	c := &cobra.Command{
		Use: "explain 'COMMAND'", Short: "Say what a command would do and what the gate would answer",
		Long: `Evaluates a command as the hook would, from the current directory, and shows
its parts, what their words stand for, the class of each and why, and the
effects with their place in the command. Nothing is run and nothing is touched.

With --batch, reads lines of {"command": …, "cwd": …} from stdin and writes one
verdict a line.`,
		Args: func(c *cobra.Command, args []string) error {
			if batch {
				return exactly(0, "no arguments with --batch")(c, args)
			}
			return exactly(1, "one command, quoted")(c, args)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the verdict as JSON")
	c.Flags().BoolVar(&batch, "batch", false, "read many commands from stdin")
	c.RunE = func(_ *cobra.Command, args []string) error {
		g := newGate(env)
		if batch {
			return explainBatch(env, g)
		}
		r := gate.Request{Tool: "Bash", Cwd: env.Dir, Input: gate.Input{Kind: gate.Shell, Command: args[0]}}
		v, err := g.Judge(r, g.Workspace(env.Dir))
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(env.Stdout, newVerdict(v))
		}
		explain(env.Stdout, v)
		return nil
	}
	return c
}

// verdict is a classification in JSON, version 1.
type verdict struct {
	V        int          `json:"v"`
	Class    string       `json:"class"`
	Effects  []effect     `json:"effects"`
	Parts    []part       `json:"parts,omitempty"`
	Opaque   []string     `json:"opaque,omitempty"`
	Dirs     []string     `json:"dirs,omitempty"`
	Barriers []string     `json:"barriers,omitempty"`
	Refused  *refusedPart `json:"refused"`
}

type effect struct {
	Kind string       `json:"kind"`
	Path string       `json:"path,omitempty"`
	To   string       `json:"to,omitempty"`
	Tree bool         `json:"tree,omitempty"`
	By   string       `json:"by,omitempty"`
	Pos  classify.Pos `json:"pos"`
}

type part struct {
	Text   string       `json:"text"`
	Argv   []string     `json:"argv,omitempty"`
	Class  string       `json:"class"`
	Reason string       `json:"reason,omitempty"`
	Pos    classify.Pos `json:"pos"`
}

type refusedPart struct {
	Reason  string       `json:"reason"`
	Instead string       `json:"instead,omitempty"`
	Pos     classify.Pos `json:"pos"`
}

func newVerdict(v classify.Verdict) verdict {
	out := verdict{V: 1, Class: v.Class.String(), Effects: []effect{}, Opaque: v.Opaque, Dirs: v.Dirs, Barriers: v.Barriers}
	for _, e := range v.Effects {
		out.Effects = append(out.Effects, effect{e.Kind.String(), e.Path, e.To, e.Tree, e.By, e.Pos})
	}
	for _, p := range v.Parts {
		out.Parts = append(out.Parts, part{p.Text, p.Argv, p.Class.String(), p.Reason, p.Pos})
	}
	if len(v.Refusals) > 0 {
		r := v.Refusals[0]
		out.Refused = &refusedPart{r.Reason, r.Instead, r.Pos}
	}
	return out
}

// explain writes a verdict for people.
func explain(w io.Writer, v classify.Verdict) {
	fmt.Fprintf(w, "%s: %s\n", v.Class, answer(v))
	for i, p := range v.Parts {
		fmt.Fprintf(w, "\n%3d  %s\n", i+1, hint.Clean(cut(oneLine(p.Text), 100)))
		if argv := strings.Join(p.Argv, " "); len(p.Argv) > 0 && oneLine(argv) != oneLine(p.Text) {
			fmt.Fprintf(w, "     = %s\n", hint.Clean(cut(argv, 200)))
		}
		var effects []string
		for _, e := range v.Effects {
			if owner(v.Parts, e) == i {
				effects = append(effects, effectLine(e))
			}
		}
		fmt.Fprintf(w, "     %s", p.Class)
		if p.Reason != "" && (len(effects) == 0 || p.Class.Worse(classify.Invertible)) {
			fmt.Fprintf(w, ": %s", hint.Clean(p.Reason))
		}
		fmt.Fprintln(w)
		for _, e := range effects {
			fmt.Fprintf(w, "       %s\n", e)
		}
	}
	for _, r := range v.Refusals {
		fmt.Fprintf(w, "\nrefused at %d:%d: %s\n", r.Pos.Line, r.Pos.Col, hint.Clean(r.Reason))
		if r.Instead != "" {
			fmt.Fprintf(w, "instead: %s\n", hint.CleanText(r.Instead))
		}
	}
}

// owner is the part that an effect belongs to: the one that says so, else the
// last one by the effect's program that begins at or before it. The words that
// a loop reads stand elsewhere than the command that gets them.
func owner(parts []classify.Part, e classify.Effect) int {
	best, most := 0, -1
	for i, p := range parts {
		score := 0
		if p.Class != classify.Inert && speaksOf(p.Reason, e.Path) {
			score += 4
		}
		if len(p.Argv) > 0 && e.By != "" && path.Base(p.Argv[0]) == path.Base(e.By) || len(p.Argv) == 0 && e.By != "" && strings.Contains(p.Text, e.By) {
			score += 2
		}
		if p.Pos.Off <= e.Pos.Off {
			score++
		}
		if score > most || score == most && p.Pos.Off >= parts[best].Pos.Off && p.Pos.Off <= e.Pos.Off {
			best, most = i, score
		}
	}
	return best
}

// speaksOf reports whether a reason speaks of a path, and not of one that only
// begins like it.
func speaksOf(reason, path string) bool {
	i := strings.Index(reason, path)
	if i < 0 || path == "" {
		return false
	}
	rest := reason[i+len(path):]
	return rest == "" || rest[0] == ' '
}

func effectLine(e classify.Effect) string {
	text := fmt.Sprintf("%s %s", e.Kind, hint.Clean(e.Path))
	if e.Tree {
		text += " and everything below"
	}
	if e.To != "" {
		text += " to " + hint.Clean(e.To)
	}
	if e.May {
		text += " (perhaps)"
	}
	return text
}

// answer is what the gate does with a class.
func answer(v classify.Verdict) string {
	switch {
	case v.Class == classify.Inert && len(v.Barriers) > 0:
		return "let go and noted, no undo covers it: " + hint.Clean(strings.Join(v.Barriers, ", "))
	case v.Class == classify.Inert:
		return "let go at once, nothing that exists is destroyed"
	case v.Class == classify.Invertible:
		return "armed first, then let go"
	case v.Class == classify.Bounded && v.Unnamed && len(v.Dirs)+len(v.Wide) > 0:
		return "refused, a command word is not known and it names places outside of the workspace"
	case v.Class == classify.Bounded && len(v.Dirs) > 0:
		return "a checkpoint of the workspace and of " + hint.Clean(strings.Join(v.Dirs, ", ")) + " first, then let go"
	case v.Class == classify.Bounded:
		return "a checkpoint of the workspace first, then let go"
	default:
		return "refused"
	}
}

// explainBatch answers one line with one line.
func explainBatch(env Env, g *gate.Gate) error {
	debug.SetGCPercent(400)
	in := bufio.NewReaderSize(env.Stdin, 1<<20)
	out := bufio.NewWriter(env.Stdout)
	defer out.Flush()
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := explainLine(env, g, out, line, n); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read line %d: %w", n, err)
		}
	}
}

func explainLine(env Env, g *gate.Gate, out io.Writer, line []byte, n int) error {
	var in struct{ Command, Cwd string }
	if err := json.Unmarshal(line, &in); err != nil {
		return hint.New(`echo '{"command": "rm -rf x", "cwd": "/tmp"}' | counterstep explain --batch`, "line %d: %w", n, err)
	}
	if in.Cwd == "" {
		in.Cwd = env.Dir
	}
	r := gate.Request{Tool: "Bash", Cwd: in.Cwd, Input: gate.Input{Kind: gate.Shell, Command: in.Command}}
	v := newVerdict(g.Classify(r, g.Workspace(in.Cwd)))
	v.Parts = nil
	return json.NewEncoder(out).Encode(v)
}
