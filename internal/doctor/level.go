package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/setup"
)

// ManagedFiles are the settings that an administrator keeps for everybody on a
// machine with this operating system.
func ManagedFiles(goos string) []string {
	switch goos {
	case "darwin":
		return []string{"/Library/Application Support/ClaudeCode/managed-settings.json"}
	case "windows":
		return []string{`C:\Program Files\ClaudeCode\managed-settings.json`, `C:\ProgramData\ClaudeCode\managed-settings.json`}
	}
	return []string{"/etc/claude-code/managed-settings.json"}
}

// rules are managed settings.
type rules struct {
	file string
	root harness.Value
	ours bool // they have the hook
	only bool // no other hooks run
}

// readRules reads the managed settings that are there.
func readRules(o Options) []rules {
	var all []rules
	for _, file := range o.Managed {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		root, err := harness.Parse(data)
		if err != nil {
			continue
		}
		r := rules{file: file, root: root, only: root.Get("allowManagedHooksOnly").True()}
		r.ours = setup.Line(data) != ""
		all = append(all, r)
	}
	return all
}

// managed finds managed settings that keep our hook from running.
func managed(o Options) []Finding {
	var all []Finding
	ours := false
	for _, r := range readRules(o) {
		ours = ours || r.ours
	}
	for _, r := range readRules(o) {
		switch {
		case r.root.Get("disableAllHooks").True():
			all = append(all, Finding{Level: Fail, What: r.file + " has disableAllHooks, which switches counterstep off", Fix: "ask the administrator to take it out"})
		case r.only && !ours:
			all = append(all, Finding{Level: Fail, What: r.file + " lets only managed hooks run, and counterstep is not among them", Fix: "ask the administrator to add the entries that this prints: counterstep init --print"})
		}
	}
	return all
}

// level says how strong the guard is against a program with the user's own
// rights: L0 stops accidents, L1 cannot be taken out without being root.
func level(_ context.Context, o Options) []Finding {
	var open []string
	root := isRoot()
	if root {
		open = append(open, "everything here runs as root")
	}
	if !root && loose(o.Executable) {
		open = append(open, o.Executable+" can be replaced by you")
	}
	held := false
	for _, r := range readRules(o) {
		held = held || r.ours && r.only && (root || !loose(r.file))
	}
	if !held {
		open = append(open, "the hook is not in managed settings")
	}
	if len(open) == 0 {
		return []Finding{{Level: OK, What: "level L1, managed: hook and binary cannot be taken out without being root"}}
	}
	return []Finding{{Level: Note, What: fmt.Sprintf("level L0, same user: stops accidents, not a program that means harm (%s)", strings.Join(open, "; "))}}
}

// loose reports whether we can change or replace the file at path.
func loose(path string) bool {
	for p := real(path); ; p = filepath.Dir(p) {
		if writable(p) {
			return true
		}
		if p == filepath.Dir(p) {
			return false
		}
	}
}
