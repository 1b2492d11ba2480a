//go:build failpoints

package setup

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestCrashBetweenRecordAndSettings: an init that died half-way is not taken
// for one that worked, and the next one completes it; an uninstall that died
// half-way leaves a hook that works.
func TestCrashBetweenRecordAndSettings(t *testing.T) {
	for _, point := range []string{"setup.recorded", "durable.rename"} {
		o := place(t, Project)
		file := filepath.Join(o.Project, ".claude/settings.json")
		put(t, file, "{}\n")
		die := func(p Plan) {
			t.Helper()
			t.Setenv("COUNTERSTEP_FAIL", point+":1+:5")
			if err := p.Apply(context.Background()); err == nil {
				t.Errorf("%s: no error", point)
			}
			os.Unsetenv("COUNTERSTEP_FAIL")
		}
		die(must(t)(Init(o)))
		if got := get(t, file); got != "{}\n" {
			t.Errorf("%s: the settings are %q", point, got)
		}
		apply(t, must(t)(Init(o)))
		if err := o.Machine.Intact(file); err != nil {
			t.Errorf("%s: %v", point, err)
		}
		die(must(t)(Uninstall(o)))
		checkEntries(t, []byte(get(t, file)))
		if point == "setup.recorded" {
			if _, err := os.Stat(o.Machine.records()[0]); err != nil {
				t.Errorf("the hook is in the file, but nothing counts as installed: %v", err)
			}
		}
		apply(t, must(t)(Uninstall(o)))
		if got := get(t, file); got != "{}\n" {
			t.Errorf("%s: after uninstall: %q", point, got)
		}
	}
}
