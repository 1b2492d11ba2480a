package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/harness/all"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

const (
	// lookedBack is how far back calls are looked at, settleTime how long a call may
	// take to be settled, named how many of a kind are named.
	lookedBack = 30 * 24 * time.Hour
	settleTime = 10 * time.Minute
	named      = 5
)

// calls names calls of which something is not known: those that were never
// settled, those that ran without the hook, and hooks for which the agent did
// not wait.
func calls(_ context.Context, o Options) []Finding {
	since := o.Now().Add(-lookedBack)
	found := opens(o, since)
	st, err := store.OpenReadOnly(o.StoreDir)
	if err != nil {
		return found // another check tells
	}
	records, _, err := ledger.ReadAll(st.LedgerDir())
	if err != nil {
		return found
	}
	var unsettled, unguarded []string
	for _, s := range ledger.Fold(records) {
		a := s.Armed
		switch {
		case a.Time.Before(since), a.Session == Session, a.Undoes != "":
		case a.Kind == ledger.Unguarded:
			unguarded = append(unguarded, callName(s, o.Now()))
		case a.Kind == ledger.Armed && s.Settle == nil && s.Status == ledger.IsArmed && o.Now().Sub(a.Time) > settleTime:
			unsettled = append(unsettled, callName(s, o.Now()))
		}
	}
	found = append(found, list(unsettled, Note, "never settled, so what it left is only predicted: ", "counterstep list")...)
	return append(found, list(unguarded, Warn, "ran without the hook, so there is no undo: ", "counterstep list")...)
}

// opens finds hooks that gave no answer.
func opens(o Options, since time.Time) []Finding {
	if o.Config == "" {
		return nil
	}
	var seen []string
	for _, a := range all.Adapters() {
		opener, ok := a.(harness.Opener)
		if !ok {
			continue
		}
		for _, open := range opener.Opens(o.Config, o.Root, since) {
			call := ""
			if open.Call != "" {
				call = " (" + open.Call + ")"
			}
			seen = append(seen, fmt.Sprintf("%s%s %s ago: %s", open.Hook, call, age(o.Now().Sub(open.Time)), open.Why))
		}
	}
	return list(seen, Warn, "the agent went on without an answer: ", "counterstep doctor")
}

// list makes one finding of each, and one of those that are too many to name.
func list(what []string, level Level, text, fix string) []Finding {
	var out []Finding
	for i, w := range what {
		if i == named {
			out = append(out, Finding{Level: level, What: fmt.Sprintf("%sand %d more", text, len(what)-named), Fix: fix})
			break
		}
		out = append(out, Finding{Level: level, What: text + w, Fix: fix})
	}
	return out
}

// callName says which call is meant.
func callName(s ledger.Saga, now time.Time) string {
	id := s.ID[:min(len(s.ID), 12)]
	if s.Number > 0 {
		id = fmt.Sprintf("#%d", s.Number)
	}
	what := strings.Join(strings.Fields(s.Armed.Command), " ")
	if what == "" {
		what = s.Armed.Tool
	}
	if r := []rune(what); len(r) > 60 {
		what = string(r[:59]) + "…"
	}
	return fmt.Sprintf("%s %s, %s ago", id, what, age(now.Sub(s.Armed.Time)))
}

func age(d time.Duration) string {
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%dm", max(0, d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
}
