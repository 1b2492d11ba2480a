package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/policy"
)

func load(t *testing.T, user, repo string) (policy.Policy, error) {
	t.Helper()
	base := t.TempDir()
	f := policy.Files{User: filepath.Join(base, "config", policy.Name), Home: "/home/u", Root: filepath.Join(base, "p")}
	for path, text := range map[string]string{f.User: user, filepath.Join(f.Root, policy.Name): repo} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return policy.Load(f)
}

const whole = `# what this machine allows
read-only = ["acme lint", "/opt/acme/bin/acme"]
bounded = ["terraform plan"]
protected = ["~/photos", "/srv/data", "infra/prod"]
irreversible = "ask"

[http]
allow = ["api.example.com", "*.dev.example.com"]

[checkpoint]
partial = "refuse"
exclude = ["out", "web/dist"]

[store]
quota = "20GiB"
`

func TestEverySetting(t *testing.T) {
	p, err := load(t, whole, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rules) != 3 || p.Rules[0].Class != classify.Inert && p.Rules[0].Class != classify.Bounded || !p.Ask || !p.NoPartial || p.Quota != 20<<30 ||
		len(p.Hosts) != 2 || len(p.Exclude) != 2 || len(p.Ignored) != 0 {
		t.Errorf("%+v", p)
	}
	if len(p.Protected) != 3 || p.Protected[0].Path != "/home/u/photos" || p.Protected[1].Path != "/srv/data" || !strings.HasSuffix(p.Protected[2].Path, "/p/infra/prod") {
		t.Errorf("%+v", p.Protected)
	}
	if p, err := load(t, "", ""); err != nil || p.Quota != 0 || p.Ask || len(p.Rules) > 0 {
		t.Errorf("no files: %+v, %v", p, err)
	}
}

// TestARepositoryOnlyTightens: whatever weakens in its file is ignored and
// named.
func TestARepositoryOnlyTightens(t *testing.T) {
	p, err := load(t, "irreversible = \"ask\"\n", whole)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rules) > 0 || len(p.Hosts) > 0 || len(p.Exclude) > 0 || p.Quota != 0 || !p.Ask {
		t.Errorf("weakened: %+v", p)
	}
	if len(p.Protected) != 3 || !p.NoPartial {
		t.Errorf("not tightened: %+v", p)
	}
	all := strings.Join(p.Ignored, "\n")
	for _, want := range []string{":2: read-only is ignored", ":3: bounded is", ":5: irreversible is", ":8: http.allow is", ":12: checkpoint.exclude is", ":15: store.quota is"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not named in\n%s", want, all)
		}
	}
	p, err = load(t, "irreversible = \"ask\"\n", "irreversible = \"refuse\"\ncheckpoint.partial = \"allow\"\nlater = 1\n")
	if err != nil || p.Ask || len(p.Ignored) != 2 || !strings.Contains(p.Ignored[1], ":3: later is ignored: there is no such setting") {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestWhatIsNotUnderstoodIsAnError, with its line and a command to paste.
func TestWhatIsNotUnderstoodIsAnError(t *testing.T) {
	for text, want := range map[string]string{
		"a = \n":                                              ":1: ",
		"\nread_only = [\"x\"]\n":                             ":2: there is no setting read_only; read-only is meant, perhaps",
		"[http]\nalow = []\n":                                 ":2: there is no setting http.alow",
		"[https]\nallow = [\"x\"]\n":                          ":2: there is no setting https.allow; http.allow is meant, perhaps",
		"[other]\n":                                           ":1: there is no setting other",
		"read-only = \"x\"\n":                                 ":1: read-only must be a list of texts",
		"read-only = [1]\n":                                   ":1: read-only must be a list of texts",
		"read-only = [\" \"]\n":                               ":1: read-only must be a list of texts",
		"read-only = [\"sudo x\"]\n":                          ":1: read-only: sudo runs other programs",
		"read-only = [\"counterstep\"]\n":                     ":1: read-only: counterstep runs other programs",
		"bounded = [\"/bin/bash\"]\n":                         ":1: bounded: /bin/bash runs",
		"read-only = [\"a; rm\"]\n":                           "must be plain words",
		"read-only = [\"./x.sh\"]\n":                          "must be named without a directory, or by its absolute path",
		"protected = [\"*.key\"]\n":                           "has a pattern",
		"irreversible = \"allow\"\n":                          ":1: irreversible must be \"refuse\" or \"ask\", not allow",
		"irreversible = true\n":                               "must be \"refuse\" or \"ask\", not true",
		"http.allow = [\"*\"]\n":                              "must be the name of a host",
		"http.allow = [\"*.com\"]\n":                          "must be the name of a host",
		"http.allow = [\"https://a.b\"]\n":                    "must be the name of a host",
		"checkpoint.exclude = [\".git\"]\n":                   "must be the name of a directory",
		"checkpoint.exclude = [\"../a\"]\n":                   "must be the name of a directory",
		"checkpoint.partial = \"no\"\n":                       "must be \"allow\" or \"refuse\", not no",
		"store.quota = \"1KB\"\n":                             "must be a size",
		"store.quota = 5\n":                                   "must be a size",
		"store.quota = \"-5GiB\"\n":                           "must be a size",
		"store.quota = \"9999999999TiB\"\n":                   "must be a size",
		"irreversible = \"ask\"\nirreversible = \"refuse\"\n": ":2: ",
	} {
		_, err := load(t, text, "")
		if err == nil || !strings.Contains(err.Error(), policy.Name+":") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
			continue
		}
		if h := hint.Of(err); len(h) != 1 || !strings.HasPrefix(h[0], "${EDITOR:-vi} +") {
			t.Errorf("%q: hint %q", text, h)
		}
	}
	if _, err := load(t, "", "protected = 1\n"); err == nil {
		t.Error("a tightening of a repository that is not understood is passed over")
	}
	if _, err := load(t, strings.Repeat("#", 70<<10), ""); err == nil {
		t.Error("a large file is read")
	}
}
