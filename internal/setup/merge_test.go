package setup

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var entries = Entries{Scope: Project, Binary: "/opt/my bin/counterstep", StateHome: "/home/dev/.local/state"}

// files are settings that are kept but for our entries.
var files = map[string]string{
	"empty object":   "{}\n",
	"spaces":         "{\n  \"z\": 1,\n  \"a\": {\"y\": [1,  2], \"b\": null}\n}\n",
	"tabs":           "{\n\t\"model\": \"x\",\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": []\n\t\t\t}\n\t\t]\n\t}\n}",
	"four":           "{\n    \"hooks\": {\n        \"PreToolUse\": [\n            {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"./mine.sh\"}]}\n        ]\n    },\n    \"env\": {\"A\": \"\\u00e9\"}\n}\n",
	"one line":       `{"b":1,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]},"a":2}`,
	"mixed":          "{\n  \"hooks\": {\"PreToolUse\": [{\"hooks\": []}], \"PostToolUse\": []},\n  \"a\": 1\n}\n",
	"windows":        "{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n    \"Notification\": []\r\n  }\r\n}\r\n",
	"no line break":  `{"permissions": {"allow": ["Bash(ls)"]}}`,
	"space around":   "\n  {\n  \"a\": 1\n  }  \n",
	"hooks anywhere": "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"matcher\": \"startup\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"echo hi\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
}

func TestMergeAndStrip(t *testing.T) {
	for name, before := range files {
		t.Run(name, func(t *testing.T) {
			merged, err := Merge([]byte(before), entries)
			if err != nil {
				t.Fatal(err)
			}
			checkEntries(t, merged)
			again, err := Merge(merged, entries)
			if err != nil || string(again) != string(merged) {
				t.Errorf("a second time is not the same: %v\n%s", err, again)
			}
			back, err := Strip(merged)
			if err != nil {
				t.Fatal(err)
			}
			// A list that we found empty and one that we made look the same.
			want := strings.Replace(before, `, "PostToolUse": []`, "", 1)
			if string(back) != want {
				t.Errorf("after taking out:\n%s\nwant:\n%s\nmerged:\n%s", back, want, merged)
			}
			if crlf := strings.Count(string(merged), "\r\n"); strings.Contains(before, "\r\n") && crlf != strings.Count(string(merged), "\n") {
				t.Errorf("line ends are mixed:\n%q", merged)
			}
		})
	}
}

// settings is how an agent reads the file.
type settings struct {
	Hooks map[string][]struct {
		Matcher *string
		Hooks   []struct {
			Type, Command, OnFailure string
			Timeout                  int
		}
	}
}

func checkEntries(t *testing.T, data []byte) {
	t.Helper()
	var s settings
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	want := map[string]string{
		"PreToolUse": "block 90", "PreSkillShellCommand": "block 90", "ConfigChange": "block 90",
		"PostToolUse": "pass 90", "PostToolUseFailure": "pass 90", "SessionStart": "pass 90", "UserPromptSubmit": "pass 25",
		"Stop": "pass 90", "SessionEnd": "pass 60",
	}
	for event, groups := range s.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				if !ours(h.Command) {
					continue
				}
				mode, timeout, _ := strings.Cut(want[event], " ")
				delete(want, event)
				blocks := strings.Contains(h.Command, "/counterstep' block ")
				if g.Matcher != nil || len(g.Hooks) != 1 || h.Type != "command" || blocks != (mode == "block") || (h.OnFailure == "block") != blocks ||
					h.OnFailure != "" && !blocks || timeout != map[int]string{90: "90", 60: "60", 25: "25"}[h.Timeout] {
					t.Errorf("%s: %+v", event, h)
				}
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("missing or twice: %v\n%s", want, data)
	}
}

// TestMergeReplacesWhatIsOutdated: entries of an older version, of another
// binary, twice, or changed by hand become the ones that are wanted.
func TestMergeReplacesWhatIsOutdated(t *testing.T) {
	old := entries
	old.Binary = "/old/counterstep"
	base := "{\n  \"a\": 1\n}\n"
	fresh, err := Merge([]byte(base), entries)
	if err != nil {
		t.Fatal(err)
	}
	outdated, err := Merge([]byte(base), old)
	if err != nil {
		t.Fatal(err)
	}
	text := string(fresh)
	for name, before := range map[string]string{
		"another binary":   string(outdated),
		"weaker":           strings.Replace(text, `"onFailure": "block"`, `"onFailure": "allow"`, 1),
		"a matcher":        strings.Replace(text, "{\n        \"hooks\": [", "{\n        \"matcher\": \"Read\",\n        \"hooks\": [", 1),
		"an event of yore": strings.Replace(text, `"SessionStart"`, `"PreCompact"`, 1),
		"another time":     strings.Replace(text, `"timeout": 25`, `"timeout": 1`, 1),
		"async":            strings.Replace(text, `"timeout": 90`, `"async": true, "timeout": 90`, 1),
	} {
		if before == text {
			t.Fatalf("%s: nothing was replaced", name)
		}
		got, err := Merge([]byte(before), entries)
		if err != nil {
			t.Fatal(err)
		}
		checkEntries(t, got)
		if back, err := Strip(got); err != nil || string(back) != base {
			t.Errorf("%s: %v\n%s", name, err, back)
		}
	}
	// Beside somebody else's handler in one group, only ours goes.
	shared := `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"},{"type":"command","command":` +
		string(text2json(command(hooks()[0], entries))) + `}]}]}}`
	if back, err := Strip([]byte(shared)); err != nil || string(back) != `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}` {
		t.Errorf("%v %s", err, back)
	}
}

func text2json(s string) []byte { b, _ := json.Marshal(s); return b }

func TestMergeRefusesWhatItCannotRead(t *testing.T) {
	for in, want := range map[string]string{
		"{\n  // comment\n  \"a\": 1\n}": "line 2: no field name",
		"{\"a\":1,}":                     "line 1: no field name",
		"{\"a\":1,\n\"a\":2}":            `line 2: field "a" for the second time`,
		"[]":                             "it is no JSON object",
		`{"hooks":[]}`:                   `"hooks" is no object`,
		`{"hooks":{"PreToolUse":{}}}`:    `"hooks" has "PreToolUse", which is no list`,
		"\x00":                           "line 1: no JSON value",
	} {
		if _, err := Merge([]byte(in), entries); err == nil || err.Error() != want {
			t.Errorf("Merge(%q): %v, want %s", in, err, want)
		}
		if _, err := Strip([]byte(in)); err == nil {
			t.Errorf("Strip(%q) takes it", in)
		}
	}
}

// FuzzMerge: any settings file is refused or comes back as it was.
func FuzzMerge(f *testing.F) {
	for _, s := range files {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		merged, err := Merge(data, entries)
		if err != nil {
			return
		}
		if again, err := Merge(merged, entries); err != nil || !slices.Equal(again, merged) {
			t.Fatalf("not the same a second time: %v\n%q\n%q", err, merged, again)
		}
		back, err := Strip(merged)
		if err != nil {
			t.Fatal(err)
		}
		stripped, err := Strip(data)
		if err != nil {
			t.Fatal(err)
		}
		if len(strings.TrimSpace(string(stripped))) == 0 {
			return
		}
		if a, b := loose(t, back), loose(t, stripped); !reflect.DeepEqual(a, b) {
			t.Fatalf("something else changed: %q became %q", stripped, back)
		}
	})
}

// loose reads settings without the empty lists of hooks, which may come and go.
func loose(t *testing.T, data []byte) map[string]any {
	var v map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("no longer JSON: %v: %q", err, data)
	}
	events, _ := v["hooks"].(map[string]any)
	for name, list := range events {
		if list, ok := list.([]any); ok && len(list) == 0 {
			delete(events, name)
		}
	}
	if len(events) == 0 {
		delete(v, "hooks")
	}
	return v
}
