package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/counterstep/counterstep/internal/setup"
)

// wiring looks at every settings file that init wrote to on this machine, and
// at those that count in the current directory.
func wiring(ctx context.Context, o Options) []Finding {
	installed, err := o.Machine.Installed()
	if err != nil {
		return []Finding{{Level: Fail, What: err.Error(), Fix: "counterstep init"}}
	}
	var all []Finding
	covered := false
	here := hereFiles(o)
	for _, in := range installed {
		mine := slices.Contains(here, in.File)
		covered = covered || mine
		all = append(all, wired(ctx, o, in, mine)...)
	}
	for _, file := range here {
		if !slices.ContainsFunc(installed, func(in setup.Installed) bool { return in.File == file }) {
			all = append(all, notInstalled(o, file)...)
		}
	}
	if !covered {
		all = append(all, Finding{Level: Fail, What: "no settings file that counts in " + o.Dir + " has the hook, so calls here are not guarded", Fix: "counterstep init"})
	}
	return append(all, managed(o)...)
}

// hereFiles are the settings files that an agent started in the current
// directory or at the top of the workspace reads.
func hereFiles(o Options) []string {
	var files []string
	for _, dir := range []string{o.Dir, o.Root} {
		for _, s := range setup.Scopes() {
			file, err := setup.SettingsFile(s, dir, o.Machine.Home)
			if err != nil {
				continue
			}
			file = filepath.Join(real(filepath.Dir(file)), filepath.Base(file))
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}

// wired looks at one settings file that has our entries.
func wired(ctx context.Context, o Options, in setup.Installed, here bool) []Finding {
	project := filepath.Dir(filepath.Dir(in.File))
	fix := initCommand(o, in, project, here)
	data, err := os.ReadFile(in.File)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(project); errors.Is(err, fs.ErrNotExist) {
			return []Finding{{Level: Note, What: project + " had the hook and is gone"}}
		}
		return []Finding{{Level: Fail, What: in.File + " is gone, and the hook with it", Fix: fix}}
	}
	if err != nil {
		return []Finding{{Level: Fail, What: fmt.Sprintf("%s cannot be read, so the agent may drop its hooks: %v", in.File, err), Fix: "ls -l " + quote(in.File)}}
	}
	faults, err := setup.Faults(data, setup.Entries{Scope: in.Scope, Binary: in.Binary, StateHome: in.State})
	if err != nil {
		return []Finding{{Level: Fail, What: fmt.Sprintf("%s is not understood, so the agent may drop its hooks: %v", in.File, err), Fix: "${EDITOR:-vi} " + quote(in.File)}}
	}
	all, asks := entries(in.File, faults, fix)
	if err := o.Machine.Intact(in.File); err != nil && len(faults) == 0 {
		return append(all, Finding{Level: Fail, What: err.Error(), Fix: "${EDITOR:-vi} " + quote(in.File)})
	}
	found, runs := binary(o, in, fix)
	all = append(all, found...)
	if !asks || !runs {
		return all
	}
	dir := project
	if in.Scope == setup.User {
		dir = real(o.Dir)
	}
	return append(all, canary(ctx, o, in.File, setup.Line(data), dir))
}

// entries turns faults into findings, and says whether the entry that is asked
// before a call is the one that init wrote. Another one is never run: it may be
// anybody's.
func entries(file string, faults []setup.Fault, fix string) (all []Finding, asks bool) {
	asks = true
	for _, f := range faults {
		l := Warn
		if f.Blocks {
			l = Fail
		}
		if f.Event == "PreToolUse" {
			asks = false
		}
		all = append(all, Finding{Level: l, What: fmt.Sprintf("%s, %s: %s", file, f.Event, f.What), Fix: fix})
	}
	return all, asks
}

// binary looks at the program that the entries name, and says whether there is
// one to run.
func binary(o Options, in setup.Installed, fix string) ([]Finding, bool) {
	info, err := os.Stat(in.Binary)
	switch {
	case err != nil:
		return []Finding{{Level: Fail, What: fmt.Sprintf("%s names %s, which is gone: every call that can destroy is blocked", in.File, in.Binary), Fix: fix}}, false
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 && filepath.Ext(in.Binary) != ".exe":
		return []Finding{{Level: Fail, What: fmt.Sprintf("%s names %s, which is not executable: every call that can destroy is blocked", in.File, in.Binary), Fix: "chmod +x " + quote(in.Binary)}}, false
	}
	if self, err := os.Stat(o.Executable); err == nil && !os.SameFile(info, self) {
		return []Finding{{Level: Warn, What: fmt.Sprintf("%s runs %s, and this is another program, %s", in.File, in.Binary, o.Executable), Fix: fix}}, true
	}
	return nil, true
}

// notInstalled looks at a settings file that counts here, but that init did
// not write to on this machine.
func notInstalled(o Options, file string) []Finding {
	if err := o.Machine.Intact(file); err != nil {
		return []Finding{{Level: Fail, What: err.Error(), Fix: "${EDITOR:-vi} " + quote(file)}}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	if has, err := setup.Has(data); err == nil && has {
		return []Finding{{Level: Warn, What: file + " has entries of counterstep that were not written on this machine, so nothing keeps them in force", Fix: "counterstep init"}}
	}
	return nil
}

// initCommand is what a person types to write the entries of in anew.
func initCommand(o Options, in setup.Installed, project string, here bool) string {
	cmd := "counterstep init"
	if in.Scope != setup.Project {
		cmd += " --scope " + string(in.Scope)
	}
	if in.Scope == setup.User || here && project == real(o.Dir) {
		return cmd
	}
	return "cd " + quote(project) + " && " + cmd
}
