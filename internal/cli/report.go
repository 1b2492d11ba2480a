package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/inverse"
)

// mostLines is how many lines about paths people get.
const mostLines = 20

// report says what was done: one line for all, then what a person should look
// at. Where everything was put back exactly, the first line says it all.
func report(w io.Writer, p palette, r fire.Result, redo bool) {
	count := map[string]int{}
	exact := true
	for _, l := range r.Lines {
		if !quiet(l) {
			count[l.Do]++
		}
		exact = exact && !look(l)
	}
	status := r.Status
	if status == "fired" && redo {
		status = "redone"
	}
	fmt.Fprintf(w, "%s %s: %s\n", status, gate.Short(r.ID), summary(count))
	dry := strings.HasPrefix(r.Status, "would")
	if dry {
		for _, warning := range r.Remotes {
			fmt.Fprintf(w, "  remote   %s\n", hint.Clean(warning.String()))
		}
		reportLater(w, r)
	}
	lines := fitting(r.Lines, mostLines)
	if !dry && exact {
		lines = nil
	}
	for i, l := range lines {
		if i == mostLines {
			fmt.Fprintf(w, "  and %d more; all of them: --json\n", len(lines)-i)
			break
		}
		word := l.Do
		if !dry {
			word = became(l)
		}
		fmt.Fprintf(w, "  %-8s %s%s\n", word, hint.Clean(l.Path), detail(l))
	}
	for _, l := range r.Lines {
		if l.Diff != "" {
			fmt.Fprintln(w)
			writeDiff(w, p, l.Diff)
		}
	}
	switch {
	case r.Status == "fired" && !redo:
		fmt.Fprintf(w, "fingerprint %s equals the armed one; take this back: counterstep redo\n", r.Fingerprint)
	case r.Status == "already fired":
		fmt.Fprintln(w, "nothing was done; take the fire back: counterstep redo")
	}
}

// reportLater names what depends on a call: later ones that touched the same
// paths, and what ran since that firing does not undo.
func reportLater(w io.Writer, r fire.Result) {
	for i, l := range r.Later {
		if i == mostLines {
			fmt.Fprintf(w, "  and %d more later calls; all of them: --json\n", len(r.Later)-i)
			break
		}
		how := "changed it too"
		if l.Lines {
			how = "changed the same lines"
		}
		fmt.Fprintf(w, "  later    %-5s %s: %s %s\n", label(l.Number, l.ID), cut(oneLine(l.Command), 40), names(l.Paths), how)
	}
	for i, b := range r.Between {
		if i == mostLines {
			fmt.Fprintf(w, "  and %d more without an undo; all of them: --json\n", len(r.Between)-i)
			break
		}
		fmt.Fprintf(w, "  no undo  %s: %s ran since, and stays\n", gate.Short(b.ID), cut(oneLine(strings.Join(b.What, ", ")), 60))
	}
}

func names(paths []inverse.Name) string {
	var out []string
	for _, p := range paths {
		out = append(out, hint.Clean(string(p)))
	}
	return strings.Join(out, ", ")
}

// quiet are lines that say nothing to a person.
func quiet(l fire.Line) bool { return l.Do == "times" || l.Do == "link" }

// look reports whether a line is something for a person to look at.
func look(l fire.Line) bool {
	return l.Do == "merge" || l.Do == "keep" || l.Do == "beside" || l.Status == "drifted" || l.Status == "skipped"
}

// fitting is lines without those that say nothing. Where there are more than
// most, those to look at come first, so that what is cut off was put back
// exactly.
func fitting(lines []fire.Line, most int) []fire.Line {
	out := slices.DeleteFunc(slices.Clone(lines), quiet)
	if len(out) > most {
		slices.SortStableFunc(out, func(a, b fire.Line) int {
			switch {
			case look(a) == look(b):
				return 0
			case look(a):
				return -1
			}
			return 1
		})
	}
	return out
}

// became says in one word what became of a path.
func became(l fire.Line) string {
	switch {
	case l.Status == "skipped" || l.Status == "beside":
		return l.Status
	case l.Do == "beside":
		return l.Do
	case l.Do == "keep" || l.Status == "drifted" || l.Status == "kept":
		return "kept"
	case l.Do == "merge":
		return "merged"
	case l.Do == "ref":
		return l.Do
	}
	return "exact"
}

func detail(l fire.Line) string {
	var parts []string
	if l.Status == "drifted" || l.Status == "skipped" {
		parts = append(parts, l.Status)
	}
	if l.Reason != "" {
		parts = append(parts, hint.Clean(l.Reason))
	}
	if l.Beside != "" {
		parts = append(parts, hint.Clean(l.Beside))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  (" + strings.Join(parts, ": ") + ")"
}

// writeDiff writes what diff -u writes, in colours; whatever else is in the
// texts cannot steer the terminal.
func writeDiff(w io.Writer, p palette, diff string) {
	for line := range strings.Lines(diff) {
		line = hint.CleanText(strings.TrimRight(line, "\r\n"))
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "@@"):
			line = p.cyan(line)
		case strings.HasPrefix(line, "+"):
			line = p.green(line)
		case strings.HasPrefix(line, "-"):
			line = p.red(line)
		}
		fmt.Fprintln(w, line)
	}
}
