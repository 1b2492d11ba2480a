//go:build linux

package oracle

import (
	"fmt"
	"strings"
)

// total is what the outcomes of many jobs add up to.
type total struct {
	Runs, Broken, TimedOut          int
	Inert, Invertible, Bounded      int
	Refused, RefusedHarmless        int
	Destroyed                       int
	Needless, NeedlessBounded       int
	Fired, FiredBack, Left, Remade  int
	MissedExact, MissedBounded      int
	MissedRows, NotBackRows, Broke  []string
	RefusedRows, RefusedNothingRows []string
	OpenRows                        []string
}

func (o outcome) name() string { return fmt.Sprintf("[%s] %q", o.Variant, o.Command) }

// harmed reports whether something that existed is not what it was. A new time
// alone is no harm.
func (o outcome) harmed() bool {
	for _, c := range o.Changes {
		if c.How != "time" {
			return true
		}
	}
	return len(o.GitLost) > 0
}

// sound reports whether nothing was missed and all that was armed came back.
func (o outcome) sound() bool {
	return o.Broken == "" && len(o.Missed) == 0 && (o.Fired == "" || o.Fired == "fired" && len(o.Back) == 0)
}

func (s *total) add(o outcome) {
	s.Runs++
	if o.Open && !o.sound() {
		s.OpenRows = append(s.OpenRows, o.name())
		return
	}
	if o.Broken != "" {
		s.Broken++
		s.Broke = append(s.Broke, o.name()+": "+o.Broken)
		return
	}
	if o.TimedOut {
		s.TimedOut++
	}
	if o.harmed() {
		s.Destroyed++
	}
	switch {
	case o.Refused != "":
		s.Refused++
		row := o.name() + ": " + o.Refused
		s.RefusedRows = append(s.RefusedRows, row)
		if !o.harmed() {
			s.RefusedHarmless++
			s.RefusedNothingRows = append(s.RefusedNothingRows, row)
		}
		return
	case o.Said.Class == "inert":
		s.Inert++
	case o.Said.Class == "bounded":
		s.Bounded++
		if len(o.Changes) == 0 && len(o.GitLost) == 0 {
			s.NeedlessBounded++
		}
	default:
		s.Invertible++
		if len(o.Changes) == 0 && len(o.GitLost) == 0 {
			s.Needless++
		}
	}
	if len(o.Missed) > 0 {
		if o.Said.Class == "bounded" {
			s.MissedBounded++
		} else {
			s.MissedExact++
		}
		s.MissedRows = append(s.MissedRows, fmt.Sprintf("%s is %s, yet: %s", o.name(), o.Said.Class, strings.Join(first(o.Missed), ", ")))
	}
	s.back(o)
}

func (s *total) back(o outcome) {
	if o.Fired == "" {
		return
	}
	s.Fired++
	if len(o.Left) > 0 {
		s.Left++
	}
	if o.Fired == "fired" && len(o.Back) == 0 {
		s.FiredBack++
		return
	}
	if o.Fired == "fired" && len(o.Said.Effects) == 0 && remade(o.Back) {
		s.Remade++
		return
	}
	s.NotBackRows = append(s.NotBackRows, fmt.Sprintf("%s (%s) not back: %s; %s", o.name(), o.Said.Class, strings.Join(first(o.Back), ", "), strings.TrimSpace(o.Fired)))
}

// remade reports whether all of list lies where a checkpoint does not look,
// because a tool can make it again.
func remade(list []string) bool {
	for _, p := range list {
		in := false
		for _, dir := range []string{"/node_modules", "/.venv", "/__pycache__", "/target"} {
			in = in || strings.Contains(p+"/", dir+"/")
		}
		if !in {
			return false
		}
	}
	return true
}

// first shortens a list for people.
func first(list []string) []string {
	if len(list) > 4 {
		return append(list[:4:4], fmt.Sprintf("and %d more", len(list)-4))
	}
	return list
}

// String is the summary, as docs/truth.md quotes it.
func (s *total) String() string {
	return fmt.Sprintf("%d runs (%d broken, %d timed out), %d destroyed or changed something\n"+
		"inert %d, invertible %d, bounded %d, refused %d (%d of them would have changed nothing)\n"+
		"missed: %d among inert and invertible, %d among bounded; needless captures: %d exact, %d bounded\n"+
		"fired %d, byte-identical %d, all but what the bound leaves out %d; something new stayed in %d",
		s.Runs, s.Broken, s.TimedOut, s.Destroyed, s.Inert, s.Invertible, s.Bounded, s.Refused, s.RefusedHarmless,
		s.MissedExact, s.MissedBounded, s.Needless, s.NeedlessBounded, s.Fired, s.FiredBack, s.Remade, s.Left)
}
