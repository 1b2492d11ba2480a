package setup

import (
	"strconv"
	"strings"
)

// mark is the word by which an entry is known as ours. It never changes: an
// uninstall must know the entries of every version.
const mark = "counterstep-hook"

// script is what the agent's shell runs for each event. Its arguments: the
// binary, block or pass, the seconds that the binary has, and one more state
// home to look into ("" for none).
//
// Agents let a call run when a hook crashes, is killed, is missing or takes too
// long, so the script turns each of these into exit 2 for the events that can
// destroy. For all others it always exits 0.
//
// Whether counterstep was installed is asked of the machine's own state, so a
// committed settings file harms nobody who does not have it. Only where it was
// installed and the written path leads nowhere (somebody else's), the path in
// that state is taken. Nothing is looked up in PATH.
//
// The text stands in single quotes, so it must not contain one.
const script = `for d in "$XDG_STATE_HOME" "$HOME/.local/state" "$4"; do ` +
	`case $d in /*) m=$d/counterstep/installed; [ -e "$m" ] && break;; esac; m=; done; ` +
	`if [ -z "$m" ]; then echo "counterstep is not installed on this machine, so nothing is made undoable here" >&2; exit 0; fi; ` +
	`b=$1; [ -x "$b" ] || IFS= read -r b <"$m"; ` +
	`t=; for c in /usr/bin/timeout /bin/timeout; do [ -x "$c" ] && t="$c -k 2 $3" && break; done; ` +
	`$t "$b" hook claude; r=$?; ` +
	`[ "$2" = block ] || exit 0; ` +
	`case $r in 0|2) exit $r;; esac; ` +
	`echo "counterstep did not answer (exit $r, $b), so this is blocked. ` +
	`To take the hook out: counterstep uninstall, or delete the entries with ` + mark + ` from the settings file" >&2; exit 2`

// command is the line that the agent runs for one event.
func command(h hook, e Entries) string {
	mode := "pass"
	if h.block {
		mode = "block"
	}
	state := e.StateHome
	if e.Scope == Project {
		state = "" // others read this file too: their own state decides
	}
	words := []string{"/bin/sh", "-c", quote(script), mark, quote(e.Binary), mode, strconv.Itoa(h.limit), quote(state)}
	return strings.Join(words, " ")
}

// ours reports whether a hook's command is an entry of ours, of any version.
func ours(cmd string) bool {
	return strings.HasPrefix(cmd, "/bin/sh -c '") && strings.Contains(cmd, "' "+mark+" '")
}

// quote writes s as one word for a POSIX shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
