package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/setup"
)

// has reports whether a finding of this level says text.
func has(all []Finding, l Level, text string) bool {
	for _, f := range all {
		if f.Level == l && strings.Contains(f.What, text) {
			return true
		}
	}
	return false
}

func TestVersionsOfClients(t *testing.T) {
	for text, want := range map[string]string{
		"2.1.332 (Claude Code)\n": "2.1.332", "claude v2.1.9": "2.1.9", "2.1.295-beta.1": "2.1.295", "notice: 2.1 is old\n2.1.3": "2.1.3",
		"": "", "2.1": "", "a.b.c": "", "-1.2.3": "", "1.2.3.4": "",
	} {
		v, ok := parseVersion(text)
		if got := v.String(); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s, %v", text, got, ok)
		}
	}
	if a, b := (version{2, 1, 9}), (version{2, 1, 214}); !a.before(b) || b.before(a) || a.before(a) {
		t.Error("versions are compared as text")
	}
}

func TestSyncedFolders(t *testing.T) {
	for path, want := range map[string]string{
		"/home/u/Dropbox/p": "Dropbox", "/home/u/Dropbox (Work)/p": "Dropbox", "/home/u/OneDrive - Firm/p": "OneDrive",
		"/Users/u/Library/CloudStorage/GoogleDrive-u@example.com/My Drive/p": "Google Drive", "/Users/u/Library/Mobile Documents/p": "iCloud",
		"/home/u/dropbox-api/p": "", "/home/u/OneDriver": "", "/srv/p": "",
	} {
		if got := syncedBy(path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	dir := filepath.Join(t.TempDir(), "Dropbox", "p")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if all := place("the workspace", dir); !has(all, Warn, "Dropbox keeps in step") {
		t.Error(all)
	}
}

// TestTryingLeavesNothing: what is tried in a workspace is not to be seen there.
func TestTryingLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := tried(context.Background(), "it", dir, true)
	if !has(all, OK, "locks") || has(all, Fail, "") {
		t.Error(all)
	}
	after, err := os.Stat(dir)
	if list, _ := os.ReadDir(dir); err != nil || len(list) > 0 || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("%v, %v, %v → %v", list, err, before.ModTime(), after.ModTime())
	}
}

// managedSettings writes managed settings with our entries in them.
func managedSettings(t *testing.T, format string) (file string) {
	t.Helper()
	data, err := setup.Merge(nil, setup.Entries{Scope: setup.User, Binary: "/opt/counterstep", StateHome: "/state"})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "managed-settings.json")
	entries := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(data)), "{"), "}")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(format, "ENTRIES", entries)), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestManagedSettings: what an administrator decided can keep the hook from
// running, whatever the user's own settings say.
func TestManagedSettings(t *testing.T) {
	for format, want := range map[string]string{
		`{}`: "",
		`{"allowManagedHooksOnly": true, ENTRIES}`:      "",
		`{"allowManagedHooksOnly": true}`:               "lets only managed hooks run",
		`{"disableAllHooks": true, ENTRIES}`:            "disableAllHooks",
		`{"allowManagedHooksOnly": false, "hooks": {}}`: "",
	} {
		all := managed(Options{Managed: []string{managedSettings(t, format)}})
		if want == "" && len(all) > 0 || want != "" && !has(all, Fail, want) {
			t.Errorf("%s: %v", format, all)
		}
	}
}

// TestLevel: what the user can change is no more than level L0.
func TestLevel(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "counterstep")
	if err := os.WriteFile(exe, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	all := level(context.Background(), Options{Executable: exe, Managed: []string{managedSettings(t, `{"allowManagedHooksOnly": true, ENTRIES}`)}})
	if !has(all, Note, "level L0") {
		t.Error(all)
	}
	if isRoot() != has(all, Note, "runs as root") || !isRoot() && !has(all, Note, "can be replaced by you") {
		t.Error(all)
	}
	if !loose(exe) {
		t.Error("our own file cannot be changed")
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{"/a/b-c.json": "/a/b-c.json", "/a b": "'/a b'", "it's": `'it'\''s'`, "": "''"} {
		if got := quote(in); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}

// TestFixesAreThere: whatever fails comes with something to type.
func TestFixesAreThere(t *testing.T) {
	home := t.TempDir()
	o := Options{
		Machine: setup.Machine{Home: home, StateHome: filepath.Join(home, "state")},
		Dir:     home, Root: home, StoreDir: filepath.Join(home, "file"), Executable: "/nowhere",
		Managed: []string{managedSettings(t, `{"allowManagedHooksOnly": true}`)},
		Now:     time.Now,
	}
	if err := os.WriteFile(o.StoreDir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all := Examine(context.Background(), o)
	if n := Failed(all); n != 3 {
		t.Errorf("%d fail: %v", n, all)
	}
	for _, f := range all {
		if f.Check == "" || (f.Level == Fail || f.Level == Warn) && f.Fix == "" {
			t.Errorf("%+v", f)
		}
	}
}
