package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/hint"
)

// TestIntact: what an agent may write into settings while a session runs.
func TestIntact(t *testing.T) {
	o := place(t, Project)
	file := filepath.Join(o.Project, ".claude/settings.json")
	local := filepath.Join(o.Project, ".claude/settings.local.json")
	apply(t, must(t)(Init(o)))
	good := get(t, file)
	for _, c := range []struct {
		name, file, text string
		ok               bool
	}{
		{"as installed", file, good, true},
		{"one more key", file, strings.Replace(good, "{", `{"model": "x",`, 1), true},
		{"written anew", file, strings.ReplaceAll(good, "\n", "\r\n"), true},
		{"one more hook", file, strings.Replace(good, `"SessionStart": [`, `"SessionStart": [{"hooks": []},`, 1), true},
		{"emptied", file, "{}", false},
		{"truncated", file, "", false},
		{"cut", file, good[:len(good)/2], false},
		{"one event less", file, strings.Replace(good, `"ConfigChange"`, `"PreCompact"`, 1), false},
		{"weaker", file, strings.Replace(good, ` block 60 `, ` pass 60 `, 1), false},
		{"fails open", file, strings.Replace(good, `"onFailure": "block"`, `"onFailure": "x"`, 1), false},
		{"another binary", file, strings.ReplaceAll(good, o.Binary, "/bin/true"), false},
		{"switched off", file, strings.Replace(good, "{", `{"disableAllHooks": true,`, 1), false},
		{"not switched off", file, strings.Replace(good, "{", `{"disableAllHooks": false,`, 1), true},
		{"switched off twice", local, `{"disableAllHooks": false, "disableAllHooks": true}`, false},
		{"switched off elsewhere", local, `{"disableAllHooks": true}`, false},
		{"switched off by a word", local, `{"disableAllHooks": "false"}`, false},
		{"another home", local, `{"env": {"HOME": "/nowhere"}}`, false},
		{"simple", local, `{"env": {"CLAUDE_CODE_SIMPLE": "1"}}`, false},
		{"prefix", local, `{"env": {"CLAUDE_CODE_SHELL_PREFIX": "true"}}`, false},
		{"other settings", local, `{"permissions": {}, "env": {"A": "b"}}`, true},
		{"other settings emptied", local, "", true},
		{"other settings unreadable", local, "{", false},
	} {
		put(t, c.file, c.text)
		err := o.Machine.Intact(c.file)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && (len(hint.Of(err)) == 0 || hint.Of(err)[0] != "counterstep uninstall") {
			t.Errorf("%s: the way out is not named: %q", c.name, hint.Of(err))
		}
	}
	if err := os.Remove(local); err != nil {
		t.Fatal(err)
	}
	put(t, file, good)
	if err := o.Machine.Intact(""); err != nil {
		t.Errorf("all files: %v", err)
	}
	for name, remove := range map[string]string{"removed": file, "removed with its directory": filepath.Dir(file)} {
		if err := os.RemoveAll(remove); err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{file, ""} {
			if o.Machine.Intact(f) == nil {
				t.Errorf("%s: intact by %q", name, f)
			}
		}
		if err := o.Machine.Intact(local); err != nil {
			t.Errorf("a file that was never ours and is not there: %v", err)
		}
	}
}

// TestIntactAfterUninstall: whoever takes the hook out by the command for it
// is not stopped by the session that still runs.
func TestIntactAfterUninstall(t *testing.T) {
	o := place(t, Project)
	put(t, filepath.Join(o.Project, ".claude/settings.json"), "{\"a\": 1}\n")
	apply(t, must(t)(Init(o)))
	p := apply(t, must(t)(Uninstall(o)))
	if err := o.Machine.Intact(p.File); err != nil {
		t.Error(err)
	}
}

func TestUnreadableRecordIsNotIntact(t *testing.T) {
	o := place(t, Project)
	apply(t, must(t)(Init(o)))
	put(t, o.Machine.records()[0], "/bin\nrubbish\n")
	if err := o.Machine.Intact(filepath.Join(o.Project, ".claude/settings.json")); err == nil || len(hint.Of(err)) == 0 {
		t.Errorf("%v", err)
	}
}
