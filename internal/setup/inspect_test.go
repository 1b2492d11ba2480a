package setup

import (
	"strings"
	"testing"
)

// TestFaults: each way in which an entry can be wrong is named, with the event.
func TestFaults(t *testing.T) {
	e := Entries{Scope: Local, Binary: "/opt/counterstep", StateHome: "/state"}
	data, err := Merge([]byte("{\n  \"hooks\": {}\n}\n"), e)
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	if all, err := Faults(data, e); err != nil || len(all) != 0 {
		t.Fatalf("as init writes it: %v, %v", all, err)
	}
	if line := Line(data); !strings.Contains(line, "'/opt/counterstep' block 60 '/state'") {
		t.Errorf("line %q", line)
	}
	for _, c := range []struct {
		name, text, event, what string
		blocks                  bool
		count                   int
	}{
		{"empty", "", "PreToolUse", "no entry of counterstep", true, 9},
		{"one event less", strings.Replace(good, `"ConfigChange"`, `"PreCompact"`, 1), "ConfigChange", "no entry", true, 1},
		{"report gone", strings.Replace(good, `"PostToolUse"`, `"Other"`, 1), "PostToolUse", "no entry", false, 1},
		{"another binary", strings.Replace(good, "/opt/counterstep", "/bin/true", 1), "PreToolUse", "command is not the one", true, 1},
		{"fails open", strings.Replace(good, `"block"`, `"explode"`, 1), "PreToolUse", `onFailure is "explode"`, true, 1},
		{"no onFailure", strings.Replace(good, `"onFailure": "block"`, `"other": 1`, 1), "PreToolUse", "onFailure is missing", true, 1},
		{"no timeout", strings.Replace(good, `"timeout": 90`, `"other": 1`, 1), "PreToolUse", "timeout is missing", true, 1},
		{"short timeout", strings.Replace(good, `"timeout": 90`, `"timeout": 3`, 1), "PreToolUse", "timeout is 3, not 90", true, 1},
		{"matcher", strings.Replace(good, `"hooks": [`, `"matcher": "Bash", "hooks": [`, 1), "PreToolUse", `tools that match "Bash"`, true, 1},
		{"more fields", strings.Replace(good, `"timeout": 90`, `"async": true, "timeout": 90`, 1), "PreToolUse", "other fields", true, 1},
	} {
		all, err := Faults([]byte(c.text), e)
		if err != nil || len(all) != c.count {
			t.Errorf("%s: %v, %v", c.name, all, err)
			continue
		}
		if f := all[0]; f.Event != c.event || !strings.Contains(f.What, c.what) || f.Blocks != c.blocks {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
	if _, err := Faults([]byte("{"), e); err == nil {
		t.Error("half a file has no faults")
	}
	if Line([]byte(`{"hooks": {"PreToolUse": []}}`)) != "" || Line([]byte("[")) != "" {
		t.Error("a line where there is none")
	}
}
