package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/hint"
)

// place is a machine with a binary and a project.
func place(t *testing.T, s Scope) Options {
	t.Helper()
	m := machine(t)
	binary := write(t, filepath.Join(m.Home, "go/bin/counterstep"), echoArg)
	project := filepath.Join(m.Home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	return Options{Scope: s, Project: project, Binary: binary, Machine: m}
}

func apply(t *testing.T, p Plan) Plan {
	t.Helper()
	if err := p.Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	return p
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestInitAndUninstall(t *testing.T) {
	for _, scope := range Scopes() {
		o := place(t, scope)
		file, err := SettingsFile(scope, o.Project, o.Machine.Home)
		if err != nil {
			t.Fatal(err)
		}
		before := files["spaces"]
		put(t, file, before)
		p := apply(t, must(t)(Init(o)))
		if !p.Changed || p.File != file || get(t, file) != string(p.After) {
			t.Errorf("%s: changed %v, file %q\n%s", scope, p.Changed, p.File, get(t, file))
		}
		checkEntries(t, p.After)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: mode %v, %v", scope, info.Mode(), err)
		}
		if again := must(t)(Init(o)); again.Changed {
			t.Errorf("%s: a second init changes:\n%s", scope, again.After)
		}
		if err := o.Machine.Intact(file); err != nil {
			t.Errorf("%s: not intact: %v", scope, err)
		}
		o.Binary = ""
		apply(t, must(t)(Uninstall(o)))
		if got := get(t, file); got != before {
			t.Errorf("%s: after uninstall:\n%s", scope, got)
		}
		if all, err := o.Machine.Installed(); err != nil || len(all) > 0 {
			t.Errorf("%s: still recorded: %v, %v", scope, all, err)
		}
	}
}

func must(t *testing.T) func(Plan, error) Plan {
	return func(p Plan, err error) Plan {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// TestUninstallRemovesWhatInitMade: a file that was not there before is gone
// after, unless somebody wrote into it meanwhile.
func TestUninstallRemovesWhatInitMade(t *testing.T) {
	o := place(t, Project)
	dir := filepath.Join(o.Project, ".claude")
	apply(t, must(t)(Init(o)))
	apply(t, must(t)(Init(o)))
	if p := apply(t, must(t)(Uninstall(o))); p.After != nil || !p.Changed {
		t.Errorf("changed %v, after: %q", p.Changed, p.After)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", dir, err)
	}
	apply(t, must(t)(Init(o)))
	file := filepath.Join(dir, "settings.json")
	put(t, file, strings.Replace(get(t, file), "{", `{"model": "x",`, 1))
	apply(t, must(t)(Uninstall(o)))
	if got := get(t, file); got != "{\"model\": \"x\"\n}\n" {
		t.Errorf("left %q", got)
	}
	if p := apply(t, must(t)(Uninstall(o))); p.Changed {
		t.Error("nothing is ours, and yet something changes")
	}
}

func TestInitRefuses(t *testing.T) {
	o := place(t, Project)
	file := filepath.Join(o.Project, ".claude/settings.json")
	put(t, file, "{\n  // mine\n}\n")
	_, err := Init(o)
	if err == nil || !strings.Contains(err.Error(), "line 2: no field name") || len(hint.Of(err)) == 0 {
		t.Errorf("a file with a comment: %v %q", err, hint.Of(err))
	}
	if _, err := Uninstall(o); err == nil || get(t, file) != "{\n  // mine\n}\n" {
		t.Errorf("uninstall of a file with a comment: %v", err)
	}
	o.Scope = "everywhere"
	if _, err := Init(o); err == nil || len(hint.Of(err)) == 0 {
		t.Errorf("an unknown scope: %v", err)
	}
	o.Scope = Local
	for _, path := range []string{
		"counterstep",
		filepath.Join(o.Machine.Home, "nowhere"),
		o.Machine.Home,
		write(t, filepath.Join(o.Machine.Home, "go-build4711/b001/exe/counterstep"), ""),
		write(t, filepath.Join(o.Machine.Home, ".cache/go-build/ab/abcd-d/counterstep"), ""),
		write(t, filepath.Join(o.Machine.Home, "a\tb/counterstep"), ""),
	} {
		o.Binary = path
		if _, err := Init(o); err == nil || len(hint.Of(err)) == 0 {
			t.Errorf("%q stands in a hook: %v", path, err)
		}
	}
	o.Binary = filepath.Join(o.Machine.Home, "go/bin/counterstep")
	if err := os.Chmod(o.Binary, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Init(o); err == nil {
		t.Error("a binary that is not executable stands in a hook")
	}
}

// TestLinks: a linked settings file of the user's own stays a link; a project's
// may not lead out of the project.
func TestLinks(t *testing.T) {
	link := func(o Options, to string) string {
		file, err := SettingsFile(o.Scope, o.Project, o.Machine.Home)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, file); err != nil {
			t.Fatal(err)
		}
		return file
	}
	o := place(t, User)
	dotfile := filepath.Join(o.Machine.Home, "dotfiles/claude.json")
	put(t, dotfile, "{}\n")
	file := link(o, dotfile)
	apply(t, must(t)(Init(o)))
	checkEntries(t, []byte(get(t, dotfile)))
	if to, err := os.Readlink(file); err != nil || to != dotfile {
		t.Errorf("the link is now %q, %v", to, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := o.Machine.Intact(file); err == nil {
		t.Error("the link is gone, and that is intact")
	}

	o = place(t, Project)
	put(t, filepath.Join(o.Project, "shared.json"), "{}\n")
	link(o, "../shared.json")
	apply(t, must(t)(Init(o)))
	checkEntries(t, []byte(get(t, filepath.Join(o.Project, "shared.json"))))

	o = place(t, Project)
	outside := filepath.Join(o.Machine.Home, "other.json")
	put(t, outside, "{}\n")
	link(o, outside)
	if _, err := Init(o); err == nil || len(hint.Of(err)) == 0 || get(t, outside) != "{}\n" {
		t.Errorf("a link out of the project: %v", err)
	}

	o = place(t, Project)
	link(o, "nowhere.json")
	if _, err := Init(o); err == nil || len(hint.Of(err)) == 0 {
		t.Errorf("a link that leads nowhere: %v", err)
	}

	o = place(t, Project)
	if err := os.Symlink(o.Machine.Home, filepath.Join(o.Project, ".claude")); err != nil {
		t.Fatal(err)
	}
	if _, err := Init(o); err == nil {
		t.Error(".claude leads out of the project")
	}
}

func TestDifferentStateHomesKnowEachOther(t *testing.T) {
	o := place(t, Project)
	o.Machine.StateHome = t.TempDir()
	apply(t, must(t)(Init(o)))
	other := Machine{Home: o.Machine.Home, StateHome: filepath.Join(o.Machine.Home, "elsewhere")}
	if all, err := other.Installed(); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
	put(t, filepath.Join(o.Project, ".claude/settings.json"), "{}")
	if other.Intact(filepath.Join(o.Project, ".claude/settings.json")) == nil {
		t.Error("emptied, and that is intact")
	}
}
