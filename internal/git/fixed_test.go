package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/proc"
)

// TestWhatIsSwitchedOffStaysOff asks git itself what counts when the person's
// configuration says otherwise: some of it could only do harm in ways that the
// door does not use today.
func TestWhatIsSwitchedOffStaysOff(t *testing.T) {
	program, err := proc.Look("git", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED LOUDLY: there is no git on this machine")
	}
	want := map[string]string{
		"core.hooksPath": os.DevNull, "core.fsmonitor": "false", "gc.auto": "0", "maintenance.auto": "false",
		"push.gpgSign": "false", "push.followTags": "false", "push.recurseSubmodules": "no", "submodule.recurse": "false",
		"fetch.recurseSubmodules": "no", "http.followRedirects": "false",
	}
	base := t.TempDir()
	var global strings.Builder
	for key := range want {
		section, name, _ := strings.Cut(key, ".")
		global.WriteString("[" + section + "]\n\t" + name + " = /bin/evil\n")
	}
	file, gitDir := filepath.Join(base, "config"), filepath.Join(base, "git")
	if err := os.WriteFile(file, []byte(global.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(gitDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := bareSkeleton(gitDir, "sha1", nil); err != nil {
		t.Fatal(err)
	}
	d := &Door{Git: program, Home: base, Path: os.Getenv("PATH"), Temp: base, Config: Config{NoSystem: true, Global: file}}
	for key, value := range want {
		res, err := d.git(t.Context(), run{gitDir: gitDir, person: true, args: []string{"config", "--get", key}})
		if got := strings.TrimSpace(string(res.Stdout)); err != nil || got != value {
			t.Errorf("%s is %q, want %q, %v", key, got, value, err)
		}
	}
}
