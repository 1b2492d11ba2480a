package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/ledger"
)

// completed is how many calls a shell is offered.
const completed = 50

// completeCalls offers action numbers and the beginnings of ids, the newest
// first, with what the call was; want says which calls. It reads the end of the
// ledger only.
func completeCalls(env Env, most int, want func(ledger.Saga) bool) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const keep = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if len(args) >= most {
			return nil, keep
		}
		p, err := open(env, c, false)
		if err != nil || p.store == nil {
			return nil, keep
		}
		var out []cobra.Completion
		ledger.Recent(p.store.LedgerDir(), func(sagas []ledger.Saga) bool {
			out = out[:0]
			for _, s := range sagas {
				if len(out) < completed && want(s) {
					out = append(out, offer(s, word)...)
				}
			}
			return len(out) >= completed
		})
		return out, keep
	}
}

// offer is a call as it can be typed: by number, and by id once that is begun.
func offer(s ledger.Saga, word string) []cobra.Completion {
	about := cut(oneLine(s.Armed.Command), 48)
	var words []string
	if s.Number > 0 {
		words = append(words, fmt.Sprint(s.Number))
	}
	if strings.HasPrefix(word, "0") || s.Number == 0 {
		words = append(words, gate.Short(s.ID))
	}
	words = slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, strings.ToUpper(word)) })
	out := make([]cobra.Completion, len(words))
	for i, w := range words {
		out[i] = cobra.CompletionWithDesc(w, about)
	}
	return out
}

// Which calls verbs take.
func anyCall(s ledger.Saga) bool   { return s.Armed.Undoes == "" && s.Armed.Kind != "" }
func canFire(s ledger.Saga) bool   { return anyCall(s) && s.Fireable() }
func conflicts(s ledger.Saga) bool { return anyCall(s) && s.Status == ledger.IsConflict }
func holding(s ledger.Saga) bool {
	return anyCall(s) && s.Manifest != "" && s.Status != ledger.IsForgotten
}

// addCompletions tells shells what the verbs take.
func addCompletions(env Env, root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "fire":
			c.ValidArgsFunction = completeCalls(env, 1, canFire)
			c.RegisterFlagCompletionFunc("since", completeCalls(env, 1, canFire)) // the flag is there
		case "show":
			c.ValidArgsFunction = completeCalls(env, 1, anyCall)
		case "diff":
			c.ValidArgsFunction = completeCalls(env, 2, holding)
		case "resolve":
			c.ValidArgsFunction = completeCalls(env, 1, conflicts)
		case "export", "forget":
			c.ValidArgsFunction = completeCalls(env, 1, holding)
		case "redo", "ledger", "list", "stats", "status", "doctor", "gc", "demo", "version", "search", "explain", "rehearse", "init", "uninstall", "verify", "checkpoints":
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
}
