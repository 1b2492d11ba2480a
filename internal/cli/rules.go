package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/policy"
)

func newRules(env Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "rules", Short: "List what is known about programs, and what the policy adds",
		Long: `Lists every program that the gate knows, family by family: what it does to files,
how that is taken back, the usual class of a call. A program that is not listed
is bounded. Then what counterstep.toml says for this workspace.`,
		Args: exactly(0, "no arguments"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the rules as JSON")
	c.RunE = func(*cobra.Command, []string) error {
		g := newGate(env)
		p, err := policy.Load(policy.Files{User: g.UserPolicy, Home: g.Home, Root: g.Workspace(env.Dir).Root})
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(env.Stdout, newRuleList(p))
		}
		printRules(env.Stdout, p)
		return nil
	}
	return c
}

// ruleList is what rules prints as JSON, version 1.
type ruleList struct {
	V        int          `json:"v"`
	Programs []programDoc `json:"programs"`
	Policy   policyDoc    `json:"policy"`
}

type programDoc struct {
	Names    []string `json:"names"`
	Family   string   `json:"family"`
	Class    string   `json:"class"`
	Title    string   `json:"title"`
	Undo     string   `json:"undo"`
	Examples []string `json:"examples,omitempty"`
}

type policyDoc struct {
	Rules        []ruleDoc `json:"rules"`
	Protected    []string  `json:"protected"`
	Hosts        []string  `json:"http_allow"`
	Irreversible string    `json:"irreversible"`
	Partial      string    `json:"checkpoint_partial"`
	Exclude      []string  `json:"checkpoint_exclude"`
	Quota        int64     `json:"store_quota,omitempty"`
	Ignored      []string  `json:"ignored"`
}

type ruleDoc struct {
	Command string `json:"command"`
	Class   string `json:"class"`
	File    string `json:"file"`
}

func newRuleList(p policy.Policy) ruleList {
	out := ruleList{V: 1, Policy: newPolicyDoc(p)}
	for _, m := range classify.Models() {
		out.Programs = append(out.Programs, programDoc{m.Names, m.Family, m.Class.String(), m.Title, m.Undo, m.Examples})
	}
	return out
}

func newPolicyDoc(p policy.Policy) policyDoc {
	out := policyDoc{
		Rules: []ruleDoc{}, Protected: []string{}, Hosts: append([]string{}, p.Hosts...), Exclude: append([]string{}, p.Exclude...),
		Ignored: append([]string{}, p.Ignored...), Quota: p.Quota,
		Irreversible: either(p.Ask, "ask", "refuse"), Partial: either(p.NoPartial, "refuse", "allow"),
	}
	for _, r := range p.Rules {
		out.Rules = append(out.Rules, ruleDoc{strings.Join(r.Words, " "), r.Class.String(), r.Source})
	}
	for _, path := range p.Protected {
		out.Protected = append(out.Protected, path.Path)
	}
	return out
}

func either(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

func printRules(w io.Writer, p policy.Policy) {
	family := ""
	for _, m := range classify.Models() {
		if m.Family != family {
			family = m.Family
			fmt.Fprintf(w, "\n%s\n", family)
		}
		fmt.Fprintf(w, "  %-12s %s\n", m.Class, strings.Join(m.Names, " "))
		fmt.Fprintf(w, "               %s; undo: %s\n", m.Title, m.Undo)
	}
	d := newPolicyDoc(p)
	fmt.Fprintf(w, "\npolicy\n  a call without an undo: %s; a checkpoint that is not complete: %s\n", d.Irreversible, d.Partial)
	for _, r := range d.Rules {
		fmt.Fprintf(w, "  %-12s %s (%s)\n", r.Class, hint.Clean(r.Command), hint.Clean(r.File))
	}
	for _, l := range []struct {
		what string
		list []string
	}{{"protected", d.Protected}, {"http allowed", d.Hosts}, {"left out", d.Exclude}, {"ignored", d.Ignored}} {
		for _, s := range l.list {
			fmt.Fprintf(w, "  %-12s %s\n", l.what, hint.Clean(s))
		}
	}
}
